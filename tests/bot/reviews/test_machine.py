from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from bot.reviews.machine import TABLE, By, Event, transition
from bot.reviews.model import ReviewState
from bot.reviews.policy import Standing, disposition, may_decide
from bot.types import TeamId, UserId

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BRANCH = {"fail": "manual_intervention", "change": "pending_review"}
ALLOWED = {
    "pending_review": {
        "approve": "approved",
        "reject": "rejected",
        "send_back": "returned",
        "answer": "answered",
        "auto_approve": "auto_approved",
        "auto_reject": "auto_rejected",
        "lapse": "cancelled",
        "cancel": "cancelled",
        "escalate": "escalated",
        "reassign": "pending_review",
        "remind": "pending_review",
        "change": "pending_review",
    },
    "escalated": {"assign": "pending_review"},
    "approved": {"start": "executing", "change": "pending_review"},
    "auto_approved": {"start": "executing", "change": "pending_review"},
    "rejected": {"start": "rejected", "finish": "cancelled", **BRANCH},
    "auto_rejected": {"start": "auto_rejected", "finish": "cancelled", **BRANCH},
    "returned": {"start": "returned", "finish": "completed", **BRANCH},
    "answered": {"start": "answered", "finish": "completed", **BRANCH},
    "executing": {"finish": "completed", "fail": "failed", "change": "pending_review"},
    "failed": {"hand_over": "manual_intervention", "roll_back": "rollback_pending"},
    "rollback_pending": {"undone": "rolled_back", "fail": "manual_intervention"},
    "rolled_back": {},
    "completed": {},
    "cancelled": {},
    "manual_intervention": {
        "retry": "executing",
        "done": "completed",
        "roll_back": "rollback_pending",
    },
}
# A block outlives whatever becomes of its review, so that it can be lifted in every state.
ALLOWED = {state: {**after, "lift": state} for state, after in ALLOWED.items()}


@pytest.mark.parametrize(("state", "event"), list(product(ReviewState, Event)), ids=lambda value: value.name)
def test_every_pair_of_state_and_event_is_allowed_or_refused_as_stated(state, event, make_review) -> None:
    # Blocked, and once approved: nothing but the table stands in the way.
    change = transition(make_review(state=state, blocked=True, outcome="approved"), event, By(), NOW)

    assert (change and change.after.state.value) == ALLOWED[state].get(event)


def test_executing_is_entered_only_after_approval() -> None:
    ways_in = {pair for pair, (after, _) in TABLE.items() if after is ReviewState.EXECUTING and pair[0] is not after}

    assert ways_in == {
        (ReviewState.APPROVED, Event.START),
        (ReviewState.AUTO_APPROVED, Event.START),
        (ReviewState.MANUAL, Event.RETRY),
    }


@pytest.mark.parametrize("event", [Event.RETRY, Event.ROLL_BACK])
def test_what_was_not_approved_is_neither_executed_again_nor_undone(event, make_review) -> None:
    assert transition(make_review(state=ReviewState.MANUAL, outcome="rejected"), event, By(), NOW) is None


@pytest.mark.parametrize("state", ReviewState)
def test_only_a_block_is_lifted_and_only_once(state, make_review) -> None:
    lifted = transition(make_review(state=state, blocked=True), Event.LIFT, By(), NOW)

    assert lifted is not None
    assert not lifted.after.blocked
    assert transition(lifted.after, Event.LIFT, By(), NOW) is None


def test_a_transition_counts_the_version_and_is_recorded_with_both_states(make_review, make_person) -> None:
    by = By(person=make_person(), outcome="approved", source="button", note="good to go")

    change = transition(make_review(version=4), Event.APPROVE, by, NOW)

    assert change is not None
    [entry] = change.entries
    assert (change.after.version, entry.version) == (5, 5)
    assert (entry.from_state, entry.to_state) == (ReviewState.PENDING, ReviewState.APPROVED)
    assert (entry.actor, entry.outcome, entry.text, entry.at) == ("T1/UBRUNO", "approved", "good to go", NOW)
    assert (change.after.decided_by, change.after.decided_at) == ("UBRUNO", NOW)


@pytest.mark.parametrize(
    "state",
    [ReviewState.REJECTED, ReviewState.RETURNED, ReviewState.ANSWERED, ReviewState.AUTO_REJECTED],
)
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
    refusal = may_decide(make_review(), make_person(**changes), Standing(seeing={UserId("UBRUNO")}))

    assert (refusal and refusal.reason) == reason
