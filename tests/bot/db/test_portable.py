"""The bot's SQL on both databases: the stores run unchanged on a PostgreSQL behind the same port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from bot.db.migrate import migrate
from bot.db.sqlite import SqliteDb
from bot.effects import Effects
from bot.inbox import Entry, Inbox
from bot.reviews.content import Content
from bot.reviews.machine import By, Event, transition
from bot.reviews.model import Gate, NewReview
from bot.reviews.service import resume_entry
from bot.reviews.store import ReviewStore
from bot.sessions.store import SessionStore
from bot.types import ChannelId, Lane, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId
from flows.testing import ManualClock

T1 = TeamId("T1")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
HOME = ThreadKey(team=T1, channel=ChannelId("C1"), ts=Ts("1.0"))


class PostgresTx:
    def __init__(self, connection: psycopg.AsyncConnection) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Any]:
        cursor = await self._connection.execute(sql.replace("%", "%%").replace("?", "%s"), args)
        return list(await cursor.fetchall()) if cursor.description else []


class PostgresDb:
    """The port on psycopg, as far as these tests need it."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    @asynccontextmanager
    async def tx(self, *, durable: bool = True) -> AsyncIterator[PostgresTx]:
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            yield PostgresTx(connection)

    async def close(self) -> None:
        """Nothing is kept open."""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def db(request, tmp_path):
    if request.param == "sqlite":
        opened = await SqliteDb.open(tmp_path / "t.db")
        yield opened
        await opened.close()
        return
    made = PostgresDb(request.getfixturevalue("postgres_dsn"))
    async with made.tx() as tx:
        await tx.run("drop schema public cascade")
        await tx.run("create schema public")
        await migrate(tx, "postgres")
    yield made


def new_review(name: str = "rv1") -> NewReview:
    return NewReview(
        id=ReviewId(name),
        run=RunId("run1"),
        thread=HOME,
        requester=Person(team=T1, user=UserId("UANA"), name="Ana"),
        gate=Gate(flow_name="f", method="m", question="Publish?", emit=("approved", "rejected")),
        content=Content(kind="text", text="100 % “done”?"),
        language="en",
        target_channel=HOME.channel,
        target_thread=HOME.ts,
        payload_hash="h",
    )


async def test_opening_a_review_twice_opens_it_once(db) -> None:
    store = ReviewStore(db)

    first, again = await store.open(new_review(), NOW), await store.open(new_review(), NOW)

    assert first == again
    assert (first.n, first.round) == (1, 1)
    assert [entry.kind for entry in await store.audit(T1, first.id)] == ["opened"]


async def test_a_second_request_of_the_same_step_is_the_next_round(db) -> None:
    store = ReviewStore(db)
    await store.open(new_review("rv1"), NOW)

    second = await store.open(new_review("rv2"), NOW)

    assert (second.n, second.round) == (2, 2)


async def test_a_flip_its_record_and_its_work_are_one_transaction(db) -> None:
    store, inbox = ReviewStore(db), Inbox(db, T1)
    review = await store.open(new_review(), NOW)
    change = transition(review, Event.APPROVE, By(outcome="approved"), NOW)
    assert change is not None

    flipped = [await store.commit(change, resume_entry(change.after, NOW)) for _ in range(2)]

    assert flipped == [True, False]
    assert await store.get(T1, review.id) == change.after
    assert [entry.kind for entry in await store.audit(T1, review.id)] == ["opened", "decided"]
    assert await inbox.open_lanes(1.0) == [review.thread.lane]


async def test_a_posted_card_is_outdated_once_its_review_has_changed(db) -> None:
    store = ReviewStore(db)
    review = await store.open(new_review(), NOW)
    await store.posted(review, MessageRef(channel=HOME.channel, ts=Ts("2.0")), NOW)
    assert await store.outdated(T1, LATER) == []

    change = transition(review, Event.REJECT, By(outcome="rejected"), NOW)
    assert change is not None
    await store.commit(change)
    assert await store.outdated(T1, LATER) == [review.id]

    await store.shown(T1, MessageRef(channel=HOME.channel, ts=Ts("2.0")), change.after.version)
    assert await store.outdated(T1, LATER) == []


async def test_a_card_in_another_channel_makes_its_thread_ours(db) -> None:
    store, sessions = ReviewStore(db), SessionStore(db)
    review = await store.open(
        NewReview(
            **{
                **{f: getattr(new_review(), f) for f in NewReview.__slots__},
                "target_channel": ChannelId("C2"),
                "target_thread": None,
            }
        ),
        NOW,
    )
    await store.posted(review, MessageRef(channel=ChannelId("C2"), ts=Ts("7.0")), NOW)

    spot = ThreadKey(team=T1, channel=ChannelId("C2"), ts=Ts("7.0"))
    assert await sessions.home(spot) == HOME
    assert [r.id for r in await store.pending_in(HOME, spot, Ts("7.1"))] == [review.id]
    assert await store.pending_in(HOME, spot, Ts("6.9")) == []
    assert await store.pending_in(HOME, HOME, Ts("7.1")) == []


async def test_a_run_is_added_once_and_keeps_its_state(db) -> None:
    sessions = SessionStore(db)
    values = {"run": RunId("run1"), "thread": HOME, "flow_name": "f", "requester": UserId("UANA"), "inputs": {"a": "1"}}
    for _ in range(2):
        async with db.tx() as tx:
            await sessions.add(tx, **values, root_is_ours=True, now=NOW)

    [run] = await sessions.in_thread(HOME)
    assert (run.n, run.inputs, run.state) == (1, {"a": "1"}, "running")
    assert await sessions.by_number(T1, 1) == await sessions.get(T1, run.id)


async def test_the_inbox_works_in_order_and_remembers_what_failed(db) -> None:
    inbox = Inbox(db, T1)
    for key, at in (("b", 2.0), ("a", 1.0)):
        await inbox.receive(Entry(team=T1, key=key, lane=Lane("L"), kind="message", payload={}, at=at))

    taken = await inbox.take(Lane("L"), 0.0)
    assert taken is not None
    await inbox.give_up(taken, 1.0, "ref")

    after = await inbox.take(Lane("L"), 0.0)
    assert (taken.entry.key, after and after.entry.key) == ("a", "b")
    assert await inbox.reopen() == 1


async def test_an_effect_happens_once(db) -> None:
    calls: list[str] = []

    async def call(identity: str) -> str:
        calls.append(identity)
        return "done"

    async def find(identity: str, since: float) -> str | None:
        return None

    effects = Effects(db, ManualClock())

    assert [await effects.once(T1, "k", call=call, find=find) for _ in range(2)] == ["done", "done"]
    assert len(calls) == 1


async def test_the_record_of_an_embedded_database_cannot_be_changed_or_deleted(tmp_path) -> None:
    db = await SqliteDb.open(tmp_path / "t.db")
    await ReviewStore(db).open(new_review(), NOW)

    for statement in ("update audit set actor = 'x'", "delete from audit"):
        with pytest.raises(Exception, match="audit rows are never"):
            async with db.tx() as tx:
                await tx.run(statement)
    await db.close()
