"""Stand-ins for other packages' names, for people who move over step by step."""
