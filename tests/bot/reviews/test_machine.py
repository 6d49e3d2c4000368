from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from bot.reviews.machine import TABLE, By, Event, transition
from bot.reviews.model import ReviewState
from bot.reviews.policy import disposition, may_decide
from bot.types import TeamId, UserId

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ALLOWED = {
    "pending_review": {
        "approve": "approved",
        "reject": "rejected",
        "send_back": "returned",
        "answer": "answered",
    },
    "approved": {"start": "executing"},
    "rejected": {"start": "rejected", "finish": "cancelled", "fail": "manual_intervention"},
    "returned": {"start": "returned", "finish": "completed", "fail": "manual_intervention"},
    "answered": {"start": "answered", "finish": "completed", "fail": "manual_intervention"},
    "executing": {"finish": "completed", "fail": "manual_intervention"},
    "completed": {},
    "cancelled": {},
    "manual_intervention": {},
}


@pytest.mark.parametrize(("state", "event"), list(product(ReviewState, Event)), ids=lambda value: value.value)
def test_every_pair_of_state_and_event_is_allowed_or_refused_as_stated(state, event, make_review) -> None:
    change = transition(make_review(state=state), event, By(), NOW)

    assert (change and change.after.state.value) == ALLOWED[state].get(event)


def test_executing_is_entered_only_after_approval() -> None:
    ways_in = {pair for pair, (after, _) in TABLE.items() if after is ReviewState.EXECUTING}

    assert ways_in == {(ReviewState.APPROVED, Event.START)}


def test_a_transition_counts_the_version_and_is_recorded_with_both_states(make_review, make_person) -> None:
    by = By(person=make_person(), outcome="approved", source="button", note="good to go")

    change = transition(make_review(version=4), Event.APPROVE, by, NOW)

    assert change is not None
    [entry] = change.entries
    assert (change.after.version, entry.version) == (5, 5)
    assert (entry.from_state, entry.to_state) == (ReviewState.PENDING, ReviewState.APPROVED)
    assert (entry.actor, entry.outcome, entry.reason, entry.at) == ("T1/UBRUNO", "approved", "good to go", NOW)
    assert (change.after.decided_by, change.after.decided_at) == ("UBRUNO", NOW)


@pytest.mark.parametrize("state", [ReviewState.REJECTED, ReviewState.RETURNED, ReviewState.ANSWERED])
def test_a_branch_that_keeps_its_state_still_admits_one_runner(state, make_review) -> None:
    first = transition(make_review(state=state), Event.START, By(), NOW)
    assert first is not None

    second = transition(first.after, Event.START, By(), NOW + timedelta(seconds=1))

    assert second is None


@pytest.mark.parametrize(
    ("label", "metadata", "meaning"),
    [
        pytest.param("approved", {}, "approve", id="documented-approval"),
        pytest.param("rejected", {}, "reject", id="documented-rejection"),
        pytest.param("needs_revision", {}, "send_back", id="documented-revision"),
        pytest.param("ship_it", {}, "approve", id="an-unclassified-label-counts-as-approving"),
        pytest.param("later", {"dispositions": {"later": "send_back"}}, "send_back", id="the-flow-says-so"),
        pytest.param("rejected", {"dispositions": {"rejected": "maybe"}}, "reject", id="nonsense-is-not-followed"),
        pytest.param(None, {}, "answer", id="no-outcomes"),
    ],
)
def test_what_a_label_means(label, metadata, meaning, make_review) -> None:
    assert disposition(make_review(metadata=metadata).gate, label) == meaning


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({}, None, id="full-member"),
        pytest.param({"user": UserId("UANA")}, None, id="the-requester-too"),
        pytest.param({"user": UserId("UX")}, "not_member", id="not-in-the-channel"),
        pytest.param({"is_bot": True}, "bot", id="bot"),
        pytest.param({"is_guest": True}, "guest", id="guest"),
        pytest.param({"is_stranger": True}, "stranger", id="stranger"),
        pytest.param({"is_deleted": True}, "deleted", id="deactivated"),
        pytest.param({"team": TeamId("T2")}, "stranger", id="another-workspace"),
        pytest.param({"user": UserId("UANA"), "is_guest": True}, "guest", id="a-guest-who-asked"),
    ],
)
def test_who_may_decide_without_a_pool(changes, reason, make_review, make_person) -> None:
    refusal = may_decide(make_review(), make_person(**changes), {UserId("UBRUNO")})

    assert (refusal and refusal.reason) == reason
