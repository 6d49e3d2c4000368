"""What a transition sets on the review and writes into the record, besides the next state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.reviews.machine import OVER, TABLE, By, Event, follow, transition
from bot.reviews.model import ReviewState
from bot.types import Person, TeamId, UserId

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KINDS = {
    "approve": "decided",
    "reject": "decided",
    "send_back": "decided",
    "answer": "decided",
    "auto_approve": "auto_approved",
    "auto_reject": "auto_rejected",
    "lapse": "lapsed",
    "cancel": "cancelled",
    "escalate": "escalated",
    "assign": "assigned",
    "reassign": "reassigned",
    "remind": "reminded",
    "change": "payload_changed",
    "lift": "lifted",
    "start": "started",
    "finish": "completed",
    "fail": "failed",
    "hand_over": "handed_over",
    "roll_back": "rollback_started",
    "undone": "rolled_back",
    "retry": "retried",
    "done": "marked_done",
}
OTHERWISE = {
    ("rejected", "finish"): "closed",
    ("auto_rejected", "finish"): "closed",
    ("rollback_pending", "fail"): "rollback_failed",
}
BY = By(
    person=Person(team=TeamId("T1"), user=UserId("UBRUNO"), name="Bruno"),
    outcome="approved",
    source="button",
    note="good to go",
    reason_code="dear",
    detail={"why": "so"},
)


def pair(value: object) -> str:
    """A test's name that no change of a value changes."""
    return value.name if isinstance(value, (ReviewState, Event)) else str(value)


@pytest.mark.parametrize(("state", "event"), list(TABLE), ids=pair)
def test_each_step_has_its_own_kind_in_the_record(state, event, make_review) -> None:
    change = transition(make_review(state=state, blocked=True, outcome="approved"), event, BY, NOW)

    assert change is not None
    assert change.entries[0].kind == OTHERWISE.get((state.value, event.value), KINDS[event.value])


@pytest.mark.parametrize(("state", "event"), list(TABLE), ids=pair)
def test_the_record_says_who_when_why_and_on_what(state, event, make_review) -> None:
    review = make_review(state=state, blocked=True, outcome="approved", version=6)

    change = transition(review, event, BY, NOW)

    assert change is not None
    [entry] = change.entries
    assert (entry.review, entry.version, entry.actor, entry.actor_name) == (review.id, 7, "T1/UBRUNO", "Bruno")
    assert (entry.outcome, entry.source, entry.text, entry.reason_code) == ("approved", "button", "good to go", "dear")
    assert (entry.detail, entry.at) == ({"why": "so"}, NOW)
    assert (entry.payload_hash, entry.policy_hash) == (review.payload_hash, review.policy.digest)
    assert (entry.from_state, entry.to_state) == (state, change.after.state)
    assert change.before == review


@pytest.mark.parametrize("event", ["approve", "reject", "send_back", "answer", "auto_reject", "lapse", "cancel"])
def test_an_end_is_kept_with_the_review(event, make_review) -> None:
    change = transition(make_review(), Event(event), BY, NOW)

    assert change is not None
    after = change.after
    assert (after.outcome, after.decided_by, after.decided_by_name) == ("approved", "UBRUNO", "Bruno")
    assert (after.decided_at, after.source, after.note, after.reason_code) == (NOW, "button", "good to go", "dear")


@pytest.mark.parametrize("event", ["remind", "reassign", "escalate"])
def test_what_decides_nothing_leaves_the_decision_alone(event, make_review) -> None:
    change = transition(make_review(), Event(event), BY, NOW)

    assert change is not None
    after = change.after
    assert (after.outcome, after.decided_by, after.decided_at, after.source, after.note) == (None,) * 4 + ("",)


def test_a_start_is_kept_and_takes_nothing_from_the_decision(make_review) -> None:
    review = make_review(state=ReviewState.APPROVED, outcome="approved", decided_by=UserId("UCARLA"), result="so far")

    change = transition(review, Event.START, By(), NOW)

    assert change is not None
    after = change.after
    assert (after.started_at, after.outcome, after.decided_by, after.result) == (NOW, "approved", "UCARLA", "so far")


def test_the_end_of_a_run_is_kept(make_review) -> None:
    change = transition(make_review(state=ReviewState.EXECUTING), Event.FINISH, By(), NOW, result="Paid.")

    assert change is not None
    assert change.after.result == "Paid."
    assert change.after.started_at is None


def test_a_change_undoes_the_decision_and_takes_the_fields_it_is_given(make_review) -> None:
    review = make_review(
        state=ReviewState.REJECTED,
        outcome="rejected",
        decided_by=UserId("UCARLA"),
        decided_by_name="Carla",
        decided_at=NOW,
        source="button",
        note="no",
        reason_code="dear",
        started_at=NOW,
    )

    change = transition(review, Event.CHANGE, By(), NOW, payload_hash="h2")

    assert change is not None
    after = change.after
    assert (after.outcome, after.decided_by, after.decided_by_name, after.decided_at, after.source) == (None,) * 5
    assert (after.note, after.reason_code, after.started_at) == ("", "", None)
    assert change.entries[0].payload_hash == after.payload_hash == "h2"


@pytest.mark.parametrize(
    ("by", "actor", "name"),
    [
        pytest.param(By(), "system", "", id="system"),
        pytest.param(By(account="root"), "cli/root", "root", id="command-line"),
        pytest.param(BY, "T1/UBRUNO", "Bruno", id="person"),
    ],
)
def test_the_actor_is_named_by_ids(by, actor, name, make_review) -> None:
    change = transition(make_review(), Event.CANCEL, by, NOW)

    assert change is not None
    assert (change.entries[0].actor, change.entries[0].actor_name) == (actor, name)
    assert change.after.decided_by_name == (name or None)
    assert change.after.decided_by == ("UBRUNO" if by is BY else None)


def test_two_steps_are_one_change(make_review) -> None:
    later = NOW + timedelta(seconds=1)
    first = transition(make_review(version=3), Event.ESCALATE, By(), NOW)

    both = follow(first, Event.ASSIGN, BY, later, level=1)

    assert both is not None
    assert first is not None
    assert both.before == first.before
    assert [(entry.kind, entry.version, entry.at) for entry in both.entries] == [
        ("escalated", 4, NOW),
        ("assigned", 5, later),
    ]
    assert (both.after.state, both.after.version, both.after.level) == (ReviewState.PENDING, 5, 1)


def test_a_second_step_that_is_not_allowed_makes_no_change_at_all(make_review) -> None:
    first = transition(make_review(), Event.ESCALATE, By(), NOW)

    assert follow(first, Event.APPROVE, By(), NOW) is None
    assert follow(None, Event.ASSIGN, By(), NOW) is None


def test_nothing_goes_on_by_itself_in_these_states() -> None:
    assert {state.value for state in OVER} == {"completed", "cancelled", "rolled_back", "manual_intervention"}
