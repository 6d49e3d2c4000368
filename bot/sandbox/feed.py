"""Telling every open page what has changed."""

import asyncio

from bot.sandbox.vocabulary import Payload


class Feed:
    """The pages that listen; each has a queue of its own, so that a slow one holds up nobody."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[Payload | None]] = set()

    def listen(self) -> asyncio.Queue[Payload | None]:
        """A queue that will get every frame from now on; None in it means: the sandbox is closing."""
        queue: asyncio.Queue[Payload | None] = asyncio.Queue()
        self._listeners.add(queue)
        return queue

    def leave(self, queue: asyncio.Queue[Payload | None]) -> None:
        """Send no more frames to this queue."""
        self._listeners.discard(queue)

    def send(self, frame: Payload) -> None:
        """Tell all pages."""
        for queue in self._listeners:
            queue.put_nowait(frame)

    def close(self) -> None:
        """Tell all pages that there is no more to come."""
        for queue in self._listeners:
            queue.put_nowait(None)
