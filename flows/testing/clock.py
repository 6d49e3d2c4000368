"""A clock that moves only when told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Tells the time it was set to. start must be aware."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = (start or datetime(2026, 1, 1, 12, tzinfo=UTC)).astimezone(UTC)

    def now(self) -> datetime:
        """The moment it was set to, aware UTC."""
        return self._now

    def advance(self, by: timedelta) -> datetime:
        """Moves the clock and returns the new moment. Raises ValueError for a step back."""
        if by < timedelta(0):
            raise ValueError("A clock does not go back.")
        self._now += by
        return self._now
