"""Providers with scripted answers, and one that pauses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flows.types import HumanFeedbackPending, PendingFeedbackContext


class RecordingProvider:
    """Answers each request at once with the next item of the script, and keeps what was asked."""

    def __init__(self, answers: Iterable[str] = ()) -> None:
        self._answers = list(answers)
        self.contexts: list[PendingFeedbackContext] = []

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        """The next answer. Raises AssertionError when there is none left."""
        self.contexts.append(context)
        if not self._answers:
            raise AssertionError(f"Request {len(self.contexts)} ({context.method_name}) is not in the script.")
        return self._answers.pop(0)


class PausingProvider:
    """Pauses the run at every request, and keeps what was asked."""

    def __init__(self, **callback_info: Any) -> None:
        self._callback_info = callback_info
        self.contexts: list[PendingFeedbackContext] = []

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        """Never answers. Raises HumanFeedbackPending."""
        self.contexts.append(context)
        raise HumanFeedbackPending(context=context, callback_info=dict(self._callback_info))
