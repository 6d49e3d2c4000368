"""The Slack app that hosts flows."""
