"""Checking and exporting the record of a database that may be in use, and checking an exported one."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import aiosqlite

from bot.db import Row, Tx
from bot.errors import BotError
from bot.reviews import audit_check, audit_export, record
from bot.reviews.audit import Head, SealedRow
from bot.reviews.audit_check import Finding, Walk
from bot.reviews.audit_export import Export, FileFormat, NotAnExport
from bot.types import TeamId

_PAGE = 1_000
_FIRST_CHAINED_SCHEMA = 3


class RecordUnreadable(BotError):
    """The file cannot be read as a record."""

    def __init__(self, *, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path} cannot be read as a record: {why}.")


class RecordUnwritable(BotError):
    """The export cannot be kept where it was asked for."""

    def __init__(self, *, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path} cannot be written: {why}.")


class TeamUnclear(BotError):
    """A database without the team that was asked for, or with several where one must be meant."""

    def __init__(self, *, path: Path, asked: str | None, known: tuple[TeamId, ...]) -> None:
        self.path, self.asked, self.known = path, asked, known
        has = f"it has {', '.join(known)}" if known else "it has no record yet"
        super().__init__(f"{path}: name one workspace with --team; {has}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came out of checking one team's record."""

    team: str
    head: Head | None
    rows: int
    """Sealed rows; where there is a finding, those read before it."""
    before: int
    """Rows of before the chain, which nothing proves."""
    removed: int
    """Rows whose words were removed."""
    key_changes: tuple[int, ...]
    """Rows that say that the record was signed with another key before."""
    finding: Finding | None


@asynccontextmanager
async def reading(path: Path) -> AsyncGenerator[Tx, None]:
    """One moment of the database at `path`, read-only: whoever writes it goes on, and is not seen."""
    address = _read_only_address(path)
    try:
        connection = await aiosqlite.connect(address, uri=True, isolation_level=None)
        try:
            tx = _ReadOnly(connection)
            await tx.run("pragma busy_timeout=30000")
            await tx.run("begin")
            [(schema,)] = await tx.run("select coalesce(max(version), 0) from schema_version")
            if schema < _FIRST_CHAINED_SCHEMA:
                raise RecordUnreadable(path=path, why="it is of a Placet without a sealed record; start this one once")
            yield tx
        finally:
            await connection.close()
    except sqlite3.Error as error:
        raise RecordUnreadable(path=path, why=str(error)) from error


async def check_database(
    path: Path, *, team: str | None, public_key: str | None, since: Head | None = None
) -> list[Report]:
    """A report for each team of the database, or for the one that is named or that `since` speaks of.

    public_key is the one to be trusted; None trusts what the heads name.
    """
    async with reading(path) as tx:
        known = await record.teams(tx)
        if team is not None and team not in known:
            raise TeamUnclear(path=path, asked=team, known=tuple(known))
        # The head's own team, also where the database has nothing of it any more: then that is what is found.
        named = team if since is None else since.team
        asked = known if named is None else [TeamId(named)]
        return [await _check(tx, each, public_key, since) for each in asked]


def check_export(path: Path, *, public_key: str | None, since: Head | None = None) -> Report:
    """The report of an exported file. Nothing but the file is asked, and the key where one is given."""
    export = read_export(path)
    head = export.head
    team = head.team if head is not None else (export.rows[0].team if export.rows else "")
    start = audit_check.begin(head, since)
    at = audit_check.walk(start, export.rows)
    return _report(team, start if isinstance(at, Finding) else at, at, public_key, since)


async def export_database(
    path: Path, *, team: str | None, form: FileFormat, head_only: bool, write: Callable[[str], Any]
) -> Head | None:
    """Give the file's text to `write`, piece by piece; the head that it ends with."""
    async with reading(path) as tx:
        known = await record.teams(tx)
        if (team is None and len(known) != 1) or (team is not None and team not in known):
            raise TeamUnclear(path=path, asked=team, known=tuple(known))
        meant = known[0] if team is None else TeamId(team)
        head = await record.head(tx, meant)
        write(audit_export.opening(form, head))
        after = None if head_only else 0
        while after is not None:
            rows = await record.rows(tx, meant, after, _PAGE)
            write(audit_export.page(form, rows, first=after == 0))
            after = _last(rows, after)
        write(audit_export.closing(form))
    return head


def read_export(path: Path) -> Export:
    """What an exported file holds."""
    try:
        return audit_export.from_text(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise RecordUnreadable(path=path, why=error.strerror or "it cannot be opened") from error
    except UnicodeDecodeError as error:
        raise RecordUnreadable(path=path, why="it is not UTF-8") from error
    except NotAnExport as error:
        raise RecordUnreadable(path=path, why=error.why) from error


@contextmanager
def whole_file(path: Path) -> Generator[Callable[[str], None], None, None]:
    """What writes text to `path`: the file appears when the block ends well, and only its owner can read it."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield lambda text: _write(file, text)
        draft.replace(path)
    except OSError as error:
        raise RecordUnwritable(path=path, why=error.strerror or "it cannot be opened") from error
    finally:
        draft.unlink(missing_ok=True)


async def _check(tx: Tx, team: TeamId, public_key: str | None, since: Head | None) -> Report:
    start = audit_check.begin(await record.head(tx, team), since)
    at: Walk | Finding = start
    after: int | None = 0
    while after is not None and not isinstance(at, Finding):
        rows = await record.rows(tx, team, after, _PAGE)
        start, at, after = at, audit_check.walk(at, rows), _last(rows, after)
    return _report(team, start if isinstance(at, Finding) else at, at, public_key, since)


def _last(rows: Sequence[SealedRow], after: int) -> int | None:
    """After which row the next page begins, or None at the end. A number that was tampered with must not go round."""
    return rows[-1].n if rows and rows[-1].n > after else None


def _report(team: str, read: Walk, at: Walk | Finding, public_key: str | None, since: Head | None) -> Report:
    """The report of a walk that came as far as `read`, and then either ended there or at a finding."""
    return Report(
        team=team,
        head=read.head,
        rows=read.rows,
        before=read.before,
        removed=read.removed,
        key_changes=read.key_changes,
        finding=at if isinstance(at, Finding) else audit_check.end(at, public_key, since=since),
    )


def _read_only_address(path: Path) -> str:
    if not path.is_file():
        raise RecordUnreadable(path=path, why="there is no such file")
    return f"{path.absolute().as_uri()}?mode=ro"


def _write(file: BinaryIO, text: str) -> None:
    file.write(text.encode("utf-8"))


class _ReadOnly:
    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Row]:
        cursor = await self._connection.execute(sql, args)
        rows = await cursor.fetchall()
        await cursor.close()
        return list(rows)
