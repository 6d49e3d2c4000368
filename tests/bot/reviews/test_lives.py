"""Whole lives of reviews: people, the clock and crashes in any order, on a real database file."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from bot.db import Db, Tx
from bot.db.sqlite import SqliteDb
from bot.reviews import record
from bot.reviews.audit import Head, SealedRow
from bot.reviews.audit_check import verify
from bot.reviews.content import Content
from bot.reviews.gate_policy import GatePolicy, Limit, Rung, Tier, Who
from bot.reviews.machine import OVER, By
from bot.reviews.model import Decision, Gate, NewReview, Review, ReviewState, Source, Stale, Won
from bot.reviews.policy import Standing
from bot.reviews.service import ReviewService
from bot.reviews.signing import Signer
from bot.types import ChannelId, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId
from flows.testing import ManualClock

T = TypeVar("T")
S = ReviewState
TEAM = TeamId("T1")
SIGNER = Signer(b"k" * 32)
START = datetime(2026, 11, 30, 12, tzinfo=UTC)
KINDS: dict[str, dict[str, Any]] = {
    "UANA": {},
    "UBRUNO": {},
    "UCARLA": {},
    "UGIL": {"is_guest": True},
    "UEVE": {"is_stranger": True},
    "UBOT": {"is_bot": True},
    "UGONE": {"is_deleted": True},
}
PEOPLE = {UserId(id_): Person(team=TEAM, user=UserId(id_), name=id_, **kind) for id_, kind in KINDS.items()}
MEMBERS = frozenset({UserId("UANA"), UserId("UBRUNO"), UserId("UCARLA"), UserId("UGIL")})
FIT = frozenset({"T1/UANA", "T1/UBRUNO", "T1/UCARLA"})
EMITS = (("approved", "rejected", "needs_revision"), ("approved", "needs_revision"), ("ship_it", "rejected"), ())
ENDS = {"decided", "auto_approved", "auto_rejected", "lapsed", "cancelled"}
WINDOW = timedelta(hours=6)
BY_PEOPLE = {S.APPROVED, S.REJECTED, S.RETURNED, S.ANSWERED}
DECIDED = {S.APPROVED, S.REJECTED, S.RETURNED, S.ANSWERED, S.AUTO_APPROVED, S.AUTO_REJECTED}

who = st.sampled_from(sorted(PEOPLE)).map(lambda id_: Who(kind="person", id=id_, name=f"@{id_.casefold()}"))
several = st.lists(who, min_size=1, max_size=3, unique=True).map(tuple)
span = st.integers(1, 90).map(lambda count: timedelta(minutes=count))
rungs = st.lists(st.builds(Rung, who=several, review_time=span), max_size=3).map(tuple)
limits = st.just(Limit(field="amount", up_to=Decimal(100), sum_up_to=Decimal(150), window=WINDOW))
policies = st.builds(
    GatePolicy,
    gate=st.just("flow.step"),
    tier=st.sampled_from(Tier),
    autonomy=st.sampled_from(["ask", "ask", "auto"]),
    limit=st.none() | limits,
    limit_reason=st.sampled_from(["", "small"]),
    review_time=span,
    reminders=st.lists(span, max_size=3, unique=True).map(lambda found: tuple(sorted(found))),
    ladder=rungs,
    on_timeout=st.sampled_from(["reject", "auto_approve"]),
    blocks=st.booleans(),
    pool=st.none() | several,
    self_approval=st.booleans(),
    former_assignees=st.booleans(),
    reason_codes=st.sampled_from([(), ("dear",)]),
    loop_limit=st.integers(1, 3),
)


class Died(Exception):
    """The process ends here."""


class MortalDb:
    """A database whose process ends at one of its transactions: just before it is committed, or just after.

    Only transactions of the work count, and none of those that look at what it has left.
    """

    def __init__(self, db: SqliteDb) -> None:
        self._db = db
        self.is_at_work = False
        self.lives, self.dies = 0, "after"

    @asynccontextmanager
    async def tx(self, *, durable: bool = True) -> AsyncGenerator[Tx]:
        """See `bot.db.Db.tx`."""
        self.lives -= self.is_at_work
        is_last = self.is_at_work and self.lives == 0
        async with self._db.tx(durable=durable) as tx:
            yield tx
            if is_last and self.dies == "before":
                raise Died
        if is_last:
            raise Died

    async def close(self) -> None:
        """Let go of the file."""
        await self._db.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the file holds."""

    reviews: list[Review]
    rows: list[SealedRow]
    head: Head | None
    work: set[str]
    timed: set[ReviewId]


