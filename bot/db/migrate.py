"""Bring a database to the newest schema: numbered .sql files, each applied once."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

from bot.db import Tx

Dialect = Literal["sqlite", "postgres"]


async def migrate(tx: Tx, dialect: Dialect) -> int:
    """The schema version after applying what is missing, all in the caller's transaction."""
    await tx.run("create table if not exists schema_version(version integer primary key)")
    [(current,)] = await tx.run("select coalesce(max(version), 0) from schema_version")
    for version, sql in migrations(dialect):
        if version > current:
            for statement in _statements(sql):
                await tx.run(statement)
            await tx.run("insert into schema_version(version) values (?)", version)
            current = version
    return int(current)


def migrations(dialect: Dialect) -> list[tuple[int, str]]:
    """The migrations of one database, oldest first: (version, SQL text)."""
    found: list[tuple[int, str]] = []
    for file in (files("bot.db") / "migrations").iterdir():
        name, *suffixes = file.name.split(".")
        if suffixes in (["sql"], [dialect, "sql"]):
            found.append((int(name[:4]), file.read_text("utf-8")))
    return sorted(found)


def _statements(sql: str) -> list[str]:
    parts = (part.strip() for part in f"{sql.strip()}\n".split(";\n"))
    return [part for part in parts if part]
