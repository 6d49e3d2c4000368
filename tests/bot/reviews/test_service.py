"""The one door to a decision, and everything else that changes a review, on a real database."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot.db.sqlite import SqliteDb
from bot.reviews.content import Content
from bot.reviews.follow_ups import resume_entry
from bot.reviews.gate_policy import GatePolicy, Limit, Rung, Tier, Who
from bot.reviews.machine import By
from bot.reviews.model import (
    AlreadyResolved,
    AuditEntry,
    Card,
    Decision,
    Gate,
    NewReview,
    ReasonMissing,
    Refused,
    Review,
    ReviewState,
    Stale,
    Unknown,
    Unreadable,
    Verdict,
    Won,
)
from bot.reviews.policy import Standing
from bot.reviews.service import Hashes, ReviewService
from bot.reviews.signing import Signer
from bot.types import ChannelId, MessageRef, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId
from flows.testing import ManualClock

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TEAM = TeamId("T1")
ANA, BRUNO, CARLA = UserId("UANA"), UserId("UBRUNO"), UserId("UCARLA")
ASK_BRUNO, ASK_CARLA = (Who(kind="person", id=user, name=f"@{user.casefold()}") for user in (BRUNO, CARLA))
CARD = MessageRef(channel=ChannelId("C1"), ts=Ts("2.0"))
SYSTEM = By()
BY_BRUNO = By(person=Person(team=TEAM, user=BRUNO, name="Bruno"), source="command")
LIMIT = Limit(field="amount", up_to=Decimal(100), sum_up_to=Decimal(150), window=timedelta(days=1))

EVERYBODY = Standing(seeing={ANA, BRUNO, CARLA})

MakeNew = Callable[..., NewReview]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
async def db(tmp_path) -> AsyncIterator[SqliteDb]:
    opened = await SqliteDb.open(tmp_path / "t.db")
    yield opened
    await opened.close()


@pytest.fixture
def service(db, clock) -> ReviewService:
    return ReviewService(db, Signer(b"k" * 32), clock, code_version="1.2.3")


@pytest.fixture
def make_new() -> MakeNew:
    """A review to be opened: a draft of Ana's, for everybody in the channel."""

    def make(id_: str = "rv1", **changes: Any) -> NewReview:
        gate = Gate(
            flow_name="content_review",
            method="review_draft",
            question="Publish?",
            emit=changes.pop("emit", ("approved", "rejected", "needs_revision")),
            default_outcome=changes.pop("default_outcome", None),
        )
        policy = GatePolicy(gate="content_review.review_draft", **changes.pop("policy", {}))
        values: dict[str, Any] = {
            "id": ReviewId(id_),
            "run": RunId(f"run-{id_}"),
            "thread": ThreadKey(team=TEAM, channel=ChannelId("C1"), ts=Ts("1.0")),
            "requester": Person(team=TEAM, user=ANA, name="Ana"),
            "gate": gate,
            "content": Content(kind="text", text="A draft."),
            "language": "en",
            "target_channel": ChannelId("C1"),
            "target_thread": Ts("1.0"),
            "payload_hash": "h1",
            "policy": policy,
        }
        return NewReview(**{**values, **changes})

    return make


def person(user: UserId = BRUNO, **changes: Any) -> Person:
    return Person(**{"team": TEAM, "user": user, "name": user[1:].capitalize(), **changes})


async def decide(
    service: ReviewService,
    on: Review,
    *,
    who: Person | None = None,
    standing: Standing | None = EVERYBODY,
    payload: str | None = "h1",
    **changes: Any,
) -> Any:
    """What Bruno's press of "approved" on the card gives, with whatever the test says otherwise."""

    async def standings(_review: Review, _user: UserId) -> Standing | None:
        return standing

    async def hashes(_review: Review) -> str | None:
        return payload

    who = who or person()
    values: dict[str, Any] = {
        "team": TEAM,
        "review": on.id,
        "version": on.version,
        "label": "approved",
        "user": who.user,
        "user_team": who.team,
        "source": "button",
        "card": CARD,
    }
    return await service.decide(Decision(**{**values, **changes}), who, standings, hashes)


async def posted(service: ReviewService, new: NewReview) -> Review:
    review = await service.open(new)
    await service.posted(review, CARD)
    return await stored(service, review)


async def stored(service: ReviewService, review: Review) -> Review:
    found = await service.store.get(review.team, review.id)
    assert found is not None
    return found


async def record(service: ReviewService, review: Review) -> list[AuditEntry]:
    return await service.store.audit(review.team, review.id)


async def kinds(service: ReviewService, review: Review) -> list[str]:
    return [entry.kind for entry in await record(service, review)]


async def work(db: SqliteDb) -> list[str]:
    """The keys of the work that was stored, in order."""
    async with db.tx() as tx:
        return [str(row[0]) for row in await tx.run("select key from inbox order by rowid")]


# ---------------------------------------------------------------- opening and posting


