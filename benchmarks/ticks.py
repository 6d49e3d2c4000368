"""What a tick of the clock costs while many reviews wait: the ticker, the service and the store as they run.

python benchmarks/ticks.py                         1,000 against 100,000 pending, on SQLite
python benchmarks/ticks.py --postgres "dbname=x"   the same on PostgreSQL, in schemas that it makes and drops
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import structlog

from bot.db import Db
from bot.db.postgres import PostgresDb
from bot.db.sqlite import SqliteDb
from bot.escalation import Escalation
from bot.reviews import record
from bot.reviews.content import Content
from bot.reviews.gate_policy import GatePolicy
from bot.reviews.model import Gate, NewReview
from bot.reviews.service import ReviewService
from bot.reviews.signing import Signer
from bot.types import ChannelId, Lane, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId

TEAM, SIGNER = TeamId("T1"), Signer(bytes(32))
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DUE = 50
ROUNDS = 30
EMPTY_TICKS = 10
"""Per round."""
AIM = 1.5


@dataclass
class JumpingClock:
    moment: datetime = NOON

    def now(self) -> datetime:
        return self.moment


class NoLanes:
    """A dispatcher whose lanes are somebody else's: what they do is no part of a tick."""

    async def start(self, *_: Any) -> None: ...
    def kick(self, lane: Lane) -> None: ...
    async def drain(self) -> None: ...
    async def stop(self) -> None: ...


@dataclass
class Bench:
    """One database with `pending` reviews that wait for days, and DUE more for each round."""

    pending: int
    db: Db
    clock: JumpingClock = field(default_factory=JumpingClock)
    empty_ms: list[float] = field(default_factory=list)
    due_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reviews = ReviewService(self.db, SIGNER, self.clock, code_version="bench")
        self.ticker = Escalation(team=TEAM, db=self.db, reviews=self.reviews, dispatcher=NoLanes(), clock=self.clock)

    async def fill(self) -> None:
        """One review by the ordinary way, then its copies: row, card and two lines of the record each."""
        total = self.pending + ROUNDS * DUE
        pattern = await self.reviews.open(new_review())
        await self.reviews.posted(pattern, MessageRef(channel=pattern.target_channel, ts=Ts("1.000001")))
        entries = await self.reviews.store.audit(TEAM, pattern.id)
        # Round k of those that fall due comes k minutes after the pattern; the others wait for days.
        first, far = NOON.timestamp() + 14_400, NOON.timestamp() + 30 * 86_400
        due_at = f"case when i <= {ROUNDS * DUE} then {first} + 60.0 * ((i - 1) / {DUE} + 1) else {far} + i end"
        own = {
            "id": "'copy' || i",
            "n": "i + 1",
            "run_id": "'run' || i",
            # The rows of a table do not stand in the order of their deadlines.
            "thread_ts": "'1.' || i",
            "target_channel": f"'C' || (i % {DUE})",
            "expires_at": due_at,
            "next_at": due_at,
        }
        await self._copy("reviews", REVIEW_COLUMNS, own, total)
        await self._copy("cards", CARD_COLUMNS, {"review_id": "'copy' || i", "ts": "'2.' || i"}, total)
        for start in range(1, total + 1, 1_000):
            names = [ReviewId(f"copy{i}") for i in range(start, min(start + 1_000, total + 1))]
            async with self.db.tx(durable=False) as tx:
                lines = [replace(entry, review=name) for name in names for entry in entries]
                await record.append(tx, TEAM, lines, signer=SIGNER, code_version="bench")
        await self._analyze()
        # The pattern itself falls due first and is out of the way.
        self.clock.moment = datetime.fromtimestamp(first, UTC)
        assert len(await self.ticker.tick()) == 1

    async def round(self) -> None:
        """Ticks with nothing due, then one with DUE."""
        for _ in range(EMPTY_TICKS):
            begun = time.perf_counter()
            made = await self.ticker.tick()
            self.empty_ms.append((time.perf_counter() - begun) * 1e3)
            assert made == []
        self.clock.moment += timedelta(minutes=1)
        begun = time.perf_counter()
        made = await self.ticker.tick()
        self.due_ms.append((time.perf_counter() - begun) * 1e3)
        assert len(made) == DUE, len(made)

    async def _analyze(self) -> None:
        """As a server does by itself from time to time. SQLite never does, so neither does this."""
        if isinstance(self.db, PostgresDb):
            async with self.db.tx() as tx:
                await tx.run("analyze")

    async def _copy(self, table: str, columns: Sequence[str], own: dict[str, str], total: int) -> None:
        copied = ", ".join(own.get(name, name) for name in columns)
        async with self.db.tx(durable=False) as tx:
            await tx.run(
                f"insert into {table}({', '.join(columns)}) with recursive copies(i) as"
                " (select 1 union all select i + 1 from copies where i < ?)"
                f" select {copied} from (select * from {table}) pattern, copies",
                total,
            )


