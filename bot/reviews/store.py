"""The tables of reviews, their cards and their record. Nobody else writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.db import Db, Row, Tx
from bot.inbox import Entry, put
from bot.reviews import content
from bot.reviews.model import AuditEntry, Card, Gate, NewReview, Review, ReviewState, Transition
from bot.types import ChannelId, MessageRef, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId

_COLUMNS = (
    "team_id, id, n, run_id, flow_name, method, round, channel, thread_ts, requester, requester_name, question,"
    " content, emit, default_outcome, metadata, language, target_channel, target_thread_ts, payload_hash, state,"
    " version, content_version, outcome, decided_by, decided_by_name, decided_at, source, note, result, opened_at,"
    " posted_at, started_at"
)


_GRACE_S = 1.0
"""How long whoever changed a review has to redraw its messages before the ticker does it."""


async def next_number(tx: Tx, team: TeamId, name: str) -> int:
    """The next number of this workspace's counter, in the caller's transaction."""
    await tx.run("insert into counters(team_id, name, value) values (?, ?, 0) on conflict do nothing", team, name)
    [(value,)] = await tx.run(
        "update counters set value = value + 1 where team_id = ? and name = ? returning value", team, name
    )
    return int(value)


class ReviewStore:
    """Reading and writing reviews. Every query names its workspace."""

    def __init__(self, db: Db) -> None:
        self._db = db

    async def open(self, new: NewReview, now: datetime) -> Review:
        """The review with this id, made when there is none yet. Opening twice opens once."""
        team = new.thread.team
        async with self._db.tx() as tx:
            known = await tx.run(f"select {_COLUMNS} from reviews where team_id = ? and id = ?", team, new.id)  # noqa: S608 - constant
            if known:
                return _review(known[0])
            [(rounds,)] = await tx.run(
                "select count(*) from reviews where team_id = ? and run_id = ? and method = ?",
                team,
                new.run,
                new.gate.method,
            )
            review = Review(
                id=new.id,
                n=await next_number(tx, team, "review"),
                run=new.run,
                thread=new.thread,
                requester=new.requester.user,
                requester_name=new.requester.name,
                gate=new.gate,
                content=new.content,
                round=int(rounds) + 1,
                language=new.language,
                target_channel=new.target_channel,
                target_thread=new.target_thread,
                payload_hash=new.payload_hash,
                state=ReviewState.PENDING,
                version=1,
                content_version=1,
                opened_at=now,
            )
            await _insert(tx, review)
            await _record(tx, team, [_opened(review)])
        return review

    async def commit(self, change: Transition, entry: Entry | None = None) -> bool:
        """True when this call flipped the review: the flip, its record and the follow-up work in one transaction."""
        after, team = change.after, change.after.team
        async with self._db.tx() as tx:
            flipped = await tx.run(
                "update reviews set state = ?, version = ?, outcome = ?, decided_by = ?, decided_by_name = ?,"
                " decided_at = ?, source = ?, note = ?, result = ?, started_at = ?"
                " where team_id = ? and id = ? and version = ? returning 1",
                after.state,
                after.version,
                after.outcome,
                after.decided_by,
                after.decided_by_name,
                _seconds(after.decided_at),
                after.source,
                after.note,
                after.result,
                _seconds(after.started_at),
                team,
                after.id,
                change.before.version,
            )
            if not flipped:
                return False
            await _record(tx, team, change.entries)
            # Every message that shows the review is out of date from here on, until it is confirmed to be changed.
            await tx.run(
                "update cards set redraw_at = ? where team_id = ? and review_id = ?",
                change.entries[-1].at.timestamp() + _GRACE_S,
                team,
                after.id,
            )
            if entry is not None:
                await put(tx, entry)
        return True

    async def record(self, team: TeamId, entry: AuditEntry) -> None:
        """Keep an attempt that changed nothing."""
        async with self._db.tx() as tx:
            await _record(tx, team, [entry])

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
            card = next((c for c in await self.cards(review.team, review.id) if c.kind == "card"), None)
            if card is None or float(at) <= float(card.ref.ts):
                continue
            if (spot.channel, spot.ts) == (card.ref.channel, review.target_thread or card.ref.ts):
                meant.append(review)
        return meant

    async def posted(self, review: Review, ref: MessageRef, now: datetime) -> None:
        """The card is up: the review's clock may run, and its replies are listened to."""
        async with self._db.tx() as tx:
            await self._add_card(
                tx,
                review.team,
                Card(
                    review=review.id,
                    ref=ref,
                    kind="card",
                    thread_ts=review.target_thread,
                    shown_version=review.version,
                ),
            )
            await tx.run(
                "update reviews set posted_at = ? where team_id = ? and id = ? and posted_at is null",
                now.timestamp(),
                review.team,
                review.id,
            )
            root = review.target_thread or ref.ts
            await tx.run(
                "insert into threads(team_id, channel, ts, home_channel, home_ts) values (?, ?, ?, ?, ?)"
                " on conflict do nothing",
                review.team,
                ref.channel,
                root,
                review.thread.channel,
                review.thread.ts,
            )

    async def add_card(self, team: TeamId, card: Card) -> None:
        """Remember one more message that shows a review."""
        async with self._db.tx(durable=False) as tx:
            await self._add_card(tx, team, card)

    async def cards(self, team: TeamId, review: ReviewId) -> list[Card]:
        """Every message that shows this review."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select review_id, channel, ts, kind, thread_ts, user_id, note, shown_version from cards"
                " where team_id = ? and review_id = ? order by ts",
                team,
                review,
            )
        return [_card(row) for row in rows]

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

    async def audit(self, team: TeamId, review: ReviewId) -> list[AuditEntry]:
        """The record of one review, oldest line first."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select review_id, version, kind, actor, actor_name, from_state, to_state, outcome, source, reason,"
                " payload_hash, at from audit where team_id = ? and review_id = ? order by n",
                team,
                review,
            )
        return [_entry(row) for row in rows]

    async def _select(self, where: str, *args: Any) -> list[Review]:
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(f"select {_COLUMNS} from reviews where {where}", *args)  # noqa: S608 - constants above
        return [_review(row) for row in rows]

    @staticmethod
    async def _add_card(tx: Tx, team: TeamId, card: Card) -> None:
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


