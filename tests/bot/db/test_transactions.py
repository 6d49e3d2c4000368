"""What the port promises, on both databases."""

from __future__ import annotations

import asyncio

import pytest

from bot.db.migrate import migrations

COUNTER = "insert into counters(team_id, name, value) values ('T1', ?, 1)"


async def names(db) -> list[str]:
    async with db.tx() as tx:
        return [row[0] for row in await tx.run("select name from counters order by name")]


async def test_what_a_block_wrote_is_there_for_another_process(open_db) -> None:
    one, other = await open_db(), await open_db()

    async with one.tx() as tx:
        await tx.run(COUNTER, "kept")

    assert await names(other) == ["kept"]


async def test_a_block_that_raises_leaves_nothing(db) -> None:
    async def write() -> None:
        async with db.tx() as tx:
            await tx.run(COUNTER, "lost")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write()

    assert await names(db) == []


async def test_a_refused_statement_leaves_a_database_that_works(db) -> None:
    async def write() -> None:
        async with db.tx() as tx:
            await tx.run(COUNTER, "lost")
            await tx.run("select 1 from nowhere")

    with pytest.raises(Exception, match=r"no such table|does not exist"):
        await write()

    async with db.tx() as tx:
        await tx.run(COUNTER, "kept")
    assert await names(db) == ["kept"]


async def test_a_percent_sign_in_a_statement_is_itself(db) -> None:
    async with db.tx() as tx:
        assert [tuple(row) for row in await tx.run("select 1 where 'a%b' like ? and 7 % 4 = 3", "a%")] == [(1,)]


async def test_a_statement_without_rows_gives_none(db) -> None:
    async with db.tx() as tx:
        assert await tx.run(COUNTER, "a") == []


async def test_more_transactions_than_connections_wait_for_their_turn(db) -> None:
    async def write(n: int) -> None:
        async with db.tx(durable=n % 2 == 0) as tx:
            await tx.run(COUNTER, f"n{n:02}")

    await asyncio.gather(*(write(n) for n in range(30)))

    assert await names(db) == [f"n{n:02}" for n in range(30)]


async def test_two_processes_that_start_at_once_migrate_once(open_db, address) -> None:
    one, other = await asyncio.gather(open_db(), open_db())

    async with one.tx() as tx:
        versions = [row[0] for row in await tx.run("select version from schema_version order by version")]
    assert versions == [version for version, _ in migrations(address[0])]
    assert await names(other) == []


@pytest.mark.parametrize("turns", range(16))
async def test_a_transaction_cancelled_at_any_await_leaves_the_database_usable(db, turns: int) -> None:
    async def write(name: str) -> None:
        async with db.tx() as tx:
            await tx.run(COUNTER, name)

    cancelled = asyncio.create_task(write("cancelled"))
    for _ in range(turns):
        await asyncio.wait([cancelled], timeout=0)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)

    await write("after")

    assert "after" in await names(db)


async def test_a_closed_database_begins_nothing(db) -> None:
    await db.close()

    with pytest.raises(Exception, match=r"closed|no active connection"):
        async with db.tx():
            pass