class Lives(RuleBasedStateMachine):
    """What people, the clock and crashes do, and what must hold whatever they do."""

    seen = Bundle("seen")
    """Reviews as somebody saw them once: what a person, a lane or a runner goes by may be long out of date."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.clock = ManualClock(START)
        self.opened = self.cards = self.changes = 0
        self.payloads: dict[ReviewId, str] = {}
        """What the run of each review would go on with now."""
        self.runners: Counter[tuple[ReviewId, str]] = Counter()
        self.policies: dict[ReviewId, GatePolicy] = {}
        self.amounts: dict[ReviewId, Decimal | None] = {}
        self.wake()

    def teardown(self) -> None:
        """Nobody acts any more: in finite time every review has its end."""
        try:
            self.db.lives = 0
            for _ in range(8):
                self.clock.advance(timedelta(hours=30))
                while self.run(self.service.tick(TEAM, self.clock.now())):
                    pass
            for review in self.run(self.read()).reviews:
                self.run_branch(review, failed=False)
            ends = {review.id: review.state for review in self.run(self.read()).reviews}
            assert {id_: state for id_, state in ends.items() if state not in OVER} == {}
            self.everything_holds()
        finally:
            self.run(self.db.close())
            self.runner.close()
            self.folder.cleanup()

    # ------------------------------------------------------------ acts

    @rule(
        target=seen,
        policy=policies,
        emit=st.sampled_from(EMITS),
        requester=st.sampled_from(["UANA", "UBRUNO"]),
        amount=st.none() | st.integers(1, 160).map(Decimal),
        run=st.sampled_from(["run1", "run2"]),
    )
    def open(
        self, policy: GatePolicy, emit: tuple[str, ...], requester: str, amount: Decimal | None, run: str
    ) -> Review:
        self.opened += 1
        id_ = ReviewId(f"rv{self.opened}")
        self.payloads[id_], self.policies[id_], self.amounts[id_] = "h0", policy, amount
        new = NewReview(
            id=id_,
            run=RunId(run),
            thread=ThreadKey(team=TEAM, channel=ChannelId("C1"), ts=Ts("1.0")),
            requester=PEOPLE[UserId(requester)],
            gate=Gate(flow_name="flow", method="step", question="?", emit=emit),
            content=Content(kind="text", text="A draft."),
            language="en",
            target_channel=ChannelId("C1"),
            target_thread=Ts("1.0"),
            payload_hash="h0",
            policy=policy,
            amount=amount if policy.limit else None,
        )
        # Recovery opens again what a crash has cut off.
        return self.attempt(lambda: self.service.open(new)) or self.run(self.service.open(new))

    @rule(target=seen, review=seen)
    def look(self, review: Review) -> Any:
        found = self.run(self.service.store.get(TEAM, review.id))
        return multiple() if found is None else found

    @rule(review=seen)
    def confirm_card(self, review: Review) -> None:
        self.cards += 1
        ref = MessageRef(channel=ChannelId("C1"), ts=Ts(f"{100 + self.cards}.0"))
        self.attempt(lambda: self.service.posted(review, ref))

    @rule(
        review=seen,
        user=st.sampled_from(sorted(PEOPLE)),
        choice=st.integers(-1, 3),
        source=st.sampled_from(["button", "modal", "words", "command"]),
        card=st.sampled_from(["newest", "oldest", "none", "another"]),
        code=st.sampled_from(["", "dear"]),
        slack_says=st.sampled_from([True, True, True, False]),
    )
    def decide(
        self, review: Review, user: UserId, choice: int, source: Source, card: str, code: str, slack_says: bool
    ) -> None:
        shown = [each.ref for each in self.run(self.service.cards.of(TEAM, review.id))]
        cards = {"newest": shown[-1:], "oldest": shown[:1], "none": []}
        ref = next(iter(cards.get(card, [MessageRef(channel=ChannelId("C9"), ts=Ts("9.9"))])), None)
        decision = Decision(
            team=TEAM,
            review=review.id,
            version=None if source == "words" else review.version,
            choice=choice if review.gate.emit else None,
            user=user,
            user_team=TEAM,
            source=source,
            card=ref,
            reason_code=code,
        )

        async def standings(at: Review, _: UserId) -> Standing | None:
            if not slack_says:
                return None
            asked = None if at.asked is None else {UserId(each.id) for each in at.asked}
            return Standing(seeing=MEMBERS, asked=asked, before={UserId(each.id) for each in at.passed_over})

        async def hashes(at: Review) -> str | None:
            return self.payloads[at.id]

        verdict = self.attempt(lambda: self.service.decide(decision, PEOPLE[user], standings, hashes))
        if isinstance(verdict, Won):
            assert slack_says
            assert card != "another" or not shown
            assert verdict.review.payload_hash == self.payloads[review.id]
        if isinstance(verdict, Stale) and verdict.payload_changed:
            self.ask_anew(review)

    @rule(review=seen)
    def payload_changes(self, review: Review) -> None:
        self.changes += 1
        self.payloads[review.id] = f"h{self.changes}"

    @rule(review=seen)
    def ask_anew(self, review: Review) -> None:
        content = Content(kind="text", text=self.payloads[review.id])
        self.attempt(lambda: self.service.changed(TEAM, review.id, self.payloads[review.id], content))

    @rule(review=seen, failed=st.booleans())
    def run_branch(self, review: Review, failed: bool) -> None:
        found = self.run(self.service.store.get(TEAM, review.id))
        assert found is not None
        if found.state in DECIDED and found.started_at is None and self.payloads[review.id] != found.payload_hash:
            self.payloads[review.id] = found.payload_hash
        started = self.attempt(lambda: self.service.start(TEAM, review.id))
        if started is not None:
            self.runners[review.id, f"{started.payload_hash}@{started.decided_at}"] += 1
        now = self.run(self.service.store.get(TEAM, review.id))
        if now is not None and now.started_at is not None:
            self.attempt(lambda: self.service.settle(TEAM, review.id, failed=failed, result="Done."))

    @rule(review=seen)
    def start(self, review: Review) -> None:
        started = self.attempt(lambda: self.service.start(TEAM, review.id))
        if started is not None:
            self.runners[review.id, f"{started.payload_hash}@{started.decided_at}"] += 1

    @rule(review=seen, user=st.sampled_from(sorted(MEMBERS)))
    def escalate(self, review: Review, user: UserId) -> None:
        self.attempt(lambda: self.service.escalate(TEAM, review.id, By(person=PEOPLE[user])))

    @rule(review=seen, to=several)
    def reassign(self, review: Review, to: tuple[Who, ...]) -> None:
        self.attempt(lambda: self.service.reassign(TEAM, review.id, to, By(account="root")))

    @rule(review=consumes(seen))
    def cancel(self, review: Review) -> None:
        self.attempt(lambda: self.service.cancel(TEAM, review.id, By(account="root")))

    @rule(review=seen)
    def remind(self, review: Review) -> None:
        self.attempt(lambda: self.service.remind(TEAM, review.id, By(account="root")))

    @rule(review=seen)
    def lift(self, review: Review) -> None:
        self.attempt(lambda: self.service.lift(TEAM, review.id, By(account="root")))

    @rule(review=seen)
    def card_fails(self, review: Review) -> None:
        self.attempt(lambda: self.service.store.failed_to_post(review))

    @rule(minutes=st.sampled_from([0, 1, 15, 60, 300]))
    def time_passes(self, minutes: int) -> None:
        self.clock.advance(timedelta(minutes=minutes))

    @rule(limit=st.sampled_from([1, 50]))
    def tick(self, limit: int) -> None:
        self.attempt(lambda: self.service.tick(TEAM, self.clock.now(), limit=limit))

    @rule(after=st.integers(1, 4), how=st.sampled_from(["before", "after"]))
    def will_die(self, after: int, how: Literal["before", "after"]) -> None:
        self.db.lives, self.db.dies = after, how

    # ------------------------------------------------------------ what must hold

    @invariant()
    def everything_holds(self) -> None:
        kept = self.run(self.read())
        assert verify(kept.rows, kept.head, SIGNER.public_key) is None
        assert kept.timed == {review.id for review in kept.reviews if review.is_pending}
        assert [key for key, count in self.runners.items() if count > 1] == []
        for review in kept.reviews:
            rows = [row for row in kept.rows if row.review == review.id]
            self._states_follow_each_other(review, rows)
            self._one_end_for_each_content(rows)
            self._nobody_decided_who_may_not(review, rows)
            self._executed_once_and_only_after_approval(rows)
            self._every_end_has_its_work(review, rows, kept.work)
        self._what_passed_unseen_keeps_its_limit(kept)

    def _states_follow_each_other(self, review: Review, rows: list[SealedRow]) -> None:
        moves = [row for row in rows if row.version is not None]
        assert [row.version for row in moves] == list(range(1, review.version + 1))
        assert [row.from_state for row in moves[1:]] == [row.to_state for row in moves[:-1]]
        assert (moves[0].from_state, moves[-1].to_state) == (None, review.state)
        assert review.state is not S.ESCALATED

    def _one_end_for_each_content(self, rows: list[SealedRow]) -> None:
        ends = Counter(row.payload_hash for row in rows if row.kind in ENDS)
        assert [digest for digest, count in ends.items() if count > 1] == []

    def _nobody_decided_who_may_not(self, review: Review, rows: list[SealedRow]) -> None:
        policy = self.policies[review.id]
        asked = None if policy.pool is None else {f"T1/{each.id}" for each in policy.pool}
        before: set[str] = set()
        for row in rows:
            if row.kind in ("assigned", "reassigned"):
                before |= asked or set()
                asked = {f"T1/{id_}" for id_ in json.loads(row.detail)["asked"]}
            elif row.kind == "decided":
                former = before if policy.former_assignees else set[str]()
                assert row.actor in FIT
                assert asked is None or row.actor in asked | former
                if not policy.self_approval and row.to_state in (S.APPROVED, S.ANSWERED):
                    assert row.actor != f"T1/{review.requester}"
            elif row.to_state in BY_PEOPLE and row.from_state == S.PENDING:
                raise AssertionError(f"{row.kind} made it {row.to_state}")

    def _executed_once_and_only_after_approval(self, rows: list[SealedRow]) -> None:
        runners = 0
        for row in rows:
            if row.kind == "started":
                runners += 1
            elif row.kind in ENDS:
                runners = 0
            if row.to_state == S.EXECUTING and row.version is not None:
                assert row.from_state in (S.APPROVED, S.AUTO_APPROVED)
            assert runners <= 1

    def _every_end_has_its_work(self, review: Review, rows: list[SealedRow], work: set[str]) -> None:
        kinds = {"decided": "resume", "auto_approved": "resume", "auto_rejected": "resume", "payload_changed": "card"}
        wanted = {f"{kinds[row.kind]}:{review.id}:{row.version}" for row in rows if row.kind in kinds}
        assert wanted <= work

    def _what_passed_unseen_keeps_its_limit(self, kept: Kept) -> None:
        by_id = {review.id: review for review in kept.reviews}
        passed: list[tuple[int, UserId, Decimal]] = []
        for row in kept.rows:
            if row.kind != "auto_approved":
                continue
            review = by_id[ReviewId(str(row.review))]
            policy, amount = self.policies[review.id], self.amounts[review.id]
            assert policy.tier is Tier.LOW
            assert policy.limit is not None
            assert policy.limit_reason == row.reason_code == "small"
            assert amount is not None
            assert amount <= policy.limit.up_to
            assert row.outcome == "approved"
            # One that was asked for anew after all is none of them any more.
            if review.amount is not None:
                passed.append((row.at_us, review.requester, amount))
        for at, requester, _ in passed:
            since = at - WINDOW // timedelta(microseconds=1)
            assert sum(each for when, whose, each in passed if whose == requester and since < when <= at) <= 150

    async def read(self) -> Kept:
        """All that is stored."""
        reviews = [each for run in ("run1", "run2") for each in await self.service.store.of_run(TEAM, RunId(run))]
        async with self.db.tx(durable=False) as tx:
            return Kept(
                reviews=reviews,
                rows=await record.rows(tx, TEAM, 0, 100_000),
                head=await record.head(tx, TEAM),
                work={str(key) for (key,) in await tx.run("select key from inbox")},
                timed={ReviewId(id_) for (id_,) in await tx.run("select id from reviews where next_at is not null")},
            )

    # ------------------------------------------------------------ living and dying

    def wake(self) -> None:
        """A process begins on the file that the one before it left behind."""
        self.db = MortalDb(self.run(SqliteDb.open(Path(self.folder.name) / "t.db")))
        db: Db = self.db
        self.service = ReviewService(db, SIGNER, self.clock, code_version="1.2.3")

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def attempt(self, work: Any) -> Any:
        """What the work gives; None when the process ends on the way, and another one begins."""
        self.db.is_at_work = True
        try:
            return self.run(work())
        except Died:
            self.run(self.db.close())
            self.wake()
            return None
        finally:
            self.db.is_at_work = False


_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


class FewLives(Lives.TestCase):
    """Every run."""

    settings = settings(max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=_QUIET)


@pytest.mark.slow
@pytest.mark.timeout(900)
class ManyLives(Lives.TestCase):
    """Before a release."""

    settings = settings(max_examples=400, stateful_step_count=50, deadline=None, suppress_health_check=_QUIET)


TestFewLives, TestManyLives = FewLives, ManyLives
del FewLives, ManyLives
