"""What time it is in the sandbox, and who is woken later: the system's clock or one that is moved by hand."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


class Timer(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> None:
        """Keep it from happening; harmless when it has happened."""
        ...


class Clock(Protocol):
    """The sandbox's only source of time."""

    def now(self) -> float:
        """The present in Unix seconds."""
        ...

    def call_later(self, seconds: float, action: Callable[[], None]) -> Timer:
        """Run `action` after so many seconds."""
        ...


class SystemClock:
    """Real time; timers run on the running event loop."""

    def now(self) -> float:
        """The present in Unix seconds."""
        return time.time()

    def call_later(self, seconds: float, action: Callable[[], None]) -> Timer:
        """Run `action` after so many real seconds."""
        return asyncio.get_running_loop().call_later(seconds, action)


@dataclass(slots=True, eq=False)
class _Appointment:
    due: float
    action: Callable[[], None]
    cancelled: bool = field(default=False)

    def cancel(self) -> None:
        self.cancelled = True


class ManualClock:
    """A clock that stands still until `advance` moves it; so that a test need not wait."""

    def __init__(self, start: float = 1_780_000_000.0) -> None:
        self._now = start
        self._appointments: list[_Appointment] = []

    def now(self) -> float:
        """The present in Unix seconds."""
        return self._now

    def call_later(self, seconds: float, action: Callable[[], None]) -> Timer:
        """Run `action` once the clock has been moved that far."""
        appointment = _Appointment(self._now + seconds, action)
        self._appointments.append(appointment)
        return appointment

    def advance(self, seconds: float) -> None:
        """Move the clock and run what falls due on the way, in order of its time."""
        target = self._now + seconds
        while due := [one for one in self._appointments if not one.cancelled and one.due <= target]:
            earliest = min(due, key=lambda one: one.due)
            self._appointments.remove(earliest)
            self._now = max(self._now, earliest.due)
            earliest.action()
        self._now = target
        self._appointments = [one for one in self._appointments if not one.cancelled]
