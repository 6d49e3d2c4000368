"""What time it is, for the edges that must ask."""

from __future__ import annotations

from datetime import UTC, datetime

from flows.ports import Clock


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current moment, aware UTC."""
        return datetime.now(UTC)


__all__ = ["Clock", "SystemClock"]
