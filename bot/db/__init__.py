"""Where the bot's rows are kept: two ports, and SQL that every database understands.

Placeholders are `?`, times are seconds since 1970 as doubles put in from Python, JSON is text. A statement uses only
what SQLite 3.40 and PostgreSQL 15 share (`INSERT … ON CONFLICT … RETURNING`, `UPDATE … RETURNING`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Row = Sequence[Any]


class Tx(Protocol):
    """One open transaction."""

    async def run(self, sql: str, *args: Any) -> list[Row]:
        """The rows that the statement gives, those of RETURNING included."""
        ...


class Db(Protocol):
    """A database that makes transactions."""

    def tx(self, *, durable: bool = True) -> AbstractAsyncContextManager[Tx]:
        """A transaction: committed at the end of the block, rolled back when the block raises.

        durable=False lets a power cut (not a killed process) undo the commit, which is enough for rows that the
        next start works out again: attempts, results of effects, what a card shows.
        """
        ...

    async def close(self) -> None:
        """Give the connection back."""
        ...
