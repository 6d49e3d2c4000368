"""The wire: Slack's payloads in, Slack's calls out."""
