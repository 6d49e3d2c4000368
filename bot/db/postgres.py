"""The database of several processes: PostgreSQL through psycopg, a few connections that are used again.

What SQLite gives by having one writer, the stores ask for here: who changes what the record tells locks the record's
head first. So there is one order of locks, READ COMMITTED is enough, and no statement is ever run a second time by
this module: a refused one, a deadlock included, ends its transaction and reaches the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from bot.db import Row
from bot.db.migrate import migrate
from bot.errors import BotError

CONNECTIONS = 4
"""How many transactions of one process may be open at once; a further one waits for its turn."""

_MIGRATIONS = 0x506C61636574  # "Placet": any number will do that nobody else takes in this database
# A process that was frozen in the middle of a transaction must not hold up the others for ever. A server that promises
# less than a flushed log is asked for one; one that promises more (a standby's copy) keeps its word.
_SESSION = (
    b"set lock_timeout = '30s'; set idle_in_transaction_session_timeout = '60s';"
    b" select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'"
)
_BEGIN = {True: b"begin", False: b"begin; set local synchronous_commit = off"}


class NotCommitted(BotError):
    """The block went on after one of its statements had been refused, so PostgreSQL undid all of it."""

    def __init__(self) -> None:
        super().__init__("Nothing of the transaction was kept: a statement of it was refused and the block went on.")


class DatabaseClosed(BotError):
    """A transaction was asked for after the database had been closed."""

    def __init__(self) -> None:
        super().__init__("The database is closed. Open it again first.")


class _PostgresTx:
    def __init__(self, connection: psycopg.AsyncConnection[Row]) -> None:
        self._connection = connection

    async def run(self, sql: str, *args: Any) -> list[Row]:
        # `%` first: it is doubled where the statement means it, and stands alone where it marks a place.
        statement = sql.replace("%", "%%").replace("?", "%s").encode()
        async with await self._connection.execute(statement, args) as cursor:
            return await cursor.fetchall() if cursor.description else []


class PostgresDb:
    """At most CONNECTIONS connections, the one used last first.

    A durable commit waits for the server's write-ahead log; for another one the server writes it a moment later.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._room = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[psycopg.AsyncConnection[Row]] = []
        self._closed = False

    @classmethod
    async def open(cls, dsn: str) -> PostgresDb:
        """The database at `dsn` (a libpq connection string or URL), migrated where needed.

        Any number of processes may open it at once: one migrates, the others wait for it.
        Raises psycopg.OperationalError when the server cannot be reached.
        """
        db = cls(dsn)
        try:
            async with db.tx() as tx:
                await tx.run("select pg_advisory_xact_lock(?)", _MIGRATIONS)
                await migrate(tx, "postgres")
        except BaseException:
            await db.close()
            raise
        return db

    @asynccontextmanager
    async def tx(self, *, durable: bool = True) -> AsyncGenerator[_PostgresTx, None]:
        """See `bot.db.Db.tx`. A refused statement ends the transaction, whether or not the block catches the error.

        Raises NotCommitted when the block ends as if nothing had happened after such a statement.
        """
        async with self._room:
            connection = await self._begun(durable)
            try:
                yield _PostgresTx(connection)
                # To a transaction that is already lost, COMMIT is answered with "ROLLBACK" and no error.
                if (await connection.execute(b"commit")).statusmessage != "COMMIT":
                    raise NotCommitted
            finally:
                # Shielded: a cancelled task must not leave a connection inside a transaction.
                await asyncio.shield(self._give_back(connection))

    async def close(self) -> None:
        """Close the connections; later calls fail. One that is in use is closed when its transaction ends."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    async def _begun(self, durable: bool) -> psycopg.AsyncConnection[Row]:
        begin = _BEGIN[durable]
        while self._idle and not self._closed:
            connection = self._idle.pop()
            try:
                await connection.execute(begin)
            except psycopg.OperationalError:
                # The server went away since this one was last used. Nothing of the caller has run yet.
                await connection.close()
            except BaseException:
                await asyncio.shield(connection.close())
                raise
            else:
                return connection
        if self._closed:
            raise DatabaseClosed
        return await self._connected(begin)

    async def _connected(self, begin: bytes) -> psycopg.AsyncConnection[Row]:
        connection = await psycopg.AsyncConnection[Row].connect(self._dsn, autocommit=True, client_encoding="utf8")
        try:
            await connection.execute(_SESSION)
            await connection.execute(begin)
        except BaseException:
            await asyncio.shield(connection.close())
            raise
        return connection

    async def _give_back(self, connection: psycopg.AsyncConnection[Row]) -> None:
        if connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            with contextlib.suppress(psycopg.Error):
                await connection.execute(b"rollback")
        if self._closed or connection.info.transaction_status is not TransactionStatus.IDLE:
            await connection.close()
        else:
            self._idle.append(connection)
