"""What only a server can do to us."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from bot.db.postgres import CONNECTIONS, NotCommitted, PostgresDb

pytestmark = pytest.mark.postgres

COUNTER = "insert into counters(team_id, name, value) values ('T1', ?, 1)"


@pytest.fixture
async def db(empty_postgres: str):
    opened = await PostgresDb.open(empty_postgres)
    yield opened
    await opened.close()


async def setting(db: PostgresDb, name: str, *, durable: bool) -> str:
    async with db.tx(durable=durable) as tx:
        [(value,)] = await tx.run("select current_setting(?)", name)
    return value


async def test_a_block_that_swallows_a_refusal_is_told_that_nothing_was_kept(db) -> None:
    async def write() -> None:
        async with db.tx() as tx:
            await tx.run(COUNTER, "lost")
            with pytest.raises(psycopg.Error):
                await tx.run("select 1 from nowhere")

    with pytest.raises(NotCommitted):
        await write()

    async with db.tx() as tx:
        assert await tx.run("select name from counters") == []


async def test_connections_that_the_server_ended_are_replaced_before_anything_runs(db, empty_postgres) -> None:
    gate = asyncio.Barrier(CONNECTIONS)

    async def hold() -> None:
        async with db.tx():
            await gate.wait()

    await asyncio.gather(*(hold() for _ in range(CONNECTIONS)))
    with psycopg.connect(empty_postgres, autocommit=True) as admin:
        ended = admin.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
            " where pid <> pg_backend_pid() and backend_type = 'client backend'"
        ).fetchall()

    async with db.tx() as tx:
        await tx.run(COUNTER, "kept")

    assert ended == [(True,)] * CONNECTIONS


async def test_a_connection_lost_in_the_middle_reaches_the_caller_and_is_not_tried_again(db, empty_postgres) -> None:
    async def write() -> None:
        async with db.tx() as tx:
            await tx.run(COUNTER, "lost")
            with psycopg.connect(empty_postgres, autocommit=True) as admin:
                [(pid,)] = await tx.run("select pg_backend_pid()")
                admin.execute("select pg_terminate_backend(%s, 5000)", [pid])
            await tx.run(COUNTER, "lost too")

    with pytest.raises(psycopg.OperationalError):
        await write()

    async with db.tx() as tx:
        assert await tx.run("select name from counters") == []


async def test_only_what_may_be_worked_out_again_is_not_waited_for(db) -> None:
    assert await setting(db, "synchronous_commit", durable=False) == "off"
    assert await setting(db, "synchronous_commit", durable=True) == "on"


@pytest.mark.parametrize(("asked", "given"), [("off", "on"), ("local", "local")])
async def test_a_server_that_promises_less_than_its_log_is_asked_for_it(empty_postgres, asked, given) -> None:
    db = await PostgresDb.open(f"{empty_postgres} options='-c synchronous_commit={asked}'")

    assert await setting(db, "synchronous_commit", durable=True) == given
    await db.close()


async def test_a_frozen_process_does_not_hold_the_others_up_for_ever(db) -> None:
    assert await setting(db, "idle_in_transaction_session_timeout", durable=True) == "1min"
    assert await setting(db, "lock_timeout", durable=True) == "30s"


async def test_text_comes_back_as_it_was_whatever_the_client_of_the_machine_speaks(empty_postgres, monkeypatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    db = await PostgresDb.open(empty_postgres)

    async with db.tx() as tx:
        assert await tx.run("select ? || ''", "승인 “ok”") == [("승인 “ok”",)]
    await db.close()


async def test_a_database_that_is_closed_lets_its_last_transaction_end(db, empty_postgres) -> None:
    async with db.tx() as tx:
        await db.close()
        await tx.run(COUNTER, "kept")

    with psycopg.connect(empty_postgres) as admin:
        assert admin.execute("select name from counters").fetchall() == [("kept",)]
