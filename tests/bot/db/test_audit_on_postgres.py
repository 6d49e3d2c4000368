"""The record on PostgreSQL: the same rows and seals, and a server that only adds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from bot.db.migrate import migrate, migrations
from bot.reviews import record
from bot.reviews.audit_check import verify
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

pytestmark = pytest.mark.postgres

T1 = TeamId("T1")
SIGNER = Signer(b"k" * 32)
ENTRY = AuditEntry(
    review=ReviewId("rv1"),
    version=1,
    kind="opened",
    actor="T1/UANA",
    actor_name="Ana",
    from_state=None,
    to_state=ReviewState.PENDING,
    text="100 % “done”?",
    detail={"level": 1},
    payload_hash="p1",
    at=datetime(2026, 11, 30, 12, 0, 0, 123457, tzinfo=UTC),
)
LOADED = AuditEntry(
    review=None,
    version=None,
    kind="policy_loaded",
    actor="system",
    actor_name="",
    from_state=None,
    to_state=None,
    payload_hash="",
    at=ENTRY.at,
)


class PostgresTx:
    """The port on psycopg, as far as these tests need it."""

    def __init__(self, connection: psycopg.AsyncConnection) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Any]:
        cursor = await self._connection.execute(sql.replace("%", "%%").replace("?", "%s"), args)
        return list(await cursor.fetchall()) if cursor.description else []


@pytest.fixture
async def connect(postgres_dsn: str):
    @asynccontextmanager
    async def connected() -> AsyncIterator[PostgresTx]:
        async with await psycopg.AsyncConnection.connect(postgres_dsn) as connection:
            yield PostgresTx(connection)

    async with connected() as tx:
        await tx.run("drop schema public cascade")
        await tx.run("create schema public")
    return connected


@pytest.fixture
async def migrated(connect):
    async with connect() as tx:
        await migrate(tx, "postgres")
    return connect


async def append(connect, *entries: AuditEntry) -> None:
    async with connect() as tx:
        await record.append(tx, T1, entries, signer=SIGNER, code_version="1.0")


async def is_whole(connect) -> bool:
    async with connect() as tx:
        return verify(await record.rows(tx, T1, 0, 100), await record.head(tx, T1), SIGNER.public_key) is None


async def test_what_was_recorded_is_read_back_and_verifies(migrated) -> None:
    await append(migrated, ENTRY, LOADED)
    await append(migrated, LOADED)

    async with migrated() as tx:
        assert await record.of_review(tx, T1, ReviewId("rv1")) == [ENTRY]
        assert [row.n for row in await record.rows(tx, T1, 1, 5)] == [2, 3]
        assert await record.teams(tx) == [T1]
    assert await is_whole(migrated)


async def test_two_writers_at_once_make_one_chain(migrated) -> None:
    async with migrated() as first:
        await record.append(first, T1, [ENTRY], signer=SIGNER, code_version="1.0")
        async with migrated() as second:
            await second.run("set lock_timeout = '50ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                await record.append(second, T1, [LOADED], signer=SIGNER, code_version="1.0")
    await append(migrated, LOADED)

    async with migrated() as tx:
        assert [row.kind for row in await record.rows(tx, T1, 0, 5)] == ["opened", "policy_loaded"]
    assert await is_whole(migrated)


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("update audit set actor = 'x'", "never changed"),
        ("delete from audit", "never deleted"),
        ("truncate audit", "never deleted"),
        ("insert into audit select * from audit where n = 1", "only added at the end"),
        ("update audit_texts set text = 'x'", "never changed"),
        ("delete from audit_heads", "never deleted"),
        ("truncate audit_heads", "never deleted"),
        ("update audit_heads set n = 1", "never goes back"),
    ],
)
async def test_the_database_itself_only_adds(migrated, statement: str, refusal: str) -> None:
    await append(migrated, ENTRY, LOADED)

    with pytest.raises(psycopg.Error, match=refusal):
        async with migrated() as tx:
            await tx.run(statement)

    assert await is_whole(migrated)


async def test_words_can_be_removed_and_the_record_still_verifies(migrated) -> None:
    await append(migrated, ENTRY, LOADED)

    async with migrated() as tx:
        await tx.run("delete from audit_texts where n = 1")

    assert await is_whole(migrated)


async def test_rows_of_before_the_chain_stay_readable_and_numbers_go_on(connect) -> None:
    async with connect() as tx:
        for statement in dict(migrations("postgres"))[1].split(";\n"):
            await tx.run(statement)
        await tx.run("create table schema_version(version integer primary key)")
        await tx.run("insert into schema_version values (1)")
        await tx.run("insert into counters values ('T1', 'audit', 1)")
        await tx.run(
            "insert into audit values ('T1', 1, 'rv0', 1, 'decided', 'T1/UBRUNO', 'Bruno', '', 'rejected', 'rejected',"
            " 'words', 'No.', 'p', ?)",
            ENTRY.at.timestamp(),
        )
        await migrate(tx, "postgres")
    await append(connect, ENTRY)

    async with connect() as tx:
        [old] = await record.of_review(tx, T1, ReviewId("rv0"))
        head = await record.head(tx, T1)

    assert (old.text, old.actor_name, old.from_state, old.at) == ("No.", "Bruno", None, ENTRY.at)
    assert head is not None
    assert (head.first, head.n) == (2, 2)
    assert await is_whole(connect)
