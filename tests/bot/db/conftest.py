"""The databases that every store is held to: a SQLite file, and a PostgreSQL of the tests' own.

The server is made, started on a socket in a temporary folder, and stopped again.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.db import Db
from bot.db.postgres import PostgresDb
from bot.db.sqlite import SqliteDb
from bot.reviews.content import Content
from bot.reviews.gate_policy import GatePolicy, Rung, Who
from bot.reviews.model import Decision, Gate, NewReview, Review
from bot.reviews.policy import Standing
from bot.reviews.service import ReviewService
from bot.reviews.signing import Signer
from bot.types import ChannelId, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId
from flows.testing import ManualClock

T1 = TeamId("T1")
HOME = ThreadKey(team=T1, channel=ChannelId("C1"), ts=Ts("1.0"))
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
OPEN = {"sqlite": SqliteDb.open, "postgres": PostgresDb.open}


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb") or ""]
    if not found[-1]:
        reason = "PostgreSQL's server is not installed; get it with: apt-get install postgresql"
        if os.environ.get("REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)
    tools = Path(found[-1]).parent
    # initdb refuses to run as root: the folder and the server belong to the user that the package made.
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="placet-pg-") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        run = {"check": True, "capture_output": True, "user": user, "timeout": 60, "cwd": folder}
        subprocess.run([tools / "initdb", "-A", "trust", "-U", "placet", "-D", data], **run)
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        subprocess.run([tools / "pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start"], **run)
        try:
            yield f"host={folder} user=placet dbname=postgres"
        finally:
            subprocess.run([tools / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **run)


def empty(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")


@pytest.fixture
def empty_postgres(postgres_dsn: str) -> str:
    """The address of a PostgreSQL database without a table."""
    empty(postgres_dsn)
    return postgres_dsn


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request, tmp_path) -> tuple[str, str]:
    """An empty database: its kind, and where it is."""
    if request.param == "sqlite":
        return "sqlite", str(tmp_path / "placet.db")
    return "postgres", request.getfixturevalue("empty_postgres")


@pytest.fixture
async def open_db(address: tuple[str, str]) -> AsyncIterator[Callable[[], Awaitable[Db]]]:
    """Opens the database once more, as one more process would."""
    kind, where = address
    opened: list[Db] = []

    async def open_one() -> Db:
        opened.append(await OPEN[kind](where))
        return opened[-1]

    yield open_one
    for each in opened:
        await each.close()


@pytest.fixture
async def db(open_db: Callable[[], Awaitable[Db]]) -> Db:
    return await open_db()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def make_service(clock: ManualClock) -> Callable[[Db], ReviewService]:
    """The one door to decisions, on a database; all share one clock and one key."""
    return lambda db: ReviewService(db, Signer(b"k" * 32), clock, code_version="1.0")


@pytest.fixture
def reviews(db: Db, make_service: Callable[[Db], ReviewService]) -> ReviewService:
    return make_service(db)


@pytest.fixture
def make_new() -> Callable[..., NewReview]:
    """A review that is about to be opened, with whatever the test says otherwise. `policy` takes a policy's fields."""

    def make(name: str = "rv1", *, policy: dict[str, Any] | None = None, **changes: Any) -> NewReview:
        values: dict[str, Any] = {
            "id": ReviewId(name),
            "run": RunId("run1"),
            "thread": HOME,
            "requester": Person(team=T1, user=UserId("UANA"), name="Ana"),
            "gate": Gate(flow_name="f", method="m", question="Publish?", emit=("approved", "rejected")),
            "content": Content(kind="text", text="100 % “done”?"),
            "language": "en",
            "target_channel": HOME.channel,
            "target_thread": HOME.ts,
            "payload_hash": "h",
            "policy": GatePolicy(
                gate="f.m",
                **{
                    "review_time": timedelta(minutes=30),
                    "ladder": (Rung(who=(WHO_DANA,), review_time=timedelta(minutes=10)),),
                    **(policy or {}),
                },
            ),
        }
        return NewReview(**{**values, **changes})

    return make


WHO_DANA = Who(kind="person", id="UDANA", name="dana@example.com")


@pytest.fixture
def opened(reviews: ReviewService, make_new: Callable[..., NewReview]) -> Callable[..., Awaitable[Review]]:
    """An open review whose card is confirmed at ts 2.0, or at `ts`; None leaves it unposted."""

    async def make(name: str = "rv1", *, ts: str | None = "2.0", **changes: Any) -> Review:
        review = await reviews.open(make_new(name, **changes))
        if ts is None:
            return review
        await reviews.posted(review, MessageRef(channel=review.target_channel, ts=Ts(ts)))
        found = await reviews.store.get(review.team, review.id)
        assert found is not None
        return found

    return make


Decide = Callable[..., Awaitable[Any]]


@pytest.fixture
def decide(make_person: Callable[..., Person]) -> Decide:
    """Press an outcome's button, as Bruno unless the test says otherwise."""

    async def press(service: ReviewService, review: Review, label: str = "approved", **changes: Any) -> Any:
        person = make_person(user=UserId(changes.pop("user", "UBRUNO")))
        hash_now = changes.pop("hash_now", review.payload_hash)

        async def standing(review: Review, user: UserId) -> Standing:
            return Standing(seeing={user})

        async def payload(review: Review) -> str:
            return hash_now

        decision = Decision(
            team=review.team,
            review=review.id,
            label=label,
            user=person.user,
            user_team=person.team,
            source=changes.pop("source", "button"),
            **changes,
        )
        return await service.decide(decision, person, standing, payload)

    return press
