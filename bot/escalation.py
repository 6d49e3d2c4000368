"""The clock of reviews: what is due is applied, and whoever must hear of it is told by the lanes."""

from __future__ import annotations

import asyncio

import structlog

from bot.clock import Clock
from bot.db import Db
from bot.dispatch import Dispatcher
from bot.inbox import put
from bot.reviews.model import Transition
from bot.reviews.service import ReviewService
from bot.sessions.telling import digest_entry
from bot.types import TeamId

log = structlog.get_logger(__name__)
STORM = 5
"""More reviews than this due in one channel at once are told of in one message."""


class Escalation:
    """Ticks. Any number of processes may: a review's version lets one of them move it."""

    def __init__(self, *, team: TeamId, db: Db, reviews: ReviewService, dispatcher: Dispatcher, clock: Clock) -> None:
        self._team, self._db, self._reviews = team, db, reviews
        self._dispatcher, self._clock = dispatcher, clock

    async def tick(self) -> list[Transition]:
        """Apply everything that is due now, the longest overdue first."""
        moment = self._clock.now()
        due = await self._reviews.store.due_in_channels(self._team, moment)
        if not due:
            return []
        quiet = frozenset(channel for channel, count in due.items() if count > STORM)
        made: list[Transition] = []
        while batch := await self._reviews.tick(self._team, moment, quiet=quiet):
            made += batch
        if quiet:
            entries = [digest_entry(self._team, channel, moment) for channel in sorted(quiet)]
            async with self._db.tx() as tx:
                for entry in entries:
                    await put(tx, entry)
            for entry in entries:
                self._dispatcher.kick(entry.lane)
        for change in made:
            kinds = [entry.kind for entry in change.entries]
            log.info("review_due", review=change.after.id, became=kinds, state=change.after.state)
            self._dispatcher.kick(change.after.thread.lane)
        return made

    async def keep_on(self, period_s: float) -> None:
        """For ever."""
        while True:
            try:
                await self.tick()
            except Exception:
                log.exception("tick_failed")
            await asyncio.sleep(period_s)
