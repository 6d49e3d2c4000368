"""`placet audit`: an operator's and an auditor's view of the record, on real files."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner, Result

from bot import audit_files
from bot.cli_audit import app
from bot.db.sqlite import SqliteDb
from bot.reviews import record
from bot.reviews.audit import Head
from bot.reviews.audit_check import FindingKind
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import AuditKeyUnusable, Signer, key_file, load
from bot.types import ReviewId, TeamId

SEED = b"k" * 32
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def entry(version: int, text: str = "") -> AuditEntry:
    return AuditEntry(
        review=ReviewId("rv1"),
        version=version,
        kind="commented",
        actor="T1/UBRUNO",
        actor_name="Bruño",
        from_state=ReviewState.PENDING,
        to_state=ReviewState.PENDING,
        text=text,
        detail={"level": 1},
        payload_hash="p",
        at=NOON,
    )


async def write(path: Path, *entries: AuditEntry, team: str = "T1", signer: Signer | None = None) -> None:
    db = await SqliteDb.open(path)
    async with db.tx() as tx:
        await record.append(tx, TeamId(team), entries, signer=signer or load(None, path), code_version="1.0")
    await db.close()


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with 120 rows, and its key beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUDIT_KEY", raising=False)
    path = tmp_path / "placet.db"
    asyncio.run(write(path, *[entry(n, f"=SUM({n})") for n in range(1, 121)]))
    return path


def audit(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def tampered(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (name,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {name}")
        for statement in statements:
            connection.execute(statement)


def cut(path: Path, left: int, old_head: Head) -> None:
    """Take the tail away and put an earlier head, rightly signed, in the place of the last one."""
    tampered(
        path,
        f"delete from audit where n > {left}",
        f"delete from audit_texts where n > {left}",
        f"update audit_heads set n = {old_head.n}, hash = '{old_head.hash}', signature = '{old_head.signature}'",
    )


def test_a_whole_record_is_said_in_one_line(db: Path) -> None:
    done = audit("verify", "--db", db)

    key = load(None, db).public_key
    assert done.exit_code == 0
    assert done.output == f"T1: whole. 120 rows, sealed up to row 120, key {key}.\n"


def test_the_database_of_the_settings_is_the_default(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE", str(db))

    assert audit("verify").exit_code == 0


def test_a_finding_names_the_row_and_exits_with_1(db: Path) -> None:
    tampered(db, "update audit set actor = 'T1/UEVE' where n = 33")

    done = audit("verify", "--db", db)

    assert done.exit_code == 1
    assert done.output == "T1: NOT WHOLE. Row 33 was changed: its contents and its hash differ.\n"


def test_machines_are_told_the_same(db: Path) -> None:
    good = json.loads(audit("verify", "--db", db, "--json").output)
    tampered(db, "update audit set actor = 'T1/UEVE' where n = 33")
    bad = audit("verify", "--db", db, "--json")

    [told] = good
    assert (told["whole"], told["team"], told["rows"], told["head"]["n"], told["finding"]) == (
        True,
        "T1",
        120,
        120,
        None,
    )
    [told] = json.loads(bad.output)
    assert (bad.exit_code, told["whole"], told["finding"]["kind"], told["finding"]["n"]) == (1, False, "changed", 33)


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_an_export_is_verified_where_neither_database_nor_key_is(db: Path, tmp_path: Path, form: str) -> None:
    out, key = tmp_path / "record", load(None, db).public_key
    exported = audit("export", "--db", db, form, "--out", out)
    db.unlink()
    key_file(db).unlink()

    alone, trusting = audit("verify", "--file", out), audit("verify", "--file", out, "--public-key", key.upper())

    assert exported.exit_code == 0
    assert alone.output == (
        f"T1: whole. 120 rows, sealed up to row 120, key {key}; "
        "the key is the record's own word: give the one you trust with --public-key.\n"
    )
    assert trusting.output == f"T1: whole. 120 rows, sealed up to row 120, key {key}.\n"


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_an_edited_export_is_found_out(db: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "record"
    audit("export", "--db", db, form, "--out", out)
    out.write_text(out.read_text("utf-8").replace("SUM(77)", "SUM(0)"), "utf-8")

    done = audit("verify", "--file", out)

    assert done.exit_code == 1
    assert done.output == "T1: NOT WHOLE. Row 77 was changed: its text is not the one that was sealed.\n"


def test_an_export_that_a_stranger_signed_is_found_out(db: Path, tmp_path: Path) -> None:
    forged, out = tmp_path / "forged.db", tmp_path / "record"
    asyncio.run(write(forged, entry(1), signer=Signer(b"s" * 32)))
    audit("export", "--db", forged, "--out", out)

    assert audit("verify", "--file", out, "--public-key", load(None, db).public_key).exit_code == 1


def test_the_standard_output_is_the_file(db: Path, tmp_path: Path) -> None:
    out = tmp_path / "record"
    audit("export", "--db", db, "--csv", "--out", out)

    printed = audit("export", "--db", db, "--csv")

    assert printed.stdout_bytes == out.read_bytes()
    assert printed.stderr == f"T1: exported up to row 120, signed with {load(None, db).public_key}.\n"


def test_an_export_is_for_its_owner_alone_and_takes_the_old_ones_place(db: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "record.json"
    out.write_text("old")

    audit("export", "--db", db, "--out", out)

    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["record.json"]
    assert json.loads(out.read_text("utf-8"))["head"]["n"] == 120


def test_people_are_exported_with_their_ids_and_the_names_that_were_stored(db: Path) -> None:
    rows = json.loads(audit("export", "--db", db).stdout)["rows"]

    assert {(row["actor"], row["actor_name"]) for row in rows} == {("T1/UBRUNO", "Bruño")}


def test_a_tail_that_was_cut_with_its_head_is_found_by_an_exported_head(db: Path, tmp_path: Path) -> None:
    early, late = tmp_path / "early", tmp_path / "late"
    other = tmp_path / "other.db"
    asyncio.run(write(other, *[entry(n) for n in range(1, 119)]))
    audit("export", "--db", other, "--head-only", "--out", early)
    asyncio.run(write(other, entry(119), entry(120)))
    audit("export", "--db", other, "--head-only", "--out", late)
    old_head = audit_files.read_export(early).head
    assert old_head is not None
    cut(other, 118, old_head)

    alone, before, after = (audit("verify", "--db", other, *more) for more in ([], ["--head", early], ["--head", late]))

    assert (alone.exit_code, before.exit_code, after.exit_code) == (0, 0, 1)
    assert after.output == "T1: NOT WHOLE. The record ends at 118; the exported head says 120.\n"


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_whole_export_serves_as_a_head_too(db: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "record"
    audit("export", "--db", db, form, "--out", out)
    asyncio.run(write(db, entry(121)))

    assert audit("verify", "--db", db, "--head", out).exit_code == 0


def test_a_database_that_was_put_in_the_place_of_another_is_found_by_an_exported_head(db: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "head", tmp_path / "other.db"
    audit("export", "--db", db, "--head-only", "--out", out)
    asyncio.run(write(other, entry(1), team="T2"))

    assert audit("verify", "--db", other, "--head", out).exit_code == 1


def test_the_record_is_read_while_somebody_writes_it(db: Path) -> None:
    with closing(sqlite3.connect(db, isolation_level=None)) as writer:
        writer.execute("begin immediate")
        writer.execute("insert into counters values ('T1', 'x', 1)")

        assert audit("verify", "--db", db).exit_code == 0


def test_the_record_is_read_from_a_file_that_cannot_be_written(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("pragma journal_mode=delete")
    before = db.read_bytes()
    db.chmod(0o400)

    assert audit("verify", "--db", db).exit_code == 0
    assert db.read_bytes() == before


def test_every_workspace_is_verified_and_one_is_exported(db: Path) -> None:
    asyncio.run(write(db, entry(1), team="T2"))

    lines = audit("verify", "--db", db).output.splitlines()
    one = json.loads(audit("export", "--db", db, "--team", "T2").stdout)

    assert [line.split(".")[0] for line in lines] == ["T1: whole", "T2: whole"]
    assert [row["team"] for row in one["rows"]] == ["T2"]


@pytest.mark.parametrize("arguments", [["export"], ["export", "--team", "T9"], ["verify", "--team", "T9"]])
def test_the_workspaces_are_named_where_one_must_be(db: Path, arguments: list[str]) -> None:
    asyncio.run(write(db, entry(1), team="T2"))

    done = audit(*arguments, "--db", db)

    assert isinstance(done.exception, audit_files.TeamUnclear)
    assert done.exception.known == ("T1", "T2")


def test_another_key_is_found_and_a_change_of_keys_is_told(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_KEY", SEED.hex())

    before = audit("verify", "--db", db)
    asyncio.run(write(db, entry(121), signer=Signer(SEED)))
    after = audit("verify", "--db", db)

    assert before.exit_code == 1
    assert "signed with another key" in before.output
    assert after.output == (
        f"T1: whole. 122 rows, sealed up to row 122, key {Signer(SEED).public_key}; another key before row 121.\n"
    )


def test_removed_words_are_told(db: Path) -> None:
    tampered(db, "delete from audit_texts where n in (3, 4)")

    done = audit("verify", "--db", db)

    assert done.exit_code == 0
    assert "; 2 without their words." in done.output


def test_a_key_that_others_can_read_proves_nothing(db: Path) -> None:
    key_file(db).chmod(0o644)

    assert isinstance(audit("verify", "--db", db).exception, AuditKeyUnusable)


def test_a_database_without_a_record_says_so(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    asyncio.run(write(path))

    assert audit("verify", "--db", path).output == "There is no record yet.\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"not a database", "not a database"), (b"", "no such table")],
    ids=["another file", "empty"],
)
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)

    done = audit("verify", "--db", path)

    assert isinstance(done.exception, audit_files.RecordUnreadable)
    assert why in done.exception.why


def test_a_database_of_before_the_chain_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("create table schema_version(version integer); insert into schema_version values (2)")

    done = audit("verify", "--db", path)

    assert isinstance(done.exception, audit_files.RecordUnreadable)
    assert "start this one once" in done.exception.why


@pytest.mark.parametrize("option", ["--file", "--head"])
@pytest.mark.parametrize("content", [b"{}", b"\xff\xfe", b"a,b"], ids=["no export", "no text", "another csv"])
def test_what_is_no_export_is_refused(db: Path, tmp_path: Path, option: str, content: bytes) -> None:
    path = tmp_path / "record"
    path.write_bytes(content)

    assert isinstance(audit("verify", option, path).exception, audit_files.RecordUnreadable)


@pytest.mark.parametrize("option", ["--db", "--file", "--head"])
def test_a_file_that_is_missing_is_named(db: Path, tmp_path: Path, option: str) -> None:
    missing = tmp_path / "missing"

    done = audit("verify", option, missing)

    assert isinstance(done.exception, audit_files.RecordUnreadable)
    assert done.exception.path == missing
    assert not missing.exists()


def test_an_export_that_cannot_be_kept_is_refused(db: Path, tmp_path: Path) -> None:
    done = audit("export", "--db", db, "--out", tmp_path / "no such folder" / "record")

    assert isinstance(done.exception, audit_files.RecordUnwritable)


@pytest.mark.parametrize("arguments", [["verify", "--file", "x", "--db", "y"], ["export", "--csv", "--json"]])
def test_options_that_contradict_each_other_are_refused(arguments: list[str]) -> None:
    assert audit(*arguments).exit_code == 2


# The page


@pytest.fixture
def page_check():
    """The function that the page gives to those who verify without this program."""
    page = (Path(__file__).parents[2] / "docs/audit.md").read_text("utf-8")
    [source] = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile(source, "docs/audit.md", "exec"), names)
    return names["check"]


def test_the_pages_own_check_takes_a_whole_export(db: Path, tmp_path: Path, page_check) -> None:
    tampered(db, "delete from audit_texts where n = 3")
    out = tmp_path / "record"
    audit("export", "--db", db, "--out", out)

    page_check(out, load(None, db).public_key)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [('"actor": "T1/UBRUNO"', '"actor": "T1/UEVE"'), ("SUM(77)", "SUM(0)"), ("Bruño", "Eve"), ('"n": 120', '"n": 121')],
    ids=["actor", "text", "name", "number"],
)
def test_the_pages_own_check_refuses_an_edited_export(
    db: Path, tmp_path: Path, page_check, was: str, becomes: str
) -> None:
    out = tmp_path / "record"
    audit("export", "--db", db, "--out", out)
    out.write_text(out.read_text("utf-8").replace(was, becomes, 1), "utf-8")

    with pytest.raises(AssertionError):
        page_check(out, load(None, db).public_key)


def test_every_finding_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs/audit.md").read_text("utf-8")

    assert [kind for kind in get_args(FindingKind) if f"`{kind}`" not in page] == []
