"""What a tick asks is answered from an index that holds what is due, however much waits and is on record."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.reviews.gate_policy import Limit
from bot.types import Person, TeamId, UserId

T1 = TeamId("T1")
LIMIT = Limit(field="amount", up_to=Decimal(9), sum_up_to=Decimal(9), window=timedelta(days=1))


class AskedDb:
    """A database that remembers what it was asked."""

    def __init__(self, db) -> None:
        self._db = db
        self.asked: list[tuple[str, tuple]] = []

    @asynccontextmanager
    async def tx(self, *, durable: bool = True):
        async with self._db.tx(durable=durable) as tx:
            self._tx = tx
            yield self

    async def run(self, sql: str, *args):
        self.asked.append((sql, args))
        return await self._tx.run(sql, *args)

    def only(self, words: str) -> tuple[str, tuple]:
        [found] = {(sql, args) for sql, args in self.asked if words in sql}
        return found


@pytest.fixture
def asked_db(db) -> AskedDb:
    return AskedDb(db)


@pytest.fixture
def asked(asked_db, make_service):
    """The service on that database."""
    return make_service(asked_db)


async def plan(db, kind: str, statement: tuple[str, tuple]) -> str:
    sql, args = statement
    async with db.tx() as tx:
        if kind == "sqlite":
            return "\n".join(row[3] for row in await tx.run(f"explain query plan {sql}", *args))
        # So few rows are read faster as they stand; many are not.
        await tx.run("set local enable_seqscan = off")
        return "\n".join(row[0] for row in await tx.run(f"explain {sql}", *args))


async def test_what_is_due_is_found_in_its_index_and_in_its_order(db, asked_db, asked, address, clock) -> None:
    await asked.tick(T1, clock.now())

    found = await plan(db, address[0], asked_db.only("next_at <= "))

    assert "reviews_due" in found
    assert "TEMP B-TREE" not in found
    assert "Seq Scan" not in found


async def test_what_is_due_in_a_channel_is_counted_from_the_same_index(db, asked_db, asked, address, clock) -> None:
    await asked.store.due_in_channels(T1, clock.now())

    found = await plan(db, address[0], asked_db.only("group by target_channel"))

    assert "reviews_due" in found
    assert "Seq Scan" not in found


async def test_what_passed_unseen_is_found_by_kind_and_moment(db, asked_db, asked, address, make_new) -> None:
    await asked.open(make_new(policy={"autonomy": "auto", "limit": LIMIT, "limit_reason": "Small."}, amount=Decimal(1)))

    found = await plan(db, address[0], asked_db.only("a.kind = 'auto_approved'"))

    assert "audit_passed" in found
    assert "Seq Scan" not in found


async def test_what_the_clock_moved_at_one_moment_is_found_by_it(db, asked_db, asked, address, clock) -> None:
    await asked.store.changed_at(T1, "C1", clock.now())

    found = await plan(db, address[0], asked_db.only("at_us = "))

    assert "audit_moment" in found


async def test_a_shut_gate_is_found_in_its_index(db, asked_db, asked, address) -> None:
    await asked.store.is_blocked(T1, "f", "m")

    assert "reviews_blocked" in await plan(db, address[0], asked_db.only("blocked = 1"))


async def test_cards_to_be_drawn_again_are_found_in_their_index(db, asked_db, asked, address, clock) -> None:
    await asked.cards.outdated(T1, clock.now())

    assert "cards_outdated" in await plan(db, address[0], asked_db.only("redraw_at <= "))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("address", ["postgres"], indirect=True)
async def test_a_server_chooses_the_index_by_itself_once_many_wait(db, asked_db, asked, opened, clock) -> None:
    review = await opened(requester=Person(team=T1, user=UserId("UANA"), name="Ana"))
    async with db.tx() as tx:
        columns = [row[0] for row in await tx.run(COLUMNS_OF_REVIEWS)]
        copied = ", ".join({"id": "'copy' || i", "n": "i + 1"}.get(name, name) for name in columns)
        await tx.run(
            f"insert into reviews({', '.join(columns)}) select {copied} from reviews, generate_series(1, 20000) i"
            " where id = ?",
            review.id,
        )
        await tx.run("analyze reviews")
    await asked.tick(T1, clock.now())
    await asked.store.due_in_channels(T1, clock.now())

    async with db.tx() as tx:
        plans = [
            "\n".join(row[0] for row in await tx.run(f"explain {sql}", *args))
            for sql, args in (asked_db.only("order by next_at"), asked_db.only("group by target_channel"))
        ]

    assert ["reviews_due" in each for each in plans] == [True, True]


COLUMNS_OF_REVIEWS = (
    "select column_name from information_schema.columns where table_name = 'reviews' and table_schema = 'public'"
    " order by ordinal_position"
)
