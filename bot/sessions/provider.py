"""How a flow waits in Slack: the provider pauses the run and posts nothing."""

from __future__ import annotations

from typing import Any

from flows import HumanFeedbackPending, PendingFeedbackContext


class SlackFeedbackProvider:
    """Pauses the flow until somebody decides in Slack.

    The host posts the card once the pause is saved. Without an argument the card stands in the run's own thread;
    `SlackFeedbackProvider("#content-reviews")` puts it into another channel, and both places link to each other.
    Source: "Feedback Humano em Flows", heading "Exemplo Completo de Flow Assíncrono".
    """

    def __init__(self, channel: str | None = None, *, thread_ts: str | None = None) -> None:
        self.channel = channel
        self.thread_ts = thread_ts

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        """Raise HumanFeedbackPending with where the review belongs. It never returns."""
        raise HumanFeedbackPending(
            context=context,
            callback_info={
                "slack_channel": self.channel,
                "thread_id": self.thread_ts,
                "review_id": context.request_id,
            },
        )
