"""What has happened so far, numbered, and waiting for what happens next."""

import asyncio
from collections import deque
from collections.abc import Callable

from bot.sandbox.vocabulary import Payload


class Journal:
    """Numbered entries, oldest first: JSON objects with their number under `n`. Old ones fall off the end."""

    def __init__(self, *, longest: int = 5_000) -> None:
        self._entries: deque[Payload] = deque(maxlen=longest)
        self._last = 0
        self._news = asyncio.Event()

    def add(self, entry: Payload) -> Payload:
        """The entry with its number, written down and told to all who wait."""
        self._last += 1
        numbered = {"n": self._last, **entry}
        self._entries.append(numbered)
        self._tell()
        return numbered

    def amend(self, n: int, **changes: object) -> Payload | None:
        """The entry with changed fields, or None if it is no longer kept."""
        for place, entry in enumerate(self._entries):
            if entry["n"] == n:
                self._entries[place] = {**entry, **changes}
                self._tell()
                return self._entries[place]
        return None

    def matching(self, accepts: Callable[[Payload], bool]) -> list[Payload]:
        """The kept entries that are accepted, oldest first."""
        return [entry for entry in self._entries if accepts(entry)]

    async def wait_for(self, accepts: Callable[[Payload], bool], seconds: float) -> list[Payload]:
        """The accepted entries as soon as there is one; an empty list when the seconds have passed without."""
        try:
            async with asyncio.timeout(seconds):
                while not (found := self.matching(accepts)):
                    await self._news.wait()
        except TimeoutError:
            return self.matching(accepts)
        return found

    def clear(self) -> None:
        """Forget all entries; numbers go on, so that a reader's `after` stays right."""
        self._entries.clear()

    def _tell(self) -> None:
        # Those who wait hold the old event; whoever waits next gets a new one.
        self._news.set()
        self._news = asyncio.Event()
