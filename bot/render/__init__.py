"""Values in, Slack messages and views out. Nothing here decides, waits or looks anything up."""
