"""The human-in-the-loop state machine. It knows no Slack: it says what a review is and what it becomes."""