async def test_opening_twice_opens_once(service, make_new) -> None:
    first = await service.open(make_new())
    again = await service.open(make_new(payload_hash="other"))

    assert again == first
    assert await kinds(service, first) == ["opened"]


async def test_the_clock_starts_when_the_card_is_confirmed_and_not_before(service, make_new, clock) -> None:
    review = await service.open(make_new(policy={"review_time": timedelta(minutes=3)}))
    clock.advance(timedelta(minutes=5))

    await service.posted(review, CARD)

    after = await stored(service, review)
    assert (after.posted_at, after.expires_at) == (NOON + timedelta(minutes=5), NOON + timedelta(minutes=8))
    entry = (await record(service, review))[-1]
    assert (entry.kind, entry.version, entry.detail) == (
        "posted",
        None,
        {"asked": ["channel"], "level": 0, "expires_at": "2026-11-30T12:08:00+00:00"},
    )


async def test_a_card_that_is_confirmed_twice_starts_one_clock(service, make_new, clock) -> None:
    review = await posted(service, make_new())
    clock.advance(timedelta(minutes=1))

    await service.posted(review, CARD)

    assert await stored(service, review) == review
    assert await kinds(service, review) == ["opened", "posted"]


async def test_a_card_that_was_on_its_way_while_its_content_changed_starts_no_clock(service, make_new) -> None:
    review = await service.open(make_new())
    await service.changed(TEAM, review.id, "h2", Content(kind="text", text="Other."))

    await service.posted(review, CARD)

    after = await stored(service, review)
    assert (after.posted_at, after.expires_at) == (None, None)
    assert await kinds(service, review) == ["opened", "payload_changed"]


async def test_a_card_that_was_on_its_way_while_it_moved_gives_those_who_are_asked_now_their_time(
    service, make_new
) -> None:
    rung = Rung(who=(ASK_CARLA,), review_time=timedelta(minutes=10))
    review = await service.open(make_new(policy={"ladder": (rung,), "review_time": timedelta(hours=1)}))
    await service.escalate(TEAM, review.id, BY_BRUNO)

    await service.posted(review, CARD)

    after = await stored(service, review)
    assert (after.level, after.expires_at) == (1, NOON + timedelta(minutes=10))
    assert (await record(service, review))[-1].detail["asked"] == [CARLA]


async def test_a_round_too_many_begins_one_rung_higher(service, make_new) -> None:
    rung = Rung(who=(ASK_CARLA,), review_time=timedelta(minutes=10))
    policy = {"loop_limit": 1, "ladder": (rung,), "pool": (ASK_BRUNO,)}
    first = await service.open(make_new("rv1", run=RunId("run"), policy=policy))
    second = await service.open(make_new("rv2", run=RunId("run"), policy=policy))

    assert (first.round, first.asked, first.level) == (1, (ASK_BRUNO,), 0)
    assert (second.round, second.asked, second.level) == (2, (ASK_CARLA,), 1)
    assert [(entry.kind, entry.reason_code) for entry in await record(service, second)] == [
        ("opened", ""),
        ("escalated", "loop_limit"),
        ("assigned", ""),
    ]


AUTO = {"autonomy": "auto", "limit": LIMIT, "limit_reason": "small"}


async def test_an_automatic_gate_passes_within_its_limit_with_a_full_line_of_its_own(service, make_new, db) -> None:
    review = await service.open(make_new(policy=AUTO, amount=Decimal(100)))

    assert (review.state, review.outcome, review.source) == (ReviewState.AUTO_APPROVED, "approved", "auto")
    opened, passed = await record(service, review)
    assert opened.kind == "opened"
    assert (passed.kind, passed.actor, passed.reason_code, passed.source) == (
        "auto_approved",
        "system",
        "small",
        "auto",
    )
    assert (passed.policy_hash, passed.payload_hash) == (review.policy.digest, "h1")
    assert await work(db) == ["resume:rv1:2"]


@pytest.mark.parametrize(
    ("policy", "amount"),
    [
        pytest.param(AUTO | {"autonomy": "ask"}, Decimal(1), id="it-asks"),
        pytest.param(AUTO, Decimal("100.01"), id="above-the-limit"),
        pytest.param(AUTO, None, id="no-readable-amount"),
        pytest.param(AUTO | {"tier": Tier.MEDIUM}, Decimal(1), id="not-low"),
        pytest.param(AUTO | {"limit_reason": ""}, Decimal(1), id="nobody-said-why"),
    ],
)
async def test_everything_else_waits_for_somebody(service, make_new, policy, amount) -> None:
    review = await service.open(make_new(policy=policy, amount=amount))

    assert review.is_pending
    assert await kinds(service, review) == ["opened"]


