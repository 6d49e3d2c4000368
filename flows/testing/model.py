"""A language model that says what the script says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class UnscriptedCallError(AssertionError):
    """The code under test asked a model more often than the script foresaw."""


class ScriptedLLM:
    """Answers each call with the next item of the script; an exception in the script is raised."""

    model = "scripted"

    def __init__(self, answers: Iterable[Any] = ()) -> None:
        self._answers = list(answers)
        self.calls: list[tuple[Any, dict[str, Any]]] = []
        """What was asked: messages and options, in order."""

    def call(self, messages: Any, **options: Any) -> Any:
        """The next answer. Raises UnscriptedCallError when there is none left."""
        self.calls.append((messages, options))
        if not self._answers:
            raise UnscriptedCallError(f"Call {len(self.calls)} to the model is not in the script: {messages!r}")
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer
