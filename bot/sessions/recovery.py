"""What a start makes good: every pause gets its card, and what was given up is tried once more."""

from __future__ import annotations

import structlog

from bot.clock import Clock
from bot.inbox import Entry, Inbox
from bot.reviews.store import ReviewStore
from bot.sessions.runner import Runner
from bot.sessions.store import SessionStore
from bot.types import ReviewId, RunId, TeamId

log = structlog.get_logger(__name__)


async def recover(
    *, team: TeamId, inbox: Inbox, sessions: SessionStore, reviews: ReviewStore, runner: Runner, clock: Clock
) -> None:
    """Make work eligible; the ordinary lanes do it. Called once, before anything new is taken in.

    Open entries need nothing: the lanes begin with them. A pause whose entry is closed and which nobody was shown
    gets an entry of its own.
    """
    reopened = await inbox.reopen()
    if reopened:
        log.info("entries_reopened", count=reopened)
    for request in await runner.waiting():
        run = await sessions.get(team, RunId(request.context.flow_id))
        review = await reviews.get(team, ReviewId(request.context.request_id))
        if run is None or (review is not None and review.posted_at is not None):
            continue
        entry = Entry(
            team=team,
            key=f"card:{request.context.request_id}:{clock.now().isoformat()}",
            lane=run.thread.lane,
            kind="card",
            payload={"run": run.id},
            at=clock.now().timestamp(),
        )
        await inbox.receive(entry)
        log.info("pause_without_card", run=run.id, review=request.context.request_id)