async def test_one_big_thing_in_small_pieces_does_not_pass(service, make_new, clock) -> None:
    pieces = [await service.open(make_new(f"rv{n}", policy=AUTO, amount=Decimal(70))) for n in (1, 2, 3)]
    by_another = await service.open(make_new("rv4", policy=AUTO, amount=Decimal(70), requester=person(CARLA)))
    clock.advance(timedelta(days=1, seconds=1))
    later = await service.open(make_new("rv5", policy=AUTO, amount=Decimal(70)))

    assert [piece.state.value for piece in pieces] == ["auto_approved", "auto_approved", "pending_review"]
    assert by_another.state is ReviewState.AUTO_APPROVED
    assert later.state is ReviewState.AUTO_APPROVED


async def test_what_passes_by_silence_counts_each_piece_of_one_tick(service, make_new, clock) -> None:
    policy = {"on_timeout": "auto_approve", "limit": LIMIT, "limit_reason": "small"}
    pieces = [await posted(service, make_new(f"rv{n}", policy=policy, amount=Decimal(70))) for n in (1, 2, 3)]
    clock.advance(timedelta(hours=4))

    await service.tick(TEAM, clock.now())

    assert [(await stored(service, piece)).state.value for piece in pieces] == [
        "auto_approved",
        "auto_approved",
        "auto_rejected",
    ]


# ---------------------------------------------------------------- deciding


@pytest.mark.parametrize(
    ("label", "state"),
    [
        ("approved", ReviewState.APPROVED),
        ("rejected", ReviewState.REJECTED),
        ("needs_revision", ReviewState.RETURNED),
    ],
)
async def test_the_first_decides_and_the_work_that_follows_is_stored_with_it(
    service, make_new, db, label, state
) -> None:
    review = await posted(service, make_new())

    verdict = await decide(service, review, label=label, note="words")

    assert isinstance(verdict, Won)
    assert verdict.review == await stored(service, review)
    assert (verdict.review.state, verdict.review.outcome, verdict.review.note) == (state, label, "words")
    entry = (await record(service, review))[-1]
    assert (entry.kind, entry.actor, entry.outcome, entry.text) == ("decided", "T1/UBRUNO", label, "words")
    assert (entry.from_state, entry.to_state, entry.at) == (ReviewState.PENDING, state, NOON)
    assert await work(db) == ["resume:rv1:2"]


async def test_a_gate_without_outcomes_is_answered(service, make_new) -> None:
    review = await posted(service, make_new(emit=()))

    verdict = await decide(service, review, label=None, note="an opinion", source="modal")

    assert isinstance(verdict, Won)
    assert verdict.review.state is ReviewState.ANSWERED


async def test_an_explicit_skip_takes_the_gates_default_and_is_told_apart(service, make_new) -> None:
    review = await posted(service, make_new(default_outcome="needs_revision"))

    verdict = await decide(service, review, label=None, skip=True)

    assert isinstance(verdict, Won)
    assert (verdict.review.outcome, verdict.review.source) == ("needs_revision", "skip")


async def test_whoever_is_second_learns_who_and_when(service, make_new, clock) -> None:
    review = await posted(service, make_new())
    await decide(service, review)
    clock.advance(timedelta(seconds=1))

    verdict = await decide(service, review, who=person(CARLA), label="rejected")

    assert isinstance(verdict, AlreadyResolved)
    assert (verdict.review.decided_by, verdict.review.decided_at) == (BRUNO, NOON)
    assert (await kinds(service, review)).count("decided") == 1


@pytest.mark.parametrize(
    ("user", "standing"),
    [
        pytest.param(BRUNO, Standing(seeing=set(), asked={CARLA}, before={BRUNO}), id="passed-over"),
        pytest.param(ANA, Standing(seeing=set(), asked={ANA}), id="who-asked-for-it"),
    ],
)
async def test_whoever_had_their_part_in_it_learns_who_decided_and_is_not_refused(
    service, make_new, user, standing
) -> None:
    review = await posted(service, make_new(policy={"self_approval": False}))
    await decide(service, review, who=person(CARLA), label="rejected")

    verdict = await decide(service, review, who=person(user), standing=standing)

    assert isinstance(verdict, AlreadyResolved)
    assert verdict.review.decided_by == CARLA
    assert "denied" not in await kinds(service, review)


async def test_somebody_without_any_part_in_it_is_refused_after_the_decision_too(service, make_new) -> None:
    review = await posted(service, make_new())
    await decide(service, review)

    assert isinstance(await decide(service, review, standing=Standing(seeing=set(), asked={CARLA})), Refused)


@pytest.mark.parametrize("choice", [-1, 3, 99])
async def test_an_outcome_that_the_gate_does_not_have_decides_nothing(service, make_new, choice) -> None:
    review = await posted(service, make_new())

    verdict = await decide(service, review, label=None, choice=choice)

    assert isinstance(verdict, Unreadable)
    assert (await stored(service, review)).is_pending


@pytest.mark.parametrize("label", ["Approved", "approved ", "", None])
async def test_a_label_is_the_gates_own_word_and_nothing_like_it(service, make_new, label) -> None:
    review = await posted(service, make_new())

    assert isinstance(await decide(service, review, label=label), Unreadable)


