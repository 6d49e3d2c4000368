"""One of two processes that act on the same reviews: `rival.py <kind> <address> <seed> <acts> <reviews> <report>`.

Each says a line for every act that it has done, and hears the other's: neither gets far ahead, also where the database
favours one of them. Several acts are under way at once in each. What came of them is written to the report, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.db.postgres import PostgresDb
from bot.db.sqlite import SqliteDb
from bot.reviews.machine import By
from bot.reviews.model import Decision, Review
from bot.reviews.policy import Standing
from bot.reviews.service import ReviewService
from bot.reviews.signing import Signer
from bot.types import Person, ReviewId, TeamId, UserId
from flows.testing import ManualClock

TEAM = TeamId("T1")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
AT_ONCE = 6
AHEAD = 10
"""How many acts one may be ahead of the other."""
OPEN = {"sqlite": SqliteDb.open, "postgres": PostgresDb.open}


async def standing(review: Review, user: UserId) -> Standing:
    return Standing(seeing={user})


async def payload(review: Review) -> str:
    return review.payload_hash


class Rival:
    """Clicks, retries of clicks, expiry, escalation and cancelling, with the chances that `seed` gives."""

    def __init__(
        self, service: ReviewService, clock: ManualClock, allowed: asyncio.Semaphore, seed: int, acts: int, reviews: int
    ) -> None:
        self._allowed = allowed
        self._service, self._clock, self._chance = service, clock, random.Random(seed)
        self._acts, self._names = acts, [ReviewId(f"rv{n:03}") for n in range(reviews)]
        self._clicks: list[tuple[Decision, Person]] = []
        # About half of the reviews are still open when the time of the first one ends.
        self._step = timedelta(minutes=200) / acts
        self.verdicts: Counter[str] = Counter()
        self.settled: list[str] = []

    async def act_all(self) -> None:
        await asyncio.gather(*(self._act_some(n) for n in range(AT_ONCE)))
        while made := await self._service.tick(TEAM, NOON + timedelta(hours=4)):
            self._note(made)

    async def _act_some(self, first: int) -> None:
        for _ in range(first, self._acts, AT_ONCE):
            await self._allowed.acquire()
            self._clock.advance(self._step)
            await self._act()
            print(".", flush=True)

    async def _act(self) -> None:
        name = self._chance.choice(self._names)
        kind = self._chance.choices(["click", "again", "tick", "escalate", "cancel"], [50, 15, 20, 10, 5])[0]
        if kind == "tick":
            self._note(await self._service.tick(TEAM, self._clock.now(), limit=self._chance.choice([1, 5, 50])))
        elif kind == "escalate":
            change = await self._service.escalate(TEAM, name, By(account="root"))
            self.verdicts["escalated" if change else "not escalated"] += 1
        elif kind == "cancel":
            change = await self._service.cancel(TEAM, name, By(account="root"))
            self._note([change] if change else [])
        else:
            await self._click(name, again=kind == "again")

    async def _click(self, name: ReviewId, *, again: bool) -> None:
        if not again or not self._clicks:
            user = UserId(f"U{self._chance.randrange(5)}")
            decision = Decision(
                team=TEAM,
                review=name,
                version=self._chance.choice([None, 1, 1, 3]),
                label=self._chance.choice(["approved", "rejected"]),
                user=user,
                user_team=TEAM,
                source="button",
            )
            self._clicks.append((decision, Person(team=TEAM, user=user, name=str(user))))
        decision, person = self._chance.choice(self._clicks) if again else self._clicks[-1]
        verdict = await self._service.decide(decision, person, standing, payload)
        self.verdicts[type(verdict).__name__] += 1
        if type(verdict).__name__ == "Won":
            self.settled.append(verdict.review.id)

    def _note(self, made) -> None:
        self.settled += [change.after.id for change in made if not change.after.is_pending]


async def hear(other: asyncio.StreamReader, allowed: asyncio.Semaphore) -> None:
    """Allow one more act for each that the other has done; as many as there are once it is gone."""
    while await other.readline():
        allowed.release()
    for _ in range(10_000):
        allowed.release()


async def act(kind: str, address: str, seed: int, acts: int, reviews: int) -> dict[str, object]:
    db = await OPEN[kind](address)
    clock, allowed = ManualClock(NOON), asyncio.Semaphore(AHEAD)
    service = ReviewService(db, Signer(b"k" * 32), clock, code_version="1.0")
    rival = Rival(service, clock, allowed, seed, acts, reviews)
    other = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(other), sys.stdin)
    print("ready", flush=True)
    await other.readline()
    hearing = asyncio.create_task(hear(other, allowed))
    await rival.act_all()
    hearing.cancel()
    await db.close()
    return {"settled": rival.settled, "verdicts": rival.verdicts}


if __name__ == "__main__":
    kind, address, seed, acts, reviews, report = sys.argv[1:]
    done = asyncio.run(act(kind, address, int(seed), int(acts), int(reviews)))
    Path(report).write_text(json.dumps(done), "utf-8")
