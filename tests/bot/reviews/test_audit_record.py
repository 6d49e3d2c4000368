"""The record in a database: numbered, sealed, signed and read back, in the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.db.sqlite import SqliteDb
from bot.reviews import record
from bot.reviews.audit_check import Finding, verify
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

T1, T2 = TeamId("T1"), TeamId("T2")
SIGNER, NEXT = Signer(b"k" * 32), Signer(b"n" * 32)
NOON = datetime(2026, 11, 30, 12, 0, 0, 123457, tzinfo=UTC)
OPENED = AuditEntry(
    review=ReviewId("rv1"),
    version=1,
    kind="opened",
    actor="T1/UANA",
    actor_name="Ana",
    from_state=None,
    to_state=ReviewState.PENDING,
    payload_hash="p1",
    at=NOON,
)
DECIDED = AuditEntry(
    review=ReviewId("rv1"),
    version=2,
    kind="decided",
    actor="T1/UBRUNO",
    actor_name="Bruno",
    from_state=ReviewState.PENDING,
    to_state=ReviewState.REJECTED,
    outcome="rejected",
    source="modal",
    reason_code="wrong_amount",
    text="“Twice” the price; 100 %?",
    detail={"asked": ["UBRUNO"], "level": 1, "nested": {"b": 1.5, "a": None}},
    payload_hash="p1",
    policy_hash="y1",
    at=NOON + timedelta(microseconds=1),
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
    policy_hash="y2",
    at=NOON,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.db"


@pytest.fixture
async def db(path: Path) -> AsyncIterator[SqliteDb]:
    opened = await SqliteDb.open(path)
    yield opened
    await opened.close()


async def append(db: SqliteDb, *entries: AuditEntry, team: TeamId = T1, signer: Signer = SIGNER) -> None:
    async with db.tx() as tx:
        await record.append(tx, team, entries, signer=signer, code_version="1.2.3")


async def check(db: SqliteDb, team: TeamId = T1, key: str | None = SIGNER.public_key) -> Finding | None:
    async with db.tx() as tx:
        return verify(await record.rows(tx, team, 0, 1_000), await record.head(tx, team), key)


def tampered(path: Path, *statements: str) -> None:
    """What somebody does who can write the file: the triggers are theirs to drop."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (name,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {name}")
        for statement in statements:
            connection.execute(statement)


async def test_what_was_recorded_is_read_back_as_it_was(db) -> None:
    await append(db, OPENED, LOADED)
    await append(db, DECIDED)

    async with db.tx() as tx:
        assert await record.of_review(tx, T1, ReviewId("rv1")) == [OPENED, DECIDED]


async def test_rows_are_numbered_sealed_and_signed(db) -> None:
    await append(db, OPENED, LOADED)
    await append(db, DECIDED)

    async with db.tx() as tx:
        rows = await record.rows(tx, T1, 0, 10)
        head = await record.head(tx, T1)

    assert [(row.n, row.kind, row.code_version) for row in rows] == [
        (1, "opened", "1.2.3"),
        (2, "policy_loaded", "1.2.3"),
        (3, "decided", "1.2.3"),
    ]
    assert head is not None
    assert (head.n, head.first, head.hash, head.public_key) == (3, 1, rows[-1].hash, SIGNER.public_key)
    assert verify(rows, head, SIGNER.public_key) is None


async def test_each_row_has_a_salt_of_its_own(db) -> None:
    await append(db, LOADED, LOADED)

    async with db.tx() as tx:
        one, two = await record.rows(tx, T1, 0, 10)

    assert len({one.salt, two.salt}) == 2
    assert [len(bytes.fromhex(row.salt)) for row in (one, two)] == [16, 16]


async def test_rows_come_in_pages(db) -> None:
    await append(db, *[LOADED] * 5)

    async with db.tx() as tx:
        assert [row.n for row in await record.rows(tx, T1, 2, 2)] == [3, 4]


async def test_nothing_to_record_records_nothing(db) -> None:
    await append(db)

    async with db.tx() as tx:
        assert (await record.head(tx, T1), await record.teams(tx)) == (None, [])