async def test_an_answer_of_the_wrong_kind_closes_nothing(service, make_new) -> None:
    review = await posted(service, make_new(emit=()))

    assert isinstance(await decide(service, review, label="approved"), Unreadable)


@pytest.mark.parametrize("changes", [{"team": TeamId("T2")}, {"review": ReviewId("rv2")}], ids=["team", "review"])
async def test_a_review_is_found_in_its_own_workspace_only(service, make_new, changes) -> None:
    review = await posted(service, make_new())

    assert isinstance(await decide(service, review, **changes), Unknown)


@pytest.mark.parametrize("version", [0, -1, 2, 99])
async def test_a_click_of_another_version_is_stale(service, make_new, version) -> None:
    review = await posted(service, make_new())

    verdict = await decide(service, review, version=version)

    assert verdict == Stale(review=review)
    assert (await stored(service, review)).is_pending


async def test_a_reminder_makes_no_click_stale_and_a_move_does(service, make_new) -> None:
    rung = Rung(who=(ASK_BRUNO,), review_time=timedelta(minutes=10))
    review = await posted(service, make_new(policy={"ladder": (rung,)}))
    await service.remind(TEAM, review.id, SYSTEM)
    reminded = await stored(service, review)
    await service.escalate(TEAM, review.id, BY_BRUNO)

    stale = await decide(service, reminded, standing=Standing(seeing=set(), asked={BRUNO}))
    moved = await decide(service, await stored(service, review), standing=Standing(seeing=set(), asked={BRUNO}))

    assert isinstance(stale, Stale)
    assert isinstance(moved, Won)


async def test_a_click_made_before_a_reminder_still_decides(service, make_new) -> None:
    review = await posted(service, make_new())
    await service.remind(TEAM, review.id, SYSTEM)

    assert isinstance(await decide(service, review), Won)


async def test_what_would_run_now_has_to_be_what_was_shown(service, make_new) -> None:
    review = await posted(service, make_new())

    verdict = await decide(service, review, payload="h2")

    assert verdict == Stale(review=review, payload_changed=True)
    assert await kinds(service, review) == ["opened", "posted"]


async def test_a_run_that_asks_no_more_does_not_stand_in_the_way(service, make_new) -> None:
    assert isinstance(await decide(service, await posted(service, make_new()), payload=None), Won)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"standing": None}, "unknown_person", id="slack-does-not-say-who-is-asked"),
        pytest.param({"standing": Standing(seeing={ANA})}, "not_member", id="not-in-the-channel"),
        pytest.param({"who": person(is_guest=True)}, "guest", id="guest"),
        pytest.param({"card": MessageRef(channel=ChannelId("C1"), ts=Ts("9.9"))}, "wrong_card", id="another-card"),
        pytest.param({"card": MessageRef(channel=ChannelId("C2"), ts=Ts("2.0"))}, "wrong_card", id="another-channel"),
    ],
)
async def test_a_refused_attempt_is_recorded_with_its_reason_and_changes_nothing(
    service, make_new, changes, reason
) -> None:
    review = await posted(service, make_new())

    verdict = await decide(service, review, **changes)

    assert isinstance(verdict, Refused)
    assert verdict.refusal.reason == reason
    assert await stored(service, review) == review
    entry = (await record(service, review))[-1]
    assert (entry.kind, entry.actor, entry.reason_code, entry.outcome) == ("denied", "T1/UBRUNO", reason, "approved")
    assert (entry.version, entry.from_state, entry.to_state) == (None, ReviewState.PENDING, ReviewState.PENDING)


async def test_somebody_of_whom_slack_says_nothing_decides_nothing(service, make_new) -> None:
    review = await posted(service, make_new())

    async def never(*_: object) -> Any:
        raise AssertionError("nobody's standing is asked for")

    verdict = await service.decide(
        Decision(team=TEAM, review=review.id, label="approved", user=BRUNO, user_team=TeamId("T2"), source="words"),
        None,
        never,
        never,
    )

    assert isinstance(verdict, Refused)
    assert verdict.refusal.reason == "unknown_person"
    assert (await record(service, review))[-1].actor == "T2/UBRUNO"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"label": "rejected"}, ReasonMissing, id="none-given"),
        pytest.param({"label": "rejected", "reason_code": "whatever"}, ReasonMissing, id="none-of-the-gates"),
        pytest.param({"label": "rejected", "reason_code": "dear"}, "dear", id="given"),
        pytest.param({"label": "rejected", "source": "words", "card": None}, "stated", id="words-say-it"),
        pytest.param({"label": "approved"}, "", id="approving-needs-none"),
        pytest.param({"label": "approved", "reason_code": "dear"}, "", id="approving-has-none"),
        pytest.param({"label": "needs_revision"}, "", id="sending-back-needs-none"),
    ],
)
async def test_a_rejection_says_why_where_the_policy_asks_for_it(service, make_new, changes, expected) -> None:
    review = await posted(service, make_new(policy={"reason_codes": ("dear", "late")}))

    verdict = await decide(service, review, **changes)

    assert verdict.review.reason_code == (expected if isinstance(verdict, Won) else "")
    assert verdict == (
        ReasonMissing(review=review, outcome="rejected") if expected is ReasonMissing else Won(review=verdict.review)
    )


