"""The table of reviews. A review's flip, its record and the work that follows are one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import structlog

from bot.db import Db, Tx
from bot.inbox import Entry, put
from bot.reviews import record
from bot.reviews.audit import microseconds
from bot.reviews.card_store import add_card, outdate
from bot.reviews.deadlines import next_at
from bot.reviews.deadlines import posted as posted_fields
from bot.reviews.model import AuditEntry, Card, NewReview, Review, Transition
from bot.reviews.openings import new_review, opened_line, posted_line
from bot.reviews.rows import COLUMNS, INSERT, UPDATE, insert_values, review_of, seconds, update_values
from bot.reviews.signing import Signer
from bot.types import ChannelId, ReviewId, RunId, TeamId, ThreadKey, Ts

log = structlog.get_logger(__name__)
_UNREADABLE = timedelta(hours=1)
"""How long a row that cannot be read is left alone."""

FirstStep = Callable[[Tx, Review], Awaitable["Step | None"]]
"""What becomes of a review as soon as it is open, in the opening's own transaction."""


class Step:
    """A transition and the work that follows it."""

    __slots__ = ("change", "entries")

    def __init__(self, change: Transition, *entries: Entry) -> None:
        self.change, self.entries = change, entries


async def next_number(tx: Tx, team: TeamId, name: str) -> int:
    """The next number of this workspace's counter, in the caller's transaction."""
    await tx.run("insert into counters(team_id, name, value) values (?, ?, 0) on conflict do nothing", team, name)
    [(value,)] = await tx.run(
        "update counters set value = value + 1 where team_id = ? and name = ? returning value", team, name
    )
    return int(value)


