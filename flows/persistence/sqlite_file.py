"""One SQLite file with our tables: opening it, its schema, and transactions of two strengths."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from flows.errors import PersistenceError, text_of
from flows.outcomes import Outcome, outcome_of

SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 30.0

Durability = Literal["FULL", "NORMAL"]
"""FULL survives a power cut; NORMAL survives a crash of the process and may lose the last commits to a power cut."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS flow_schema (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS flow_states (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    method_name TEXT NOT NULL,
    state TEXT NOT NULL,
    saved_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS flow_states_by_flow ON flow_states (namespace, flow_id, n);
CREATE TABLE IF NOT EXISTS flow_runs (
    namespace TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    flow_class TEXT NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    result TEXT,
    error TEXT,
    gate_decided INTEGER NOT NULL,
    interrupted TEXT NOT NULL,
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (namespace, flow_id)
);
CREATE TABLE IF NOT EXISTS flow_steps (
    namespace TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    step TEXT NOT NULL,
    PRIMARY KEY (namespace, flow_id, position)
);
CREATE TABLE IF NOT EXISTS flow_pending (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    request_id TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    flow_class TEXT NOT NULL,
    method_name TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT,
    feedback TEXT,
    decided_by TEXT,
    replaced_output TEXT,
    context TEXT NOT NULL,
    callback_info TEXT NOT NULL,
    state TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    decided_at TEXT,
    UNIQUE (namespace, request_id)
);
CREATE INDEX IF NOT EXISTS flow_pending_by_flow ON flow_pending (namespace, flow_id, n);
"""


_inherited: list[sqlite3.Connection] = []
"""Connections of a process that this one was forked from: neither used nor closed, for they share its locks."""


class _Shared:
    """One transaction for the writes of several calls; a call that asks for more than its strength begins the next."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._durability = connection, "NORMAL"
        self._outcomes: list[Outcome] = []
        self._committed = 0
        """How many of the outcomes the last commit has made certain."""
        self._loss: BaseException | None = None
        """Why the writes since then are gone."""

    def carry_out(self, calls: Sequence[Callable[[], Any]]) -> list[Outcome]:
        """What the calls returned or raised; those whose writes are gone have failed, whatever they returned."""
        for call in calls:
            self._outcomes.append(outcome_of(call))
        with suppress(sqlite3.Error):
            self._commit()
        if self._loss is None:
            return self._outcomes
        self._connection.rollback()
        return [*self._outcomes[: self._committed], *((None, self._loss) for _ in self._outcomes[self._committed :])]

    @contextmanager
    def part(self, durability: Durability) -> Generator[sqlite3.Cursor, None, None]:
        """What one call writes; an exception inside takes that back, and nothing else."""
        if durability == "FULL" != self._durability:
            self._commit()
        if self._loss is not None:
            raise self._loss
        cursor = self._connection.cursor()
        if not self._connection.in_transaction:
            _begin(cursor, durability)
            self._durability = durability
        cursor.execute("SAVEPOINT part")
        try:
            yield cursor
        except BaseException as error:
            self._take_back(cursor, error)
            raise
        cursor.execute("RELEASE part")

    def _take_back(self, cursor: sqlite3.Cursor, error: BaseException) -> None:
        if not self._connection.in_transaction:
            self._loss = error  # after some errors, such as a full disk, SQLite takes back the whole transaction
            return
        cursor.execute("ROLLBACK TO part")
        cursor.execute("RELEASE part")

    def _commit(self) -> None:
        if self._loss is not None:
            return
        try:
            self._connection.commit()
        except sqlite3.Error as error:
            self._loss = error
            raise
        self._committed = len(self._outcomes)


class SqliteFile:
    """The one connection of one store object in each process, used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._shared: _Shared | None = None
        """The transaction that the present calls share, if they do."""
        self._process = os.getpid()

    def prepare(self) -> None:
        """Opens the file and makes the tables; harmless when they are there. Raises PersistenceError."""
        with self._using():
            pass

    def _make_tables(self) -> None:
        with self.transaction("FULL") as tx:
            for statement in _SCHEMA.split(";"):
                tx.execute(statement)
            row = tx.execute("SELECT max(version) FROM flow_schema").fetchone()
            if row[0] is None:
                tx.execute("INSERT INTO flow_schema (version) VALUES (?)", (SCHEMA_VERSION,))
            elif row[0] > SCHEMA_VERSION:
                raise PersistenceError(
                    f"{self._path} has schema version {row[0]}; this version of flows knows {SCHEMA_VERSION}."
                )

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._held():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def moment(self) -> Generator[None, None, None]:
        """Several reads inside show one and the same moment, whatever other threads and processes write.

        Raises PersistenceError for what SQLite refuses, as the other two do.
        """
        with self._using() as connection:
            if connection.in_transaction:
                yield  # calls that share a transaction see its moment
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.rollback()

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Outcome]:
        """What calls returned or raised that use this file; what they write is committed at once, at their end.

        Each takes back its own writes when it raises. Where the commit fails, all fail whose writes it would have kept.
        """
        with self._using() as connection:
            self._shared = _Shared(connection)
            try:
                outcomes = self._shared.carry_out(calls)
            finally:
                self._shared = None
        return [
            (found, _failure(error, self._path)) if isinstance(error, sqlite3.Error) else (found, error)
            for found, error in outcomes
        ]

    @contextmanager
    def transaction(self, durability: Durability) -> Generator[sqlite3.Cursor, None, None]:
        """One write transaction, or a part of the shared one; an exception inside rolls it back."""
        with self._using() as connection:
            if self._shared is not None:
                with self._shared.part(durability) as cursor:
                    yield cursor
                return
            cursor = connection.cursor()
            _begin(cursor, durability)
            try:
                yield cursor
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def rows(self, sql: str, arguments: Sequence[Any]) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._using() as connection:
            return connection.execute(sql, arguments).fetchall()

    @contextmanager
    def _using(self) -> Generator[sqlite3.Connection, None, None]:
        with self._held():
            try:
                yield self._opened()
            except sqlite3.Error as error:
                raise _failure(error, self._path) from error

    def _held(self) -> threading.RLock:
        """The lock of this process. A forked child starts with a lock and a connection of its own."""
        if self._process != os.getpid():
            self._lock = threading.RLock()
            if self._connection is not None:
                _inherited.append(self._connection)
            self._connection, self._process = None, os.getpid()
        return self._lock

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _open(self._path)
            try:
                # At every opening: somebody may have moved the file away since the last one.
                self._make_tables()
            except BaseException:
                self._connection.close()
                self._connection = None
                raise
        return self._connection


def _begin(cursor: sqlite3.Cursor, durability: Durability) -> None:
    # The pragma is a no-op inside a transaction, so it comes first.
    cursor.execute(f"PRAGMA synchronous = {durability}")
    cursor.execute("BEGIN IMMEDIATE")


def _failure(error: sqlite3.Error, path: Path) -> PersistenceError:
    return PersistenceError(f"State persistence failed: {text_of(error)} ({path})")


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        _use_wal(connection)
        # Moving the log into the file syncs twice; at 16 MB it does so a quarter as often as at SQLite's own measure.
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
    except (OSError, sqlite3.Error) as error:
        raise PersistenceError(
            f"{path} cannot be used as a flow store ({error}). Check the path and its rights."
        ) from error
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    # Switching the journal needs the file alone, and SQLite does not wait for that as it waits for a lock.
    for remaining in range(100, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if not remaining:
                raise
            time.sleep(0.05)
        else:
            return