async def test_a_rejection_where_nobody_asks_why_is_unspecified(service, make_new) -> None:
    verdict = await decide(service, await posted(service, make_new()), label="rejected")

    assert verdict.review.reason_code == "unspecified"
    assert await service.store.reasons(TEAM) == [("content_review", "review_draft", "unspecified", 1)]


async def test_a_gate_that_nobody_answered_stays_shut_until_somebody_lifts_it(service, make_new, clock) -> None:
    policy = {"tier": Tier.CRITICAL, "blocks": True, "review_time": timedelta(minutes=5)}
    silent = await posted(service, make_new("rv1", policy=policy))
    clock.advance(timedelta(minutes=5))
    await service.tick(TEAM, clock.now())
    other = await service.open(make_new("rv2", policy=policy))

    shut = await decide(service, other, card=None)
    assert await service.lift(TEAM, silent.id, BY_BRUNO) is not None
    opened = await decide(service, other, card=None)

    assert shut.refusal.reason == "blocked"
    assert isinstance(opened, Won)
    assert await service.lift(TEAM, silent.id, BY_BRUNO) is None


# ---------------------------------------------------------------- what was shown is no more what would run


async def test_a_change_is_asked_for_anew_without_a_clock_and_without_the_old_decision(
    service, make_new, db, clock
) -> None:
    review = await posted(service, make_new(amount=Decimal(5)))
    won = await decide(service, review, label="rejected", note="no")
    started = await service.start(TEAM, review.id)
    clock.advance(timedelta(minutes=2))

    again = await service.changed(TEAM, review.id, "h2", Content(kind="text", text="Other."))

    assert again is not None
    assert started is not None
    assert again == await stored(service, review)
    assert again.is_pending
    assert (again.payload_hash, again.content.text, again.content_version) == ("h2", "Other.", again.version)
    assert (again.outcome, again.decided_by, again.decided_at, again.source, again.note) == (None,) * 4 + ("",)
    assert (again.posted_at, again.expires_at, again.started_at, again.amount) == (None,) * 4
    assert again.asked_at == NOON + timedelta(minutes=2)
    entry = (await record(service, review))[-1]
    assert (entry.kind, entry.actor, entry.payload_hash) == ("payload_changed", "system", "h2")
    assert entry.detail == {"before": "h1", "after": "h2"}
    assert await work(db) == [f"resume:rv1:{won.review.version}", f"card:rv1:{again.version}"]


async def test_a_change_that_is_none_changes_nothing(service, make_new) -> None:
    review = await posted(service, make_new())

    assert await service.changed(TEAM, review.id, "h1", review.content) == review
    assert await service.changed(TEAM, ReviewId("rv9"), "h1", review.content) is None


async def test_a_decision_on_the_change_itself_is_not_undone_by_whoever_finds_the_change_late(
    service, make_new
) -> None:
    review = await posted(service, make_new())
    again = await service.changed(TEAM, review.id, "h2", review.content)
    assert again is not None
    won = await decide(service, again, payload="h2", card=None)

    assert await service.changed(TEAM, review.id, "h2", review.content) is None
    assert await stored(service, review) == won.review


async def test_nothing_is_asked_anew_once_it_has_ended(service, make_new) -> None:
    review = await posted(service, make_new())
    await service.cancel(TEAM, review.id, BY_BRUNO)

    assert await service.changed(TEAM, review.id, "h2", review.content) is None


async def test_a_click_on_the_card_of_before_the_change_is_stale_and_the_new_one_decides(service, make_new) -> None:
    review = await posted(service, make_new())
    again = await service.changed(TEAM, review.id, "h2", review.content)
    assert again is not None
    new_card = MessageRef(channel=ChannelId("C1"), ts=Ts("3.0"))
    await service.posted(again, new_card)

    old = await decide(service, review, payload="h2")
    new = await decide(service, again, payload="h2", card=new_card)

    assert isinstance(old, Stale)
    assert isinstance(new, Won)
    assert [(card.ref, card.kind) for card in await service.cards.of(TEAM, review.id)] == [
        (CARD, "old"),
        (new_card, "card"),
    ]


# ---------------------------------------------------------------- running


async def test_one_runner_is_admitted(service, make_new) -> None:
    review = await posted(service, make_new())
    await decide(service, review)

    first, second = await service.start(TEAM, review.id), await service.start(TEAM, review.id)

    assert first is not None
    assert (first.state, first.started_at) == (ReviewState.EXECUTING, NOON)
    assert second is None


