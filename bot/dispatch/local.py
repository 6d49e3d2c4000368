"""The dispatcher of an embedded database: an asyncio task for each lane that has work."""

from __future__ import annotations

import asyncio
import fcntl
import os
import uuid
from pathlib import Path
from typing import IO

import structlog

from bot.clock import Clock
from bot.dispatch import GaveUp, Handler
from bot.errors import DatabaseInUse, TryLater
from bot.inbox import Inbox, Taken
from bot.types import Lane

_LONGEST_WAIT_S = 60.0
_TRIES = 5
log = structlog.get_logger(__name__)


class LocalDispatcher:
    """Lanes over the inbox.

    An entry that fails because Slack cannot be reached is tried again for as long as it takes, with a growing pause;
    one that fails by a fault of ours or of a flow is given up after five tries, so that it cannot block its lane for
    ever. Either way the order inside the lane holds.
    """

    def __init__(self, inbox: Inbox, clock: Clock, *, poll_s: float = 1.0) -> None:
        self._inbox, self._clock = inbox, clock
        self._poll_s = poll_s
        self._handler: Handler | None = None
        self._gave_up: GaveUp | None = None
        self._lanes: dict[Lane, asyncio.Task[None]] = {}
        self._again: set[Lane] = set()
        self._poller: asyncio.Task[None] | None = None

    def kick(self, lane: Lane) -> None:
        """See `Dispatcher.kick`. Before `start` and after `stop` it does nothing; the row waits."""
        if self._handler is None:
            return
        if lane in self._lanes:
            # The lane may be about to end: it looks once more before it does.
            self._again.add(lane)
            return
        self._lanes[lane] = asyncio.create_task(self._run_lane(lane, self._handler), name=f"lane {lane}")

    @staticmethod
    def claim_file(lock_file: Path) -> IO[bytes]:
        """Own an embedded database for as long as the returned file is open.

        Raises DatabaseInUse while another process owns it. Command line tools may open the database all the same.
        """
        lock = lock_file.open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise DatabaseInUse(os.fspath(lock_file).removesuffix(".lock")) from error
        return lock

    async def start(self, handler: Handler, gave_up: GaveUp) -> None:
        """See `Dispatcher.start`."""
        self._handler, self._gave_up = handler, gave_up
        await self._kick_open()
        self._poller = asyncio.create_task(self._poll(), name="lane poller")

    async def stop(self) -> None:
        """See `Dispatcher.stop`."""
        self._handler = None
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.gather(self._poller, return_exceptions=True)
        await asyncio.gather(*self._lanes.values(), return_exceptions=True)

    async def drain(self) -> None:
        """See `Dispatcher.drain`."""
        await self._kick_open()
        while self._lanes:
            await asyncio.gather(*self._lanes.values(), return_exceptions=True)

    async def _kick_open(self) -> None:
        for lane in await self._inbox.open_lanes(self._now()):
            self.kick(lane)

    async def _poll(self) -> None:
        # Picks up what another process wrote, and tries again what had to wait.
        while True:
            await asyncio.sleep(self._poll_s)
            try:
                await self._kick_open()
            except Exception:
                log.exception("lanes_not_polled")

    async def _run_lane(self, lane: Lane, handler: Handler) -> None:
        try:
            while self._handler is not None:
                self._again.discard(lane)
                taken = await self._inbox.take(lane, self._now())
                if taken is not None:
                    await self._work(taken, handler)
                elif lane not in self._again:
                    return
        finally:
            del self._lanes[lane]

    async def _work(self, taken: Taken, handler: Handler) -> None:
        entry = taken.entry
        with structlog.contextvars.bound_contextvars(team=entry.team, lane=entry.lane, job=entry.key):
            try:
                await handler(taken)
            except TryLater as error:
                pause = min(_LONGEST_WAIT_S, 0.5 * 2 ** min(taken.attempt, 10))
                log.warning("job_postponed", attempt=taken.attempt, pause_s=pause, reason=str(error))
                await self._inbox.retry_at(taken, self._now() + pause, "later")
            except Exception:
                reference = uuid.uuid4().hex[:8]
                log.exception("job_failed", attempt=taken.attempt, reference=reference)
                await self._failed(taken, reference)
            else:
                await self._inbox.finish(taken, self._now())

    async def _failed(self, taken: Taken, reference: str) -> None:
        if taken.attempt < _TRIES:
            await self._inbox.retry_at(taken, self._now() + 0.2 * 2**taken.attempt, reference)
            return
        await self._inbox.give_up(taken, self._now(), reference)
        try:
            if self._gave_up is not None:
                await self._gave_up(taken, reference)
        except Exception:
            log.exception("job_failure_not_told", reference=reference)

    def _now(self) -> float:
        return self._clock.now().timestamp()
