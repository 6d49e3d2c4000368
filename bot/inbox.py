"""What came in and what is still to be done: one row each, written before anybody is told "received"."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.db import Db, Tx
from bot.types import Lane, TeamId

Kind = Literal["message", "start", "run", "resume", "card", "told", "digest", "page"]


# While everything is paused nothing of a flow starts or goes on; what people say and press is taken in all the same.
_UNLESS_HALTED = (
    " and (kind not in ('start', 'run', 'resume') or not exists (select 1 from halts where halts.team_id = ?))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One piece of work."""

    team: TeamId
    key: str
    """What makes it one piece of work: a second row with this key is the same delivery again."""
    lane: Lane
    kind: Kind
    payload: Mapping[str, Any]
    at: float
    """Its place in the lane, seconds since 1970: a person's message carries its own timestamp."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An entry that a lane works on now."""

    entry: Entry
    attempt: int
    """1 for the first try. It fences: only the newest taker may finish the row."""


async def put(tx: Tx, entry: Entry, *, seq: int | None = None) -> bool:
    """Write the entry in the caller's transaction. False: it was there already.

    seq orders entries of one lane and moment: without it, the order in which they are written.
    """
    rows = await tx.run(
        "insert into inbox(team_id, key, lane, kind, payload, ts, seq) values (?, ?, ?, ?, ?, ?, ?)"
        " on conflict do nothing returning 1",
        entry.team,
        entry.key,
        entry.lane,
        entry.kind,
        json.dumps(entry.payload),
        entry.at,
        time.time_ns() if seq is None else seq,
    )
    return bool(rows)


class Inbox:
    """The inbox of one workspace. What another one left in the same database stays where it is.

    `receive` commits in groups: everybody who arrives while a commit is under way shares the next one, so that a burst
    of deliveries waits for a few fsyncs and not for one each.
    """

    def __init__(self, db: Db, team: TeamId) -> None:
        self._db, self._team = db, team
        self._waiting: list[tuple[Entry, asyncio.Future[bool]]] = []
        self._flusher: asyncio.Task[None] | None = None

    async def receive(self, entry: Entry) -> bool:
        """True once the entry is committed; False when it was there already, so a redelivery."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, done))
        if self._flusher is None:
            self._flusher = asyncio.create_task(self._flush())
        return await done

    async def open_lanes(self, now: float) -> list[Lane]:
        """The lanes that have work which may be tried now."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select distinct lane from inbox"  # noqa: S608 - constant
                f" where team_id = ? and done_at is null and failed_at is null and next_try_at <= ?{_UNLESS_HALTED}",
                self._team,
                now,
                self._team,
            )
        return [Lane(row[0]) for row in rows]

    async def take(self, lane: Lane, now: float) -> Taken | None:
        """The lane's next entry, or None when there is none or it must wait for its next try."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select team_id, key, kind, payload, ts, next_try_at from inbox"  # noqa: S608 - constant
                f" where team_id = ? and lane = ? and done_at is null and failed_at is null{_UNLESS_HALTED}"
                " order by ts, seq limit 1",
                self._team,
                lane,
                self._team,
            )
            if not rows or rows[0][5] > now:
                return None
            team, key, kind, payload, ts, _ = rows[0]
            [(attempt,)] = await tx.run(
                "update inbox set attempt = attempt + 1 where team_id = ? and key = ? returning attempt", team, key
            )
        entry = Entry(team=team, key=key, lane=lane, kind=kind, payload=json.loads(payload), at=ts)
        return Taken(entry=entry, attempt=attempt)

    async def finish(self, taken: Taken, now: float) -> None:
        """The entry is done."""
        await self._close(taken, "done_at = ?", now)

    async def retry_at(self, taken: Taken, moment: float, why: str) -> None:
        """The entry stays open and keeps its lane; it is tried again from `moment` on."""
        await self._close(taken, "next_try_at = ?, failure = ?", moment, why)

    async def give_up(self, taken: Taken, now: float, why: str) -> None:
        """The entry will not be tried again; the row stays, with the reference code of what went wrong."""
        await self._close(taken, "failed_at = ?, failure = ?", now, why)

    async def again(self, entry: Entry) -> None:
        """The entry is to be done, also when it was done before."""
        async with self._db.tx() as tx:
            if not await put(tx, entry):
                await tx.run(
                    "update inbox set done_at = null, failed_at = null, attempt = 0, next_try_at = 0"
                    " where team_id = ? and key = ?",
                    entry.team,
                    entry.key,
                )

    async def reopen(self) -> int:
        """How many given-up entries may be tried again: a restart is an operator's "try again"."""
        async with self._db.tx() as tx:
            rows = await tx.run(
                "update inbox set failed_at = null, attempt = 0, next_try_at = 0"
                " where team_id = ? and failed_at is not null returning 1",
                self._team,
            )
        return len(rows)

    async def close(self) -> None:
        """Wait for what is being committed."""
        if self._flusher is not None:
            await self._flusher

    async def _close(self, taken: Taken, change: str, *args: Any) -> None:
        entry = taken.entry
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                f"update inbox set {change} where team_id = ? and key = ? and attempt = ? and done_at is null",  # noqa: S608 - `change` is one of the three constants above
                *args,
                entry.team,
                entry.key,
                taken.attempt,
            )

    async def _flush(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._commit(batch)
        finally:
            self._flusher = None

    async def _commit(self, batch: list[tuple[Entry, asyncio.Future[bool]]]) -> None:
        first = time.time_ns()
        arrived = [(entry, done, first + place) for place, (entry, done) in enumerate(batch)]
        # By key in every process: two that are sent the same deliveries must not wait for each other in a circle.
        arrived.sort(key=lambda each: each[0].key)
        try:
            async with self._db.tx() as tx:
                fresh = [await put(tx, entry, seq=seq) for entry, _, seq in arrived]
        except BaseException as error:
            for _, done in batch:
                _settle(done, error)
            if not isinstance(error, Exception):
                raise
            return
        for (_, done, _), is_new in zip(arrived, fresh, strict=True):
            _settle(done, is_new)


def _settle(done: asyncio.Future[bool], outcome: bool | BaseException) -> None:
    # The waiter may have been cancelled meanwhile; its row is committed all the same.
    with contextlib.suppress(asyncio.InvalidStateError):
        if isinstance(outcome, BaseException):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)