async def test_nothing_is_executed_that_was_not_approved(service, make_new) -> None:
    pending = await posted(service, make_new())
    assert await service.start(TEAM, pending.id) is None
    await decide(service, pending, label="rejected")

    branch = await service.start(TEAM, pending.id)

    assert branch is not None
    assert branch.state is ReviewState.REJECTED
    assert await service.start(TEAM, pending.id) is None


@pytest.mark.parametrize(
    ("label", "failed", "state", "said"),
    [
        ("approved", False, "completed", ["completed"]),
        ("approved", True, "manual_intervention", ["failed", "handed_over"]),
        ("rejected", False, "cancelled", ["closed"]),
        ("rejected", True, "manual_intervention", ["failed"]),
        ("needs_revision", False, "completed", ["completed"]),
    ],
)
async def test_a_branch_ends_once(service, make_new, label, failed, state, said) -> None:
    review = await posted(service, make_new())
    await decide(service, review, label=label)
    await service.start(TEAM, review.id)

    ended = await service.settle(TEAM, review.id, failed=failed, result="Done.")
    again = await service.settle(TEAM, review.id, failed=False, result="Again.")

    assert ended is not None
    assert (ended.state.value, ended.result) == (state, "Done.")
    assert again is None
    assert (await kinds(service, review))[4:] == said


# ---------------------------------------------------------------- moving it without deciding


async def test_a_review_is_handed_on_with_the_time_that_is_left(service, make_new, db, clock) -> None:
    policy = {"pool": (ASK_BRUNO,), "review_time": timedelta(minutes=60), "reminders": (timedelta(minutes=20),)}
    review = await posted(service, make_new(policy=policy))
    clock.advance(timedelta(minutes=30))
    await service.tick(TEAM, clock.now())

    change = await service.reassign(TEAM, review.id, (ASK_CARLA,), BY_BRUNO)

    assert change is not None
    after = await stored(service, review)
    assert (after.asked, after.passed_over) == ((ASK_CARLA,), (ASK_BRUNO,))
    assert after.expires_at == NOON + timedelta(minutes=60)
    entry = (await record(service, review))[-1]
    assert (entry.kind, entry.actor) == ("reassigned", "T1/UBRUNO")
    assert entry.detail == {"asked": [CARLA], "passed_over": [{"who": BRUNO, "why": "manual"}]}
    assert (await work(db))[-1] == f"told:rv1:{after.version}"
    # Whoever was just told that it is theirs is not reminded in the same breath of a time before theirs.
    assert await service.tick(TEAM, clock.now()) == []


async def test_somebody_who_is_handed_it_back_was_not_passed_over(service, make_new) -> None:
    review = await posted(service, make_new(policy={"pool": (ASK_BRUNO,)}))
    await service.reassign(TEAM, review.id, (ASK_CARLA,), BY_BRUNO)

    await service.reassign(TEAM, review.id, (ASK_BRUNO,), BY_BRUNO)

    after = await stored(service, review)
    assert (after.asked, after.passed_over) == ((ASK_BRUNO,), (ASK_CARLA,))


async def test_a_whole_channel_from_which_a_review_is_taken_is_named_in_the_record(service, make_new) -> None:
    review = await posted(service, make_new())

    await service.reassign(TEAM, review.id, (ASK_CARLA,), BY_BRUNO)

    assert (await record(service, review))[-1].detail["passed_over"] == [{"who": "channel", "why": "manual"}]


async def test_a_cancelled_review_is_not_resumed(service, make_new, db) -> None:
    review = await posted(service, make_new())

    await service.cancel(TEAM, review.id, BY_BRUNO)

    after = await stored(service, review)
    assert (after.state, after.decided_by, after.source) == (ReviewState.CANCELLED, BRUNO, "command")
    assert await service.start(TEAM, review.id) is None
    assert await work(db) == ["told:rv1:2"]


@pytest.mark.parametrize("move", ["remind", "escalate", "cancel", "reassign"])
async def test_nothing_moves_what_is_decided_already(service, make_new, move) -> None:
    rung = Rung(who=(ASK_CARLA,), review_time=timedelta(minutes=10))
    review = await posted(service, make_new(policy={"ladder": (rung,)}))
    await decide(service, review)
    before = await stored(service, review)

    ways: dict[str, Any] = {
        "remind": lambda: service.remind(TEAM, review.id, BY_BRUNO),
        "escalate": lambda: service.escalate(TEAM, review.id, BY_BRUNO),
        "cancel": lambda: service.cancel(TEAM, review.id, BY_BRUNO),
        "reassign": lambda: service.reassign(TEAM, review.id, (ASK_CARLA,), BY_BRUNO),
    }
    change = await ways[move]()

    assert change is None
    assert await stored(service, review) == before


async def test_nothing_moves_a_review_of_another_workspace(service, make_new) -> None:
    review = await posted(service, make_new())

    assert await service.escalate(TeamId("T2"), review.id, BY_BRUNO) is None
    assert await service.reassign(TeamId("T2"), review.id, (ASK_CARLA,), BY_BRUNO) is None
    assert await service.settle(TeamId("T2"), review.id, failed=False, result=None) is None