async def test_each_team_has_its_own_record(db) -> None:
    await append(db, OPENED)
    await append(db, LOADED, OPENED, team=T2)

    async with db.tx() as tx:
        numbers = {team: [row.n for row in await record.rows(tx, team, 0, 10)] for team in await record.teams(tx)}
        theirs = await record.of_review(tx, T1, ReviewId("rv1"))

    assert numbers == {"T1": [1], "T2": [1, 2]}
    assert theirs == [OPENED]
    assert (await check(db, T1), await check(db, T2)) == (None, None)


async def test_what_was_rolled_back_is_not_recorded(db) -> None:
    await append(db, OPENED)

    # The same transition again is refused by the database, after another row of that transaction was written.
    with pytest.raises(sqlite3.IntegrityError):
        await append(db, DECIDED, OPENED)

    await append(db, replace(DECIDED, text="again"))
    async with db.tx() as tx:
        assert [row.text for row in await record.rows(tx, T1, 0, 10)] == ["", "again"]
    assert await check(db) is None


async def test_a_transition_is_recorded_once(db) -> None:
    await append(db, DECIDED)

    with pytest.raises(sqlite3.IntegrityError):
        await append(db, DECIDED)

    assert await check(db) is None


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("update audit set actor = 'x'", "never changed"),
        ("delete from audit", "never deleted"),
        ("insert or replace into audit select * from audit where n = 1", "only added at the end"),
        ("update audit_texts set text = 'x'", "never changed"),
        ("delete from audit_heads", "never deleted"),
        ("update audit_heads set n = 1", "never goes back"),
        ("update audit_heads set first_n = 2", "never goes back"),
        ("update audit_heads set team_id = 'T9'", "never goes back"),
    ],
)
async def test_the_database_itself_only_adds(db, statement: str, refusal: str) -> None:
    await append(db, OPENED, DECIDED)

    with pytest.raises(sqlite3.IntegrityError, match=refusal):
        async with db.tx() as tx:
            await tx.run(statement)

    assert await check(db) is None


@pytest.mark.parametrize(
    ("statement", "kind", "n"),
    [
        ("update audit set actor = 'T1/UEVE' where n = 2", "changed", 2),
        ("update audit set at_us = at_us + 1 where n = 2", "changed", 2),
        ("update audit set review_id = null where n = 1", "changed", 1),
        ("update audit set version = 'two' where n = 3", "changed", 3),
        ("update audit set detail = x'00' where n = 3", "changed", 3),
        ("update audit set hash = '' where n = 2", "changed", 2),
        ("update audit_texts set text = 'Fine.' where n = 3", "changed", 3),
        ("update audit_texts set actor_name = 'Eve' where n = 3", "changed", 3),
        ("delete from audit where n = 1", "missing", 1),
        ("delete from audit where n = 2", "missing", 2),
        ("delete from audit where n = 3", "cut_tail", 3),
        ("delete from audit", "cut_tail", 1),
        ("update audit set n = 9 where n = 1", "missing", 1),
        ("update audit set n = 'one' where n = 1", "missing", 1),
        ("insert into audit select team_id, 4, format, previous_hash, review_id, null, kind, actor, from_state,"
         " to_state, outcome, source, reason_code, detail, payload_hash, policy_hash, code_version, at_us, name_hash,"
         " text_hash, hash from audit where n = 3", "changed", 4),
        ("update audit_heads set n = 2", "bad_signature", None),
        ("delete from audit_heads", "no_head", 1),
        ("update audit_heads set hash = ''", "no_head", 1),
    ],
)  # fmt: skip
async def test_tampering_with_the_file_is_found_at_its_row(db, path, statement: str, kind: str, n: int | None) -> None:
    await append(db, OPENED, LOADED, DECIDED)

    tampered(path, statement)

    finding = await check(db)
    assert finding is not None
    assert (finding.kind, finding.n) == (kind, n)


async def test_words_can_be_removed_and_the_record_still_verifies(db) -> None:
    await append(db, OPENED, DECIDED)

    async with db.tx() as tx:
        await tx.run("delete from audit_texts where n = 2")

    async with db.tx() as tx:
        _, left = await record.of_review(tx, T1, ReviewId("rv1"))
    assert left == replace(DECIDED, actor_name="", text="")
    assert await check(db) is None


