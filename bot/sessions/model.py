"""How a run can end, and what answers a command in a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.types import Message
from flows import HumanFeedbackPending


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over."""

    output: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The run waits for people; every open request, oldest first."""

    requests: tuple[HumanFeedbackPending, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A step raised. The text of the exception is in the log, under the reference."""

    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The process died inside a step that must not run again by itself."""

    reference: str


RunEnd = Finished | Paused | Failed | Interrupted


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer to a command in a message."""

    message: Message
    private: bool = False
    """It tells of a place that not everybody here can see: only who asked may read it."""
