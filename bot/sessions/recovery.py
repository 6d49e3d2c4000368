"""What is made good, at the start and from time to time: every pause gets its card, every card shows the truth."""

from __future__ import annotations

import asyncio

import structlog

from bot.clock import Clock
from bot.dispatch import Dispatcher
from bot.inbox import Entry, Inbox
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.runner import Runner
from bot.sessions.store import SessionStore
from bot.types import ReviewId, RunId, TeamId

log = structlog.get_logger(__name__)
_CARDS_EVERY_S = 60.0


class Recovery:
    """Makes work eligible; the ordinary lanes do it."""

    def __init__(
        self,
        *,
        team: TeamId,
        inbox: Inbox,
        dispatcher: Dispatcher,
        sessions: SessionStore,
        reviews: ReviewService,
        runner: Runner,
        cards: Cards,
        clock: Clock,
    ) -> None:
        self._team, self._inbox, self._dispatcher = team, inbox, dispatcher
        self._sessions, self._reviews, self._runner, self._cards = sessions, reviews, runner, cards
        self._clock = clock

    async def at_start(self) -> None:
        """Once, before anything new is taken in. Entries that are open need nothing: the lanes begin with them."""
        reopened = await self._inbox.reopen()
        if reopened:
            log.info("entries_reopened", count=reopened)
        await self.give_cards()

    async def give_cards(self) -> None:
        """Every pause that nobody was shown gets an entry that shows it."""
        for request in await self._runner.waiting():
            run = await self._sessions.get(self._team, RunId(request.context.flow_id))
            review = await self._reviews.store.get(self._team, ReviewId(request.context.request_id))
            if run is None or (review is not None and (review.posted_at is not None or not review.is_pending)):
                continue
            entry = Entry(
                team=self._team,
                key=f"card:{request.context.request_id}",
                lane=run.thread.lane,
                kind="card",
                payload={"run": run.id},
                at=self._clock.now().timestamp(),
            )
            await self._inbox.again(entry)
            self._dispatcher.kick(entry.lane)
            log.info("pause_without_card", run=run.id, review=request.context.request_id)

    async def keep_on(self, period_s: float) -> None:
        """For ever: draw again what Slack did not confirm, and now and then look for pauses without a card."""
        rounds = max(1, round(_CARDS_EVERY_S / period_s))
        turn = 0
        while True:
            await asyncio.sleep(period_s)
            turn += 1
            try:
                await self._cards.sync_outdated(self._team)
                if turn % rounds == 0:
                    await self.give_cards()
            except Exception:
                log.exception("upkeep_failed")
