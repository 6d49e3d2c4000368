"""Asking the person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from flows.types import PendingFeedbackContext

RULE = "=" * 50


class ConsoleProvider:
    """Shows the output on the terminal and reads one line; the flow waits for it.

    input_fn and output_fn stand in for input and print. Without verbose, `ask()` puts its message on the prompt's line.
    Source: human feedback guide, "Complete example" (the console picture).
    """

    def __init__(
        self,
        *,
        input_fn: Callable[[str], str] | None = None,
        output_fn: Callable[[str], object] | None = None,
        verbose: bool = True,
    ) -> None:
        self._verbose = verbose
        self._is_scripted = input_fn is not None
        self._input = input_fn or _line
        self._output = output_fn or print

    @property
    def has_person(self) -> bool:
        """Whether somebody can answer: an input_fn was given, or the standard input is a terminal."""
        # A process without a console has no standard input at all.
        return self._is_scripted or bool(sys.stdin and sys.stdin.isatty())

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        """The line the person typed, without outer spaces; "" for Enter alone."""
        for line in (RULE, "OUTPUT FOR REVIEW:", RULE, str(context.method_output), RULE, context.message):
            self._output(line)
        self._output("(Press Enter to skip, or type your feedback)")
        if context.emit and context.default_outcome is None:
            self._output(f"(Enter means: {context.emit[0]})")
        self._output("")
        return self._read()

    def ask_again(self, context: PendingFeedbackContext, flow: Any, reason: str) -> str:
        """The next line, after the person was shown the labels."""
        self._output(f"That could not be read as one answer. Please type one of: {', '.join(context.emit or ())}")
        return self._read()

    def request_input(self, message: str, flow: Any, metadata: dict[str, Any] | None = None) -> str:
        """The line the person typed in answer to `ask()`, without outer spaces."""
        if not self._verbose:
            return self._input(f"{message} ").strip()
        self._output(message)
        self._output("")
        return self._input(">>> ").strip()

    def _read(self) -> str:
        return self._input("Your feedback: ").strip()


def _line(prompt: str) -> str:
    # Ctrl-C ends the program while another thread may be reading here. That thread's hold on the standard input keeps
    # Python from closing it in the middle of the read, which would abort the process when it is a pipe.
    held = sys.stdin
    try:
        return input(prompt)
    finally:
        del held