# fmt: off
REVIEW_COLUMNS = (
    "team_id", "id", "n", "run_id", "flow_name", "method", "round", "requester", "requester_name", "question", "emit",
    "metadata", "language", "opened_at", "policy", "inputs", "said", "channel", "thread_ts", "target_channel",
    "target_thread_ts", "content", "payload_hash", "state", "version", "content_version", "posted_at", "post_tries",
    "level", "asked", "passed_over", "asked_at", "reminded", "expires_at", "next_at", "blocked", "reason_code",
)
CARD_COLUMNS = ("team_id", "channel", "ts", "review_id", "kind", "thread_ts", "user_id", "note", "shown_version")
# fmt: on


def new_review() -> NewReview:
    thread = ThreadKey(team=TEAM, channel=ChannelId("C1"), ts=Ts("1.0"))
    return NewReview(
        id=ReviewId("pattern"),
        run=RunId("run"),
        thread=thread,
        requester=Person(team=TEAM, user=UserId("U0123456789"), name="Ana Souza"),
        gate=Gate(flow_name="refund", method="review", question="Pay this refund?", emit=("approved", "rejected")),
        content=Content(kind="text", text="A refund of 4,200 USD, since the parcel never came. " * 10),
        language="en",
        target_channel=thread.channel,
        target_thread=thread.ts,
        payload_hash="0" * 64,
        policy=GatePolicy(gate="refund.review"),
    )


async def measured(benches: list[Bench]) -> dict[str, Any]:
    for bench in benches:
        await bench.fill()
    # In turns, so that what else the machine does falls on both.
    for _ in range(ROUNDS):
        for bench in benches:
            await bench.round()
    figures: dict[str, Any] = {}
    for bench in benches:
        figures[f"{bench.pending} pending"] = {
            "nothing_due_ms_median": statistics.median(bench.empty_ms),
            f"{DUE}_due_ms_median": statistics.median(bench.due_ms),
            f"{DUE}_due_ms_p95": statistics.quantiles(bench.due_ms, n=20)[-1],
        }
    few, many = benches[0], benches[-1]
    figures["ratio"] = {
        "nothing_due": statistics.median(many.empty_ms) / statistics.median(few.empty_ms),
        f"{DUE}_due": statistics.median(many.due_ms) / statistics.median(few.due_ms),
        "aim": AIM,
    }
    return figures


async def on_sqlite(pending: list[int], folder: Path) -> dict[str, Any]:
    benches = [Bench(each, await SqliteDb.open(folder / f"{each}.db")) for each in pending]
    figures = await measured(benches)
    for bench in benches:
        await bench.db.close()
    return figures


async def on_postgres(pending: list[int], dsn: str) -> dict[str, Any]:
    """Each size in a schema of its own, in one database."""
    with psycopg.connect(dsn, autocommit=True) as admin:
        for each in pending:
            admin.execute(f"drop schema if exists pending{each} cascade; create schema pending{each}")
    benches = [Bench(each, await PostgresDb.open(f"{dsn} options='-c search_path=pending{each}'")) for each in pending]
    figures = await measured(benches)
    for bench in benches:
        await bench.db.close()
    with psycopg.connect(dsn, autocommit=True) as admin:
        for each in pending:
            admin.execute(f"drop schema pending{each} cascade")
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pending", type=int, nargs=2, default=[1_000, 100_000], metavar=("FEW", "MANY"))
    parser.add_argument("--postgres", metavar="DSN")
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if args.postgres:
        figures = asyncio.run(on_postgres(args.pending, args.postgres))
        versions = {"psycopg": psycopg.__version__}
    else:
        with tempfile.TemporaryDirectory() as folder:
            figures = asyncio.run(on_sqlite(args.pending, Path(folder)))
        versions = {"sqlite": sqlite3.sqlite_version}
    rounded = {what: {name: round(each, 2) for name, each in row.items()} for what, row in figures.items()}
    print(json.dumps({**rounded, "versions": {"python": platform.python_version(), **versions}}, indent=1))


if __name__ == "__main__":
    main()
