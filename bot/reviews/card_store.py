"""The table of cards: every message that shows a review, and how true it is."""

from __future__ import annotations

from datetime import datetime

from bot.db import Db, Tx
from bot.reviews.model import Card
from bot.reviews.rows import card_of
from bot.types import MessageRef, ReviewId, TeamId

GRACE_S = 1.0
"""How long whoever changed a review has to redraw its messages before the ticker does it."""


class CardStore:
    """Reading and writing cards. Every query names its workspace."""

    def __init__(self, db: Db) -> None:
        self._db = db

    async def add(self, team: TeamId, card: Card) -> None:
        """Remember one more message that shows a review. What is said under a copy is said about the review."""
        async with self._db.tx(durable=False) as tx:
            await add_card(tx, team, card)
            if card.kind == "copy":
                await tx.run(
                    "insert into threads(team_id, channel, ts, home_channel, home_ts)"
                    " select team_id, ?, ?, channel, thread_ts from reviews where team_id = ? and id = ?"
                    " on conflict do nothing",
                    card.ref.channel,
                    card.ref.ts,
                    team,
                    card.review,
                )

    async def of(self, team: TeamId, review: ReviewId) -> list[Card]:
        """Every message that shows this review."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select review_id, channel, ts, kind, thread_ts, user_id, note, shown_version from cards"
                " where team_id = ? and review_id = ? order by ts",
                team,
                review,
            )
        return [card_of(row) for row in rows]

    async def main(self, team: TeamId, review: ReviewId) -> MessageRef | None:
        """Where the review's own card stands, once it does."""
        return next((card.ref for card in reversed(await self.of(team, review)) if card.kind == "card"), None)

    async def shown(self, team: TeamId, ref: MessageRef, version: int) -> None:
        """The message at `ref` shows the review as of `version`."""
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                "update cards set shown_version = ? where team_id = ? and channel = ? and ts = ? and shown_version < ?",
                version,
                team,
                ref.channel,
                ref.ts,
                version,
            )
            await tx.run(
                "update cards set redraw_at = null where team_id = ? and channel = ? and ts = ? and not exists"
                " (select 1 from reviews r where r.team_id = cards.team_id and r.id = cards.review_id"
                " and r.version > cards.shown_version)",
                team,
                ref.channel,
                ref.ts,
            )

    async def redraw_later(self, team: TeamId, ref: MessageRef, at: datetime) -> None:
        """The message at `ref` could not be changed now; it is tried again from `at` on."""
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                "update cards set redraw_at = ? where team_id = ? and channel = ? and ts = ?",
                at.timestamp(),
                team,
                ref.channel,
                ref.ts,
            )

    async def outdated(self, team: TeamId, now: datetime, limit: int = 50) -> list[ReviewId]:
        """Reviews with a message that shows an older version, so a change that was never confirmed; longest first."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select review_id from cards where team_id = ? and redraw_at <= ? order by redraw_at limit ?",
                team,
                now.timestamp(),
                limit,
            )
        return list(dict.fromkeys(ReviewId(row[0]) for row in rows))


async def add_card(tx: Tx, team: TeamId, card: Card) -> None:
    """Remember the message, in the caller's transaction; it is out of date when its review has moved on meanwhile."""
    await tx.run(
        "insert into cards(team_id, channel, ts, review_id, kind, thread_ts, user_id, note, shown_version,"
        " redraw_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " (select opened_at from reviews where team_id = ? and id = ? and version > ?)) on conflict do nothing",
        team,
        card.ref.channel,
        card.ref.ts,
        card.review,
        card.kind,
        card.thread_ts,
        card.user,
        card.note,
        card.shown_version,
        team,
        card.review,
        card.shown_version,
    )


async def outdate(tx: Tx, team: TeamId, review: ReviewId, at: datetime) -> None:
    """Every message that shows the review is out of date from here on, until it is confirmed to be changed."""
    await tx.run(
        "update cards set redraw_at = ? where team_id = ? and review_id = ?", at.timestamp() + GRACE_S, team, review
    )