# ---------------------------------------------------------------- the clock


async def test_a_tick_applies_what_is_due_the_longest_overdue_first_and_no_more_than_its_limit(
    service, make_new, clock
) -> None:
    for n, time in ((1, 50), (2, 30), (3, 40), (4, 90)):
        await posted(service, make_new(f"rv{n}", policy={"review_time": timedelta(minutes=time)}))
    clock.advance(timedelta(minutes=60))

    first = await service.tick(TEAM, clock.now(), limit=2)
    second = await service.tick(TEAM, clock.now(), limit=2)

    assert [[change.after.id for change in ticked] for ticked in (first, second)] == [["rv2", "rv3"], ["rv1"]]
    assert await service.tick(TEAM, clock.now()) == []
    assert await service.tick(TeamId("T2"), clock.now()) == []


@pytest.mark.parametrize(
    ("policy", "emit", "after", "key"),
    [
        pytest.param({"reminders": (timedelta(minutes=5),)}, None, 5, "told:rv1:2", id="reminded"),
        pytest.param({"ladder": (Rung(who=(), review_time=timedelta(1)),)}, None, 240, "told:rv1:3", id="escalated"),
        pytest.param({}, None, 240, "resume:rv1:2", id="rejected"),
        pytest.param({}, (), 240, "told:rv1:2", id="lapsed"),
    ],
)
async def test_what_follows_a_deadline_is_stored_with_it(
    service, make_new, db, clock, policy, emit, after, key
) -> None:
    await posted(service, make_new(policy=policy, **({} if emit is None else {"emit": emit})))
    clock.advance(timedelta(minutes=after))

    await service.tick(TEAM, clock.now())

    assert await work(db) == [key]


@pytest.mark.parametrize(
    ("policy", "after"),
    [
        pytest.param({"reminders": (timedelta(minutes=5),)}, 5, id="a-reminder"),
        pytest.param({"ladder": (Rung(who=(), review_time=timedelta(1)),)}, 240, id="a-move"),
    ],
)
async def test_in_a_quiet_channel_the_line_is_left_to_the_digest_and_people_hear_all_the_same(
    service, make_new, db, clock, policy, after
) -> None:
    await posted(service, make_new(policy=policy))
    clock.advance(timedelta(minutes=after))

    await service.tick(TEAM, clock.now(), quiet=frozenset({"C1"}))

    async with db.tx() as tx:
        [(kind, payload)] = await tx.run("select kind, payload from inbox")
    assert (kind, json.loads(payload)["quiet"]) == ("told", True)


async def test_in_a_quiet_channel_an_end_goes_on_and_alerts_are_left_to_the_digest(
    service, make_new, db, clock
) -> None:
    await posted(service, make_new(policy={"alert": True}))
    clock.advance(timedelta(minutes=240))

    await service.tick(TEAM, clock.now(), quiet=frozenset({"C1"}))

    assert await work(db) == ["resume:rv1:2"]


async def test_a_click_in_the_instant_of_the_deadline_meets_one_end(service, make_new, clock) -> None:
    review = await posted(service, make_new(policy={"review_time": timedelta(minutes=5)}))
    clock.advance(timedelta(minutes=5))

    await service.tick(TEAM, clock.now())
    verdict = await decide(service, review)

    assert isinstance(verdict, AlreadyResolved)
    assert (verdict.review.state, verdict.review.source) == (ReviewState.AUTO_REJECTED, "timeout")


# ---------------------------------------------------------------- of the whole workspace


async def test_everything_is_paused_once_and_continued_once(service) -> None:
    assert await service.halt(TEAM, BY_BRUNO, halted=True)
    assert not await service.halt(TEAM, BY_BRUNO, halted=True)
    assert await service.store.halted(TEAM) == "T1/UBRUNO"
    assert await service.store.halted(TeamId("T2")) is None

    assert await service.halt(TEAM, BY_BRUNO, halted=False)
    assert not await service.halt(TEAM, BY_BRUNO, halted=False)
    assert await service.store.halted(TEAM) is None


async def test_a_policy_is_noted_when_it_is_another_one(service) -> None:
    assert [await service.policy_loaded(TEAM, digest) for digest in ("p1", "p1", "p2", "p1")] == [
        True,
        False,
        True,
        True,
    ]


async def test_a_card_that_cannot_be_posted_counts_its_tries(service, make_new) -> None:
    review = await service.open(make_new())

    assert [await service.store.failed_to_post(review) for _ in range(3)] == [1, 2, 3]
    await service.posted(review, CARD)
    assert await service.store.failed_to_post(review) == 0