async def test_a_new_key_goes_on_with_the_record_and_the_record_says_so(db) -> None:
    await append(db, OPENED)

    await append(db, DECIDED, signer=NEXT)
    await append(db, LOADED, signer=NEXT)

    async with db.tx() as tx:
        rows = await record.rows(tx, T1, 0, 10)
    assert [row.kind for row in rows] == ["opened", "audit_key_changed", "decided", "policy_loaded"]
    assert rows[1].detail == f'{{"from":"{SIGNER.public_key}","to":"{NEXT.public_key}"}}'
    assert await check(db, key=NEXT.public_key) is None


async def test_a_head_whose_signature_fails_is_never_signed_over(db, path) -> None:
    await append(db, OPENED, LOADED, DECIDED)
    tampered(
        path,
        "delete from audit where n = 3",
        "delete from audit_texts where n = 3",
        "update audit_heads set n = 2, hash = (select hash from audit where n = 2)",
    )

    with capture_logs() as logs:
        await append(db, DECIDED)

    finding = await check(db)
    assert finding is not None
    assert finding.kind == "bad_signature"
    assert [(line["event"], line["row"]) for line in logs] == [("audit_head_not_signed", 2)]


async def test_the_head_of_an_emptied_record_does_not_begin_another_one(db, path) -> None:
    await append(db, OPENED, LOADED)
    tampered(path, "update audit_heads set hash = '', signature = ''")

    await append(db, DECIDED)

    finding = await check(db)
    assert finding is not None
    assert (finding.kind, finding.n) == ("replaced", 2)


# A database of before the chain


@pytest.fixture
def old_path(path: Path) -> Path:
    """A database as the first two migrations made it, with two rows of the record."""
    folder = files("bot.db") / "migrations"
    with closing(sqlite3.connect(path)) as connection:
        for name in ("0001_first_light.sql", "0002_audit_is_append_only.sqlite.sql"):
            connection.executescript((folder / name).read_text("utf-8"))
        connection.execute("create table schema_version(version integer primary key)")
        connection.execute("insert into schema_version values (1), (2)")
        connection.execute("insert into counters values ('T1', 'audit', 2), ('T1', 'review', 1)")
        connection.executemany(
            "insert into audit(team_id, n, review_id, version, kind, actor, actor_name, from_state, to_state, outcome,"
            " source, reason, payload_hash, at) values ('T1', ?, 'rv1', ?, ?, ?, ?, ?, ?, ?, ?, ?, 'p1', ?)",
            [
                (1, 1, "opened", "T1/UANA", "Ana", "", "pending_review", None, None, None, NOON.timestamp()),
                (2, 2, "decided", "T1/UBRUNO", "Bruno", "pending_review", "rejected", "rejected", "words", "No.",
                 NOON.timestamp()),
            ],
        )  # fmt: skip
        connection.commit()
    return path


async def test_rows_of_before_the_chain_stay_readable_and_numbers_go_on(old_path) -> None:
    db = await SqliteDb.open(old_path)
    third = replace(OPENED, review=ReviewId("rv2"))
    await append(db, third)

    async with db.tx() as tx:
        first, second = await record.of_review(tx, T1, ReviewId("rv1"))
        rows = await record.rows(tx, T1, 0, 10)
        head = await record.head(tx, T1)
        counters = await tx.run("select name from counters")
    finding = await check(db)
    await db.close()

    assert first == replace(OPENED, payload_hash="p1")
    assert (second.actor_name, second.text, second.to_state, second.at) == ("Bruno", "No.", "rejected", NOON)
    assert [(row.n, bool(row.hash)) for row in rows] == [(1, False), (2, False), (3, True)]
    assert head is not None
    assert (head.first, head.n) == (3, 3)
    assert [tuple(row) for row in counters] == [("review",)]
    assert finding is None


async def test_a_database_of_before_the_chain_has_no_head_yet(old_path) -> None:
    db = await SqliteDb.open(old_path)

    async with db.tx() as tx:
        assert (await record.head(tx, T1), await record.teams(tx)) == (None, ["T1"])
    await db.close()
