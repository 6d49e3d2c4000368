"""Who works next: one job at a time per lane, the lanes side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.inbox import Taken
from bot.types import Lane

Handler = Callable[[Taken], Awaitable[None]]
GaveUp = Callable[[Taken, str], Awaitable[None]]
"""Told about an entry that will not be tried again, with the reference code under which the log explains it."""


class Dispatcher(Protocol):
    """Runs the inbox. A job means "the next entry of this lane"."""

    def kick(self, lane: Lane) -> None:
        """There may be work in this lane; called after the commit."""
        ...

    async def start(self, handler: Handler, gave_up: GaveUp) -> None:
        """Work off what is open, and from now on whatever is kicked."""
        ...

    async def stop(self) -> None:
        """Take nothing new, wait for what runs."""
        ...

    async def drain(self) -> None:
        """Wait until nothing runs and nothing can be taken."""
        ...
