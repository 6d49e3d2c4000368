"""What time it is, for the edges that must ask."""

from __future__ import annotations

import json
import math
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, cast

from flows.ports import Clock

_FARTHEST_S = 20 * 366 * 86_400
"""An offset beyond this is no moved clock but a broken file."""


class ClockChoice(Protocol):
    """What says which clock to go by; the settings are one. It stands here because settings are no rung below."""

    @property
    def clock_file(self) -> Path | None:
        """The file by which a sandbox moves the clock, if there is one."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current moment, aware UTC."""
        return datetime.now(UTC)


class OffsetClock:
    """The machine's clock and as much more as a file says: a JSON object with `offset_s`, in seconds.

    Another process replaces the file whenever it moves the time. While it is missing or cannot be read as that, the
    offset read last holds; before the first one it is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = timedelta()
        self._seen: tuple[int, int, int] | None = None

    def now(self) -> datetime:
        """The moved moment, aware UTC. Each call looks at the file's state, and reads it only when that has changed."""
        self._follow()
        return datetime.now(UTC) + self._offset

    def _follow(self) -> None:
        try:
            state = os.stat(self._path)
            # Each replacement is another file, so its number tells even two of the same moment and length apart.
            seen = (state.st_ino, state.st_mtime_ns, state.st_size)
            if seen == self._seen:
                return
            offset = _offset_in(self._path.read_bytes())
        except OSError:
            return
        # Half-written counts as not seen: the rest may come without another mark on the file.
        if offset is not None:
            self._offset, self._seen = offset, seen


def clock_of(settings: ClockChoice) -> Clock:
    """The clock the bot goes by: the machine's, or the one that a sandbox moves."""
    return SystemClock() if settings.clock_file is None else OffsetClock(settings.clock_file)


def _offset_in(content: bytes) -> timedelta | None:
    try:
        found: Any = json.loads(content)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    seconds = cast("dict[str, Any]", found).get("offset_s")  # JSON keys are strings by definition
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not math.isfinite(seconds):
        return None
    return timedelta(seconds=seconds) if abs(seconds) <= _FARTHEST_S else None


__all__ = ["Clock", "ClockChoice", "OffsetClock", "SystemClock", "clock_of"]
