"""The record on both databases: the same rows and seals, and a database that only adds."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from bot.db.migrate import migrate, migrations
from bot.reviews import record
from bot.reviews.audit_check import verify
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

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
ONLY_ADDS = [
    ("update audit set actor = 'x'", "never changed"),
    ("delete from audit", "never deleted"),
    ("insert into audit select * from audit where n = 1", "only added at the end"),
    ("update audit_texts set text = 'x'", "never changed"),
    ("delete from audit_heads", "never deleted"),
    ("update audit_heads set n = 1", "never goes back"),
]


async def append(db, *entries: AuditEntry) -> None:
    async with db.tx() as tx:
        await record.append(tx, T1, entries, signer=SIGNER, code_version="1.0")


async def is_whole(db) -> bool:
    async with db.tx() as tx:
        return verify(await record.rows(tx, T1, 0, 100), await record.head(tx, T1), SIGNER.public_key) is None


async def test_what_was_recorded_is_read_back_and_verifies(db) -> None:
    await append(db, ENTRY, LOADED)
    await append(db, LOADED)

    async with db.tx() as tx:
        assert await record.of_review(tx, T1, ReviewId("rv1")) == [ENTRY]
        assert [row.n for row in await record.rows(tx, T1, 1, 5)] == [2, 3]
        assert await record.teams(tx) == [T1]
    assert await is_whole(db)


async def test_many_writers_at_once_make_one_chain(open_db) -> None:
    one, other = await open_db(), await open_db()

    await asyncio.gather(*(append(db, LOADED, LOADED) for db in (one, other) * 10))

    async with one.tx() as tx:
        assert [row.n for row in await record.rows(tx, T1, 0, 100)] == list(range(1, 41))
    assert await is_whole(other)


async def test_whoever_holds_the_lock_is_the_only_one_to_add(open_db) -> None:
    one, other = await open_db(), await open_db()

    async with one.tx() as tx:
        await record.lock(tx, T1, SIGNER)
        waiting = asyncio.create_task(append(other, LOADED))
        await asyncio.wait([waiting], timeout=0.1)
        await record.append(tx, T1, [ENTRY], signer=SIGNER, code_version="1.0")
    await waiting

    async with one.tx() as tx:
        assert [row.kind for row in await record.rows(tx, T1, 0, 5)] == ["opened", "policy_loaded"]
    assert await is_whole(one)


async def test_a_lock_alone_leaves_no_record(db) -> None:
    async with db.tx() as tx:
        await record.lock(tx, T1, SIGNER)

    async with db.tx() as tx:
        assert await record.head(tx, T1) is None
    await append(db, ENTRY)
    assert await is_whole(db)


@pytest.mark.parametrize(("statement", "refusal"), ONLY_ADDS)
async def test_the_database_itself_only_adds(db, statement: str, refusal: str) -> None:
    await append(db, ENTRY, LOADED)

    with pytest.raises(Exception, match=refusal):
        async with db.tx() as tx:
            await tx.run(statement)

    assert await is_whole(db)


@pytest.mark.postgres
@pytest.mark.parametrize("address", ["postgres"], indirect=True)
@pytest.mark.parametrize("table", ["audit", "audit_heads"])
async def test_a_server_does_not_empty_the_record_at_once_either(db, table: str) -> None:
    await append(db, ENTRY, LOADED)

    with pytest.raises(Exception, match="never deleted"):
        async with db.tx() as tx:
            await tx.run(f"truncate {table}")

    assert await is_whole(db)


async def test_words_can_be_removed_and_the_record_still_verifies(db) -> None:
    await append(db, ENTRY, LOADED)

    async with db.tx() as tx:
        await tx.run("delete from audit_texts where n = 1")

    assert await is_whole(db)


@pytest.mark.postgres
@pytest.mark.parametrize("address", ["postgres"], indirect=True)
async def test_rows_of_before_the_chain_stay_readable_and_numbers_go_on(db) -> None:
    async with db.tx() as tx:
        await tx.run("drop schema public cascade")
        await tx.run("create schema public")
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
    await append(db, ENTRY)

    async with db.tx() as tx:
        [old] = await record.of_review(tx, T1, ReviewId("rv0"))
        head = await record.head(tx, T1)

    assert (old.text, old.actor_name, old.from_state, old.at) == ("No.", "Bruno", None, ENTRY.at)
    assert head is not None
    assert (head.first, head.n) == (2, 2)
    assert await is_whole(db)