def test_the_work_that_follows_a_decision_is_named_by_its_version(make_review) -> None:
    entry = resume_entry(make_review(version=7), NOON)

    assert (entry.key, entry.kind, entry.lane) == ("resume:rv1:7", "resume", "T1:C1:1.0")
    assert entry.key != resume_entry(make_review(version=8), NOON).key


async def test_a_copy_of_the_card_is_a_place_from_which_to_decide(service, make_new) -> None:
    review = await posted(service, make_new())
    copy = MessageRef(channel=ChannelId("D1"), ts=Ts("5.0"))
    await service.cards.add(
        TEAM, Card(review=review.id, ref=copy, kind="copy", thread_ts=None, shown_version=review.version)
    )

    assert isinstance(await decide(service, replace(review), card=copy), Won)


# ---------------------------------------------------------------- what changes between a look and the commit

CARLA_NEXT = {
    "pool": (Who(kind="person", id=BRUNO, name="@bruno"),),
    "ladder": (Rung(who=(Who(kind="person", id="UCARLA", name="@carla"),), review_time=timedelta(minutes=5)),),
}


async def in_words(service: ReviewService, review: Review, hashes: Hashes) -> Verdict:
    """What Bruno's "approved" gives, where everything is looked up as it is now."""

    async def standings(now: Review, _user: UserId) -> Standing | None:
        asked = None if now.asked is None else {UserId(who.id) for who in now.asked}
        return Standing(seeing={BRUNO}, asked=asked, before={UserId(who.id) for who in now.passed_over})

    decision = Decision(
        team=TEAM,
        review=review.id,
        version=review.version,
        label="approved",
        user=BRUNO,
        user_team=TEAM,
        source="words",
    )
    return await service.decide(decision, person(), standings, hashes)


async def test_words_do_not_decide_what_has_moved_on_while_they_were_looked_at(service, make_new) -> None:
    review = await posted(service, make_new(policy=CARLA_NEXT))

    async def moves(now: Review) -> str:
        await service.escalate(TEAM, now.id, By())
        return now.payload_hash

    verdict = await in_words(service, review, moves)

    assert isinstance(verdict, Refused)
    assert verdict.refusal.reason == "passed_over"
    assert (await stored(service, review)).is_pending


async def test_words_do_not_approve_what_has_changed_while_they_were_looked_at(service, make_new) -> None:
    review = await posted(service, make_new())

    async def changes(now: Review) -> str:
        await service.changed(TEAM, now.id, "other", Content(kind="text", text="Something else."))
        return now.payload_hash

    verdict = await in_words(service, review, changes)

    assert isinstance(verdict, Stale)
    assert (await stored(service, review)).is_pending


@pytest.mark.parametrize(
    ("emit", "label"), [(("approved", "rejected"), "approved"), ((), None)], ids=["label", "words"]
)
async def test_a_block_that_comes_while_a_click_is_looked_at_holds(service, make_new, clock, emit, label) -> None:
    blocking = {"blocks": True, "review_time": timedelta(minutes=5)}
    first = await posted(service, make_new("rv1", emit=emit, policy=blocking))
    clock.advance(timedelta(minutes=4))
    second = await service.open(make_new("rv2", emit=emit, policy=blocking))

    async def standings(_review: Review, _user: UserId) -> Standing | None:
        return EVERYBODY

    async def shuts(now: Review) -> str:
        clock.advance(timedelta(minutes=1))
        await service.tick(TEAM, clock.now())
        return now.payload_hash

    decision = Decision(team=TEAM, review=second.id, label=label, user=BRUNO, user_team=TEAM, source="button")
    verdict = await service.decide(decision, person(), standings, shuts)

    assert (await stored(service, first)).blocked
    assert isinstance(verdict, Refused)
    assert verdict.refusal.reason == "blocked"


async def test_a_press_for_a_review_that_this_workspace_does_not_have_is_recorded(service, db) -> None:
    async def nobody(_review: Review, _user: UserId) -> Standing | None:
        return None

    async def nothing(_review: Review) -> str | None:
        return None

    decision = Decision(
        team=TEAM, review=ReviewId("gone"), label="approved", user=BRUNO, user_team=TEAM, source="button"
    )
    verdict = await service.decide(decision, person(), nobody, nothing)

    async with db.tx() as tx:
        [(kind, actor, reason)] = await tx.run("select kind, actor, reason_code from audit")
    assert isinstance(verdict, Unknown)
    assert (kind, actor, reason) == ("denied", f"{TEAM}/{BRUNO}", "unknown_review")


async def test_a_row_that_cannot_be_read_does_not_stop_the_clock_of_others(service, make_new, db, clock) -> None:
    broken = await posted(service, make_new("rv1"))
    sound = await service.open(make_new("rv2"))
    async with db.tx() as tx:
        await tx.run("update reviews set policy = '{' where id = ?", broken.id)
    clock.advance(timedelta(hours=5))

    made = await service.tick(TEAM, clock.now())

    assert [change.after.id for change in made] == [sound.id]
    assert await service.store.due_in_channels(TEAM, clock.now()) == {}
