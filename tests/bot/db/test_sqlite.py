from __future__ import annotations

import asyncio

import pytest

from bot.db.sqlite import SqliteDb


@pytest.mark.parametrize("turns", range(12))
async def test_a_transaction_cancelled_at_any_await_leaves_the_database_usable(tmp_path, turns: int) -> None:
    db = await SqliteDb.open(tmp_path / "t.db")

    async def write(name: str) -> None:
        async with db.tx() as tx:
            await tx.run("insert into counters(team_id, name, value) values ('T', ?, 1)", name)

    cancelled = asyncio.create_task(write("cancelled"))
    for _ in range(turns):
        await asyncio.wait([cancelled], timeout=0)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)

    await write("after")

    async with db.tx() as tx:
        assert [tuple(row) for row in await tx.run("select name from counters where name = 'after'")] == [("after",)]
    await db.close()