class ReviewStore:
    """Reading and writing reviews. Every query names its workspace."""

    def __init__(self, db: Db, signer: Signer, *, code_version: str) -> None:
        self._db, self._signer, self._code_version = db, signer, code_version

    async def failed_to_post(self, review: Review) -> int:
        """How often the card of this review could not be posted, this time included."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "update reviews set post_tries = post_tries + 1 where team_id = ? and id = ? and posted_at is null"
                " and state = 'pending_review' returning post_tries",
                review.team,
                review.id,
            )
        return int(rows[0][0]) if rows else 0

    async def place(self, review: Review, channel: ChannelId) -> Review:
        """The channel that the flow named is known now; a card that stands already stays where it is."""
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                "update reviews set target_channel = ? where team_id = ? and id = ? and posted_at is null",
                channel,
                review.team,
                review.id,
            )
        return replace(review, target_channel=channel)

    async def open(self, new: NewReview, now: datetime, first: FirstStep | None = None) -> Review:
        """The review with this id, made when there is none yet. Opening twice opens once."""
        team = new.thread.team
        async with self._db.tx() as tx:
            await self._lock(tx, team)
            known = await tx.run(f"select {COLUMNS} from reviews where team_id = ? and id = ?", team, new.id)  # noqa: S608 - constant
            if known:
                return review_of(known[0])
            [(rounds,)] = await tx.run(
                "select count(*) from reviews where team_id = ? and run_id = ? and method = ?",
                team,
                new.run,
                new.gate.method,
            )
            review = new_review(new, await next_number(tx, team, "review"), int(rounds) + 1, now)
            await tx.run(INSERT, *insert_values(review))
            await self._record(tx, team, [opened_line(review)])
            step = None if first is None else await first(tx, review)
            if step is not None and await self._flip(tx, step):
                return step.change.after
        return review

    async def commit(self, change: Transition, *entries: Entry, unless_blocked: bool = False) -> bool:
        """True when this call flipped the review: the flip, its record and the follow-up work in one transaction.

        unless_blocked lets it flip nothing while the review's gate is shut.
        """
        gate = change.after.gate
        async with self._db.tx() as tx:
            await self._lock(tx, change.after.team)
            if unless_blocked and await _is_blocked(tx, change.after.team, gate.flow_name, gate.method):
                return False
            return await self._flip(tx, Step(change, *entries))

    async def apply_due(
        self, team: TeamId, now: datetime, step_of: Callable[[Review], Step | None], *, limit: int = 50
    ) -> list[Transition]:
        """What the clock made of the reviews that are due, the longest overdue first, all in one transaction.

        Two who tick at once cannot both move a review: the second waits for the first, and finds it moved.
        """
        async with self._db.tx() as tx:
            await self._lock(tx, team)
            rows = await tx.run(
                f"select {COLUMNS} from reviews where team_id = ? and next_at <= ? order by next_at, id limit ?",  # noqa: S608 - constant
                team,
                now.timestamp(),
                limit,
            )
            made: list[Transition] = []
            for row in rows:
                try:
                    review = review_of(row)
                except (ValueError, KeyError, TypeError):
                    # One row that cannot be read must not stop the clock of all others.
                    log.exception("review_unreadable", team=team, review=row[1])
                    await tx.run(
                        "update reviews set next_at = ? where team_id = ? and id = ?",
                        (now + _UNREADABLE).timestamp(),
                        team,
                        row[1],
                    )
                    continue
                if review.policy.on_timeout == "auto_approve":
                    # Each sees what the ones before it in this same transaction have used up.
                    review = await self.counted(tx, review, now)
                step = step_of(review)
                if step is not None and await self._flip(tx, step):
                    made.append(step.change)
        return made

    async def record(self, team: TeamId, entry: AuditEntry) -> None:
        """Keep a line that changes no review."""
        async with self._db.tx() as tx:
            await self._record(tx, team, [entry])

    async def get(self, team: TeamId, review: ReviewId) -> Review | None:
        """The review, if this workspace has it."""
        found = await self._select("team_id = ? and id = ?", team, review)
        return found[0] if found else None

    async def by_number(self, team: TeamId, n: int) -> Review | None:
        """The review that people call R-n."""
        found = await self._select("team_id = ? and n = ?", team, n)
        return found[0] if found else None

    async def of_run(self, team: TeamId, run: RunId) -> list[Review]:
        """All reviews of a run, oldest first."""
        return await self._select("team_id = ? and run_id = ? order by n", team, run)

    async def in_thread(self, thread: ThreadKey) -> list[Review]:
        """All reviews of the runs in this thread, oldest first."""
        return await self._select(
            "team_id = ? and channel = ? and thread_ts = ? order by n", thread.team, thread.channel, thread.ts
        )

    async def pending(self, team: TeamId, limit: int = 200, *, after_n: int = 0) -> list[Review]:
        """What waits for somebody, oldest first, from behind the review R-`after_n` on."""
        where = "team_id = ? and state = 'pending_review' and n > ? order by n limit ?"
        return await self._select(where, team, after_n, limit)

    async def newest(self, team: TeamId, limit: int = 200) -> list[Review]:
        """The newest reviews, open or over, the newest first."""
        return await self._select("team_id = ? order by n desc limit ?", team, limit)

    async def pending_in(self, home: ThreadKey, spot: ThreadKey, at: Ts) -> list[Review]:
        """What is open for words written at `spot` at the moment `at`, oldest first.

        home is the run's thread that the spot belongs to. A review counts only where its card stands, and only for
        words that are newer than the card: nobody decides a version that they have not seen.
        """
        found = await self._select(
            "team_id = ? and channel = ? and thread_ts = ? and state = 'pending_review' order by n",
            home.team,
            home.channel,
            home.ts,
        )
        meant: list[Review] = []
        for review in found:
            async with self._db.tx(durable=False) as tx:
                rows = await tx.run(
                    "select 1 from cards where team_id = ? and review_id = ? and kind in ('card', 'copy')"
                    " and channel = ? and coalesce(thread_ts, ts) = ? and cast(ts as double precision) < ?",
                    review.team,
                    review.id,
                    spot.channel,
                    spot.ts,
                    float(at),
                )
            if rows:
                meant.append(review)
        return meant

    async def due_in_channels(self, team: TeamId, now: datetime) -> dict[ChannelId, int]:
        """How many reviews are due, by the channel of their cards."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select target_channel, count(*) from reviews where team_id = ? and next_at <= ?"
                " group by target_channel",
                team,
                now.timestamp(),
            )
        return {ChannelId(channel): int(count) for channel, count in rows}

    async def changed_at(self, team: TeamId, channel: ChannelId, moment: datetime) -> list[Review]:
        """The reviews of this channel that the clock moved at exactly this moment, by number."""
        return await self._select(
            "team_id = ? and target_channel = ? and id in"
            " (select review_id from audit where team_id = ? and at_us = ? and actor = 'system') order by n",
            team,
            channel,
            team,
            microseconds(moment),
        )

    async def is_blocked(self, team: TeamId, flow_name: str, method: str) -> bool:
        """Whether the gate is shut, since a review of it that nobody answered."""
        async with self._db.tx(durable=False) as tx:
            return await _is_blocked(tx, team, flow_name, method)

    async def _passed_unseen(self, tx: Tx, review: Review, since: datetime) -> Decimal:
        """The sum of what this requester had passed unseen at this gate since then, in the caller's transaction."""
        rows = await tx.run(
            "select r.amount from audit a join reviews r on r.team_id = a.team_id and r.id = a.review_id"
            " where a.team_id = ? and a.kind = 'auto_approved' and a.at_us > ? and r.flow_name = ? and r.method = ?"
            " and r.requester = ? and r.amount is not null and r.id <> ?",
            review.team,
            microseconds(since),
            review.gate.flow_name,
            review.gate.method,
            review.requester,
            review.id,
        )
        return sum((Decimal(row[0]) for row in rows), Decimal())

    async def counted(self, tx: Tx, review: Review, now: datetime) -> Review:
        """The review without its amount, where that goes beyond what its requester may have passed unseen."""
        limit = review.policy.limit
        if limit is None or review.amount is None:
            return review
        spent = await self._passed_unseen(tx, review, now - limit.window)
        return review if spent + review.amount <= limit.sum_up_to else replace(review, amount=None)

    async def posted(self, review: Review, card: Card, now: datetime) -> None:
        """The card is up: its replies are listened to, and the review's clock runs, if that is what is still asked."""
        ref = card.ref
        async with self._db.tx() as tx:
            await self._lock(tx, review.team)
            if card.kind == "card":
                await tx.run(
                    "update cards set kind = 'old' where team_id = ? and review_id = ? and kind = 'card' and ts <> ?",
                    review.team,
                    review.id,
                    ref.ts,
                )
            await add_card(tx, review.team, card)
            # As it is stored: it may have moved while its card was on its way.
            rows = await tx.run(
                f"select {COLUMNS} from reviews where team_id = ? and id = ?"  # noqa: S608 - constant
                " and posted_at is null and state = 'pending_review' and payload_hash = ?",
                review.team,
                review.id,
                review.payload_hash,
            )
            for row in rows:
                unposted = review_of(row)
                running = replace(unposted, **posted_fields(unposted, now))
                await tx.run(
                    "update reviews set posted_at = ?, asked_at = ?, expires_at = ?, next_at = ?"
                    " where team_id = ? and id = ?",
                    now.timestamp(),
                    seconds(running.asked_at),
                    seconds(running.expires_at),
                    seconds(next_at(running)),
                    review.team,
                    review.id,
                )
                await self._record(tx, review.team, [posted_line(running, now)])
            await tx.run(
                "insert into threads(team_id, channel, ts, home_channel, home_ts) values (?, ?, ?, ?, ?)"
                " on conflict do nothing",
                review.team,
                ref.channel,
                review.target_thread or ref.ts,
                review.thread.channel,
                review.thread.ts,
            )

    async def audit(self, team: TeamId, review: ReviewId) -> list[AuditEntry]:
        """The record of one review, oldest line first."""
        async with self._db.tx(durable=False) as tx:
            return await record.of_review(tx, team, review)

    async def last_policy(self, team: TeamId) -> str | None:
        """The digest of the policy that was loaded last, as the record has it."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select policy_hash from audit where team_id = ? and kind = 'policy_loaded' order by n desc limit 1",
                team,
            )
        return rows[0][0] if rows else None

    async def reasons(self, team: TeamId) -> list[tuple[str, str, str, int]]:
        """How often each reason was given: flow, method, code, count; the most frequent first."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select r.flow_name, r.method, r.reason_code, count(*) as times from reviews r where r.team_id = ?"
                " and r.state <> 'pending_review' and coalesce(r.reason_code, '') <> ''"
                " group by r.flow_name, r.method, r.reason_code order by times desc, 1, 2, 3",
                team,
            )
        return [(str(flow), str(method), str(code), int(times)) for flow, method, code, times in rows]

    async def halted(self, team: TeamId) -> str | None:
        """Who has paused everything, or None when nothing is paused."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run("select actor from halts where team_id = ?", team)
        return rows[0][0] if rows else None

    async def set_halted(self, team: TeamId, entry: AuditEntry, *, halted: bool) -> bool:
        """Pause or continue everything; False when it is so already."""
        async with self._db.tx() as tx:
            await self._lock(tx, team)
            sql = (
                "insert into halts(team_id, at, actor) values (?, ?, ?) on conflict do nothing returning 1"
                if halted
                else "delete from halts where team_id = ? returning 1"
            )
            args: list[Any] = [team, entry.at.timestamp(), entry.actor] if halted else [team]
            if not await tx.run(sql, *args):
                return False
            await self._record(tx, team, [entry])
        return True

    async def _flip(self, tx: Tx, step: Step) -> bool:
        change = step.change
        after, team = change.after, change.after.team
        if not await tx.run(UPDATE, *update_values(after, change.before.version)):
            return False
        await self._record(tx, team, change.entries)
        await outdate(tx, team, after.id, change.entries[-1].at)
        for entry in step.entries:
            await put(tx, entry)
        return True

    async def _lock(self, tx: Tx, team: TeamId) -> None:
        await record.lock(tx, team, self._signer)

    async def _record(self, tx: Tx, team: TeamId, entries: Sequence[AuditEntry]) -> None:
        await record.append(tx, team, entries, signer=self._signer, code_version=self._code_version)

    async def _select(self, where: str, *args: Any) -> list[Review]:
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(f"select {COLUMNS} from reviews where {where}", *args)  # noqa: S608 - constants above
        return [review_of(row) for row in rows]


async def _is_blocked(tx: Tx, team: TeamId, flow_name: str, method: str) -> bool:
    sql = "select 1 from reviews where team_id = ? and flow_name = ? and method = ? and blocked = 1 limit 1"
    return bool(await tx.run(sql, team, flow_name, method))
