"""The embedded database: one SQLite file, one writer connection, WAL."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite

from bot.db import Row
from bot.db.migrate import migrate

_WAL_TRIES, _WAL_PAUSE_S = 100, 0.05


class _SqliteTx:
    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Row]:
        cursor = await self._connection.execute(sql, args)
        rows = await cursor.fetchall()
        await cursor.close()
        return list(rows)


class SqliteDb:
    """One writer connection behind a lock.

    Every transaction begins IMMEDIATE: a deferred one that turns into a write is told SQLITE_BUSY at once, whatever
    the busy timeout says. `synchronous` is set before each BEGIN: FULL for what was acknowledged to a person, NORMAL
    for what can be worked out again.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._lock = asyncio.Lock()
        self._synchronous = ""

    @classmethod
    async def open(cls, path: str | Path) -> SqliteDb:
        """The database at `path`, made and migrated where needed."""
        # Made before SQLite does, so that nobody else on the machine can read it.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = await aiosqlite.connect(path, isolation_level=None)
        try:
            await connection.execute("pragma busy_timeout=30000")
            await _into_wal(connection)
            await connection.execute("pragma foreign_keys=on")
            db = cls(connection)
            async with db.tx() as tx:
                await migrate(tx, "sqlite")
        except BaseException:
            await connection.close()
            raise
        return db

    @asynccontextmanager
    async def tx(self, *, durable: bool = True) -> AsyncGenerator[_SqliteTx, None]:
        """See `bot.db.Db.tx`."""
        async with self._lock:
            await self._set_synchronous("full" if durable else "normal")
            try:
                # Inside the try: a task that is cancelled here may have begun all the same.
                await self._connection.execute("begin immediate")
                yield _SqliteTx(self._connection)
                await self._connection.execute("commit")
            except BaseException:
                # Shielded: a cancelled task must not leave the one writer inside a transaction.
                await asyncio.shield(self._connection.rollback())
                raise

    async def close(self) -> None:
        """Close the connection; later calls fail."""
        await self._connection.close()

    async def _set_synchronous(self, mode: str) -> None:
        if self._synchronous != mode:
            await self._connection.execute(f"pragma synchronous={mode}")
            self._synchronous = mode


async def _into_wal(connection: aiosqlite.Connection) -> None:
    """Write ahead, also where another process changes the same new file at this moment.

    Changing the journal takes no account of the busy timeout: it is refused at once and tried again here.
    """
    for _ in range(_WAL_TRIES):
        try:
            await connection.execute("pragma journal_mode=wal")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            await asyncio.sleep(_WAL_PAUSE_S)
        else:
            return
    await connection.execute("pragma journal_mode=wal")