async def _insert(tx: Tx, review: Review) -> None:
    gate = review.gate
    await tx.run(
        f"insert into reviews({_COLUMNS}) values ({', '.join('?' * 33)})",  # noqa: S608 - constants
        review.team,
        review.id,
        review.n,
        review.run,
        gate.flow_name,
        gate.method,
        review.round,
        review.thread.channel,
        review.thread.ts,
        review.requester,
        review.requester_name,
        gate.question,
        content.to_json(review.content),
        json.dumps(gate.emit),
        gate.default_outcome,
        json.dumps(gate.metadata, default=str),
        review.language,
        review.target_channel,
        review.target_thread,
        review.payload_hash,
        review.state,
        review.version,
        review.content_version,
        review.outcome,
        review.decided_by,
        review.decided_by_name,
        _seconds(review.decided_at),
        review.source,
        review.note,
        review.result,
        _seconds(review.opened_at),
        _seconds(review.posted_at),
        _seconds(review.started_at),
    )


async def _record(tx: Tx, team: TeamId, entries: Sequence[AuditEntry]) -> None:
    for entry in entries:
        await tx.run(
            "insert into audit(team_id, n, review_id, version, kind, actor, actor_name, from_state, to_state, outcome,"
            " source, reason, payload_hash, at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            team,
            await next_number(tx, team, "audit"),
            entry.review,
            entry.version,
            entry.kind,
            entry.actor,
            entry.actor_name,
            entry.from_state or "",
            entry.to_state,
            entry.outcome,
            entry.source,
            entry.reason,
            entry.payload_hash,
            entry.at.timestamp(),
        )


def _opened(review: Review) -> AuditEntry:
    return AuditEntry(
        review=review.id,
        version=review.version,
        kind="opened",
        actor=f"{review.team}/{review.requester}",
        actor_name=review.requester_name,
        from_state=None,
        to_state=review.state,
        payload_hash=review.payload_hash,
        at=review.opened_at,
    )


def _review(row: Row) -> Review:
    values = dict(zip(_COLUMNS.replace(" ", "").split(","), row, strict=True))
    gate = Gate(
        flow_name=values["flow_name"],
        method=values["method"],
        question=values["question"],
        emit=tuple(json.loads(values["emit"])),
        default_outcome=values["default_outcome"],
        metadata=json.loads(values["metadata"]),
    )
    return Review(
        id=ReviewId(values["id"]),
        n=int(values["n"]),
        run=RunId(values["run_id"]),
        thread=ThreadKey(
            team=TeamId(values["team_id"]), channel=ChannelId(values["channel"]), ts=Ts(values["thread_ts"])
        ),
        requester=UserId(values["requester"]),
        requester_name=values["requester_name"],
        gate=gate,
        content=content.from_json(values["content"]),
        round=int(values["round"]),
        language=values["language"],
        target_channel=ChannelId(values["target_channel"]),
        target_thread=values["target_thread_ts"],
        payload_hash=values["payload_hash"],
        state=ReviewState(values["state"]),
        version=int(values["version"]),
        content_version=int(values["content_version"]),
        outcome=values["outcome"],
        decided_by=values["decided_by"],
        decided_by_name=values["decided_by_name"],
        decided_at=_moment(values["decided_at"]),
        source=values["source"],
        note=values["note"] or "",
        result=values["result"],
        opened_at=datetime.fromtimestamp(values["opened_at"], UTC),
        posted_at=_moment(values["posted_at"]),
        started_at=_moment(values["started_at"]),
    )


def _card(row: Row) -> Card:
    review, channel, ts, kind, thread_ts, user, note, shown = row
    return Card(
        review=ReviewId(review),
        ref=MessageRef(channel=ChannelId(channel), ts=Ts(ts)),
        kind=kind,
        thread_ts=thread_ts,
        user=user,
        note=note or "",
        shown_version=int(shown),
    )


def _entry(row: Row) -> AuditEntry:
    review, version, kind, actor, name, before, after, outcome, source, reason, digest, at = row
    return AuditEntry(
        review=ReviewId(review),
        version=version,
        kind=kind,
        actor=actor,
        actor_name=name,
        from_state=ReviewState(before) if before else None,
        to_state=ReviewState(after),
        outcome=outcome,
        source=source,
        reason=reason or "",
        payload_hash=digest,
        at=datetime.fromtimestamp(at, UTC),
    )


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
