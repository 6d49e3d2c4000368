"""When something is due on a review, and what becomes of it then: the whole table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot.reviews.deadlines import due, escalated, may_pass, next_at, posted, time_limit, total_time
from bot.reviews.gate_policy import GatePolicy, Limit, Rung, Tier, Who
from bot.reviews.machine import By
from bot.reviews.model import Review, ReviewState

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANA, BRUNO, CARLA, DANI = (
    Who(kind="person", id=id_, name=f"@{id_.casefold()}") for id_ in ("UANA", "UBRUNO", "UCARLA", "UDANI")
)
LADDER = (
    Rung(who=(BRUNO, CARLA), review_time=timedelta(minutes=20)),
    Rung(who=(DANI,), review_time=timedelta(minutes=10), pager=True),
)
LIMIT = Limit(field="amount", up_to=Decimal(100), sum_up_to=Decimal(300), window=timedelta(days=1), currency="USD")

MakePosted = Callable[..., Review]


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def policy(**changes: Any) -> GatePolicy:
    return GatePolicy(
        **{"gate": "content_review.review_draft", "review_time": minutes(60), "pool": (ANA, BRUNO), **changes}
    )


@pytest.fixture
def make_posted(make_review) -> MakePosted:
    """A review whose card was confirmed at noon, five minutes after it had been opened."""

    def make(*, gate: GatePolicy | None = None, **changes: Any) -> Review:
        holds = gate or policy()
        values = {
            "policy": holds,
            "asked": holds.pool,
            "opened_at": NOON - minutes(5),
            "posted_at": NOON,
            "asked_at": NOON,
            "expires_at": NOON + holds.review_time,
        }
        return make_review(**{**values, **changes})

    return make


# ---------------------------------------------------------------- when


@pytest.mark.parametrize(
    ("gate", "changes", "after"),
    [
        pytest.param({}, {}, 60, id="its-end"),
        pytest.param({"reminders": (minutes(20), minutes(40))}, {}, 20, id="the-first-reminder"),
        pytest.param({"reminders": (minutes(20), minutes(40))}, {"reminded": 1}, 40, id="the-second-reminder"),
        pytest.param({"reminders": (minutes(20), minutes(40))}, {"reminded": 2}, 60, id="no-reminder-left"),
        pytest.param({"reminders": (minutes(60),)}, {}, 60, id="a-reminder-at-the-end-is-none"),
        pytest.param({"reminders": (minutes(90),)}, {}, 60, id="a-reminder-after-the-end-is-none"),
        pytest.param({"reminders": (minutes(20),)}, {"reminded": 9}, 60, id="reminded-by-hand-more-often"),
    ],
)
def test_the_next_thing_is_a_reminder_or_the_end_of_the_time_of_those_who_are_asked(
    gate, changes, after, make_posted
) -> None:
    assert next_at(make_posted(gate=policy(**gate), **changes)) == NOON + minutes(after)


@pytest.mark.parametrize(
    "state", [state for state in ReviewState if state is not ReviewState.PENDING], ids=lambda state: state.name
)
def test_nothing_is_due_on_what_is_not_waited_for(state, make_posted) -> None:
    review = make_posted(state=state)

    assert next_at(review) is None
    assert due(review, NOON + timedelta(days=400)) is None


@pytest.mark.parametrize(
    ("ladder", "asked_at", "end"),
    [
        pytest.param((), None, NOON + minutes(60), id="from-its-opening"),
        pytest.param(LADDER, None, NOON + minutes(90), id="all-rungs-are-counted"),
        pytest.param((), NOON + minutes(7), NOON + minutes(67), id="from-the-last-change-of-what-is-asked"),
    ],
)
def test_without_a_card_no_clock_runs_for_people_but_there_is_an_end(ladder, asked_at, end, make_review) -> None:
    review = make_review(policy=policy(ladder=ladder, reminders=(minutes(1),)), opened_at=NOON, asked_at=asked_at)

    assert next_at(review) == end


@pytest.mark.parametrize(("level", "limit"), [(0, 60), (1, 20), (2, 10), (3, 60)])
def test_each_rung_has_its_own_time(level, limit, make_review) -> None:
    review = make_review(policy=policy(ladder=LADDER), level=level)

    assert time_limit(review) == minutes(limit)
    assert total_time(review) == minutes(90)


def test_the_clock_starts_when_the_card_is_confirmed(make_review) -> None:
    review = make_review(policy=policy(ladder=LADDER), level=1, opened_at=NOON - timedelta(hours=3))

    assert posted(review, NOON) == {"posted_at": NOON, "asked_at": NOON, "expires_at": NOON + minutes(20)}


# ---------------------------------------------------------------- what


@pytest.mark.parametrize("early", [timedelta(microseconds=1), minutes(59)])
def test_nothing_happens_before_it_is_due(early, make_posted) -> None:
    assert due(make_posted(), NOON + minutes(60) - early) is None


@pytest.mark.parametrize(
    ("at", "already", "reminded"),
    [
        pytest.param(20, 0, 1, id="on-time"),
        pytest.param(39, 0, 1, id="late"),
        pytest.param(40, 0, 2, id="the-first-was-missed"),
        pytest.param(59, 0, 3, id="two-were-missed"),
        pytest.param(50, 2, 3, id="the-last"),
    ],
)
def test_however_many_reminders_were_missed_one_is_sent(at, already, reminded, make_posted) -> None:
    gate = policy(reminders=(minutes(20), minutes(40), minutes(50)))

    change = due(make_posted(gate=gate, reminded=already), NOON + minutes(at))

    assert change is not None
    [entry] = change.entries
    assert (entry.kind, entry.actor, entry.text, entry.at) == ("reminded", "system", "", NOON + minutes(at))
    assert entry.detail == {"asked": ["UANA", "UBRUNO"], "reminder": already + 1}
    assert change.after.reminded == reminded
    assert change.after.is_pending
    assert change.after.expires_at == NOON + minutes(60)
    following = next_at(change.after)
    assert following is not None
    assert following > NOON + minutes(at)


def test_at_the_end_the_next_rung_is_asked(make_posted) -> None:
    late = NOON + minutes(75)

    change = due(make_posted(gate=policy(ladder=LADDER), version=4, reminded=3), late)

    assert change is not None
    up, assigned = change.entries
    assert (up.kind, up.actor, up.reason_code, up.version) == ("escalated", "system", "timeout", 5)
    assert up.detail == {
        "level": 1,
        "passed_over": [{"who": "UANA", "why": "timeout"}, {"who": "UBRUNO", "why": "timeout"}],
    }
    assert (assigned.kind, assigned.actor, assigned.version) == ("assigned", "system", 6)
    assert assigned.detail == {"asked": ["UBRUNO", "UCARLA"], "level": 1}
    after = change.after
    assert after.is_pending
    assert (after.level, after.asked, after.passed_over, after.reminded) == (1, (BRUNO, CARLA), (ANA,), 0)
    # Counted from now: whoever is asked late has their whole time.
    assert (after.asked_at, after.expires_at) == (late, late + minutes(20))
    assert (after.version, after.content_version) == (6, 6)


def test_who_is_passed_over_is_kept_once_and_in_order(make_posted) -> None:
    review = make_posted(gate=policy(ladder=LADDER), level=1, asked=(BRUNO, CARLA), passed_over=(ANA, CARLA))

    change = due(review, NOON + minutes(60))

    assert change is not None
    assert change.after.passed_over == (ANA, CARLA, BRUNO)
    assert (change.after.level, change.after.asked) == (2, (DANI,))


def test_a_whole_channel_that_is_passed_over_is_named_as_that(make_posted) -> None:
    change = due(make_posted(gate=policy(pool=None, ladder=LADDER)), NOON + minutes(60))

    assert change is not None
    assert change.entries[0].detail["passed_over"] == [{"who": "channel", "why": "timeout"}]
    assert change.after.passed_over == ()


def test_the_ladder_is_climbed_rung_by_rung_to_its_end(make_posted) -> None:
    review = make_posted(gate=policy(ladder=LADDER))

    first = due(review, NOON + minutes(60))
    assert first is not None
    second = due(first.after, NOON + minutes(80))
    assert second is not None
    last = due(second.after, NOON + minutes(90))

    assert last is not None
    assert last.after.state is ReviewState.AUTO_REJECTED
    assert next_at(last.after) is None


@pytest.mark.parametrize(
    ("emit", "state", "kind", "outcome"),
    [
        pytest.param(
            ("approved", "rejected", "no"), "auto_rejected", "auto_rejected", "rejected", id="rejecting-label"
        ),
        pytest.param(("approved", "needs_revision"), "cancelled", "lapsed", None, id="no-rejecting-label"),
        pytest.param((), "cancelled", "lapsed", None, id="no-labels"),
        pytest.param(("ship_it", "later"), "cancelled", "lapsed", None, id="unknown-labels-are-never-chosen"),
    ],
)
@pytest.mark.parametrize("blocks", [False, True], ids=["open", "blocks"])
def test_at_the_end_of_the_ladder_silence_rejects_or_cancels(emit, state, kind, outcome, blocks, make_posted) -> None:
    review = make_posted(gate=policy(blocks=blocks), emit=emit, default_outcome=emit[0] if emit else None)

    change = due(review, NOON + minutes(60))

    assert change is not None
    [entry] = change.entries
    assert (entry.kind, entry.outcome, entry.source, entry.reason_code) == (kind, outcome, "timeout", "timeout")
    assert entry.detail == {"passed_over": [{"who": "UANA", "why": "timeout"}, {"who": "UBRUNO", "why": "timeout"}]}
    after = change.after
    assert (after.state, after.outcome, after.source, after.blocked) == (state, outcome, "timeout", blocks)
    assert (after.decided_by, after.decided_at, after.reason_code) == (None, NOON + minutes(60), "timeout")


def test_a_card_that_never_stood_ends_without_climbing(make_review) -> None:
    review = make_review(policy=policy(ladder=LADDER, blocks=True), opened_at=NOON, asked=(ANA,))

    assert due(review, NOON + minutes(90) - timedelta(microseconds=1)) is None
    change = due(review, NOON + minutes(90))

    assert change is not None
    assert [(entry.kind, entry.reason_code) for entry in change.entries] == [("auto_rejected", "never_posted")]
    assert change.entries[0].detail == {"passed_over": [{"who": "UANA", "why": "never_posted"}]}
    assert change.after.blocked


# ---------------------------------------------------------------- approved by silence


def passing(**changes: Any) -> GatePolicy:
    return policy(**{"on_timeout": "auto_approve", "limit": LIMIT, "limit_reason": "small", "blocks": False, **changes})


def test_silence_approves_a_low_gate_within_its_limit_and_says_why(make_posted) -> None:
    change = due(make_posted(gate=passing(), amount=Decimal(100)), NOON + minutes(60))

    assert change is not None
    [entry] = change.entries
    assert (entry.kind, entry.outcome, entry.source, entry.reason_code) == (
        "auto_approved",
        "approved",
        "timeout",
        "small",
    )
    assert entry.detail["passed_over"] == [{"who": "UANA", "why": "timeout"}, {"who": "UBRUNO", "why": "timeout"}]
    assert change.after.state is ReviewState.AUTO_APPROVED


@pytest.mark.parametrize(
    ("gate", "changes"),
    [
        pytest.param({"on_timeout": "reject"}, {}, id="the-policy-does-not-say-so"),
        pytest.param({"tier": Tier.MEDIUM}, {}, id="medium"),
        pytest.param({"tier": Tier.HIGH}, {}, id="high"),
        pytest.param({"tier": Tier.CRITICAL}, {}, id="critical"),
        pytest.param({"limit": None}, {}, id="no-limit"),
        pytest.param({"limit_reason": ""}, {}, id="no-reason"),
        pytest.param({}, {"amount": None}, id="no-readable-amount"),
        pytest.param({}, {"amount": Decimal("100.01")}, id="above-the-limit"),
        pytest.param({}, {"emit": ("ship_it", "rejected")}, id="a-label-that-nobody-classified"),
    ],
)
def test_silence_approves_nothing_else(gate, changes, make_posted) -> None:
    review = make_posted(gate=passing(**gate), **{"amount": Decimal(10), **changes})

    change = due(review, NOON + minutes(60))

    assert change is not None
    assert change.after.state is ReviewState.AUTO_REJECTED
    assert change.after.outcome == "rejected"


def test_nothing_is_approved_by_a_silence_in_which_nobody_could_see_it(make_review) -> None:
    review = make_review(policy=passing(), opened_at=NOON, amount=Decimal(10))

    change = due(review, NOON + minutes(60))

    assert may_pass(review)
    assert change is not None
    assert change.after.state is ReviewState.AUTO_REJECTED


def test_a_label_that_the_flow_itself_says_approves_may_pass(make_review) -> None:
    review = make_review(
        policy=passing(),
        amount=Decimal(10),
        emit=("ship_it", "rejected"),
        metadata={"dispositions": {"ship_it": "approve"}},
    )

    assert may_pass(review)


# ---------------------------------------------------------------- moved by hand


def test_whoever_moves_it_is_named_and_the_new_ones_have_their_whole_time(make_posted, make_person) -> None:
    change = escalated(
        make_posted(gate=policy(ladder=LADDER)), NOON + minutes(10), By(person=make_person()), why="manual"
    )

    assert change is not None
    assert [(entry.kind, entry.actor) for entry in change.entries] == [
        ("escalated", "T1/UBRUNO"),
        ("assigned", "system"),
    ]
    assert change.entries[0].reason_code == "manual"
    assert (change.after.asked_at, change.after.expires_at) == (NOON + minutes(10), NOON + minutes(30))


def test_a_card_that_does_not_stand_yet_moves_without_starting_the_clock(make_review) -> None:
    review = make_review(policy=policy(ladder=LADDER), opened_at=NOON)

    change = escalated(review, NOON + minutes(10), By(account="root"), why="manual")

    assert change is not None
    assert change.entries[0].actor == "cli/root"
    assert (change.after.asked, change.after.asked_at, change.after.expires_at) == ((BRUNO, CARLA), None, None)
    assert next_at(change.after) == NOON + minutes(90)


@pytest.mark.parametrize(
    "changes", [{"level": 2}, {"state": ReviewState.APPROVED}, {"state": ReviewState.CANCELLED}], ids=str
)
def test_there_is_no_rung_beyond_the_last_and_none_after_the_decision(changes, make_posted) -> None:
    assert escalated(make_posted(gate=policy(ladder=LADDER), **changes), NOON, By(), why="manual") is None
