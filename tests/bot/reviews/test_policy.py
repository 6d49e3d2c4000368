"""Who may decide, who may manage, and to whom a review may be handed."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from bot.reviews.gate_policy import GatePolicy, Tier
from bot.reviews.model import Disposition
from bot.reviews.policy import (
    ROLES,
    Action,
    Standing,
    classified_approving,
    disposition,
    first_approving,
    first_rejecting,
    may_be_assigned,
    may_decide,
    may_manage,
)
from bot.types import UserId

ANA, BRUNO, CARLA = UserId("UANA"), UserId("UBRUNO"), UserId("UCARLA")
POOL = Standing(seeing=frozenset(), asked={BRUNO})


def gate_policy(**changes: Any) -> GatePolicy:
    return GatePolicy(**{"gate": "content_review.review_draft", "tier": Tier.MEDIUM, "self_approval": False, **changes})


# ---------------------------------------------------------------- deciding


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        pytest.param(Standing(seeing=frozenset(), asked={BRUNO}), None, id="asked"),
        pytest.param(Standing(seeing={BRUNO}, asked={CARLA}), "not_asked", id="seeing-the-card-is-not-being-asked"),
        pytest.param(Standing(seeing={BRUNO}, asked=frozenset()), "not_asked", id="an-empty-pool-is-nobody"),
        pytest.param(Standing(seeing={BRUNO}, asked={CARLA}, before={BRUNO}), "passed_over", id="asked-before"),
        pytest.param(Standing(seeing={BRUNO}, asked={BRUNO}, before={BRUNO}), None, id="asked-again"),
    ],
)
def test_where_people_are_named_exactly_those_may_who_are_asked_now(standing, reason, make_review, make_person) -> None:
    refusal = may_decide(make_review(policy=gate_policy()), make_person(), standing, "approve")

    assert (refusal and refusal.reason) == reason


def test_former_assignees_may_where_the_policy_says_so_and_nobody_else(make_review, make_person) -> None:
    review = make_review(policy=gate_policy(former_assignees=True))
    standing = Standing(seeing={BRUNO, CARLA}, asked=frozenset(), before={BRUNO})

    former = may_decide(review, make_person(user=BRUNO), standing, "approve")
    other = may_decide(review, make_person(user=CARLA), standing, "approve")

    assert former is None
    assert other is not None
    assert other.reason == "not_asked"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("is_bot", "bot"), ("is_deleted", "deleted"), ("is_stranger", "stranger"), ("is_guest", "guest")],
)
def test_being_asked_makes_nobody_a_reviewer_who_cannot_be_one(kind, reason, make_review, make_person) -> None:
    refusal = may_decide(make_review(policy=gate_policy()), make_person(**{kind: True}), POOL, "approve")

    assert refusal is not None
    assert refusal.reason == reason


@pytest.mark.parametrize("self_approval", [False, True], ids=["forbidden", "allowed"])
@pytest.mark.parametrize("event", [*get_args(Disposition), None], ids=str)
def test_a_requester_may_turn_down_and_approves_only_where_the_policy_allows_it(
    self_approval, event, make_review, make_person
) -> None:
    review = make_review(policy=gate_policy(self_approval=self_approval))
    standing = Standing(seeing=frozenset(), asked={ANA})

    refusal = may_decide(review, make_person(user=ANA), standing, event)

    is_own = not self_approval and event in ("approve", "answer")
    assert (refusal and refusal.reason) == ("own_request" if is_own else None)


def test_whether_somebody_may_decide_at_all_is_asked_without_an_outcome(make_review, make_person) -> None:
    standing = Standing(seeing=frozenset(), asked={ANA})

    assert may_decide(make_review(policy=gate_policy()), make_person(user=ANA), standing) is None


@pytest.mark.parametrize(
    ("event", "reason"), [("approve", "blocked"), ("answer", "blocked"), ("reject", None), ("send_back", None)]
)
def test_a_blocked_gate_lets_nobody_approve(event, reason, make_review, make_person) -> None:
    standing = Standing(seeing=frozenset(), asked={BRUNO}, gate_blocked=True)

    refusal = may_decide(make_review(policy=gate_policy()), make_person(), standing, event)

    assert (refusal and refusal.reason) == reason


@pytest.mark.parametrize(
    ("round_", "event", "reason"),
    [
        pytest.param(3, "send_back", None, id="the-last-round-there-may-be"),
        pytest.param(4, "send_back", "loop_limit", id="one-too-many"),
        pytest.param(4, "approve", None, id="approving-ends-it"),
        pytest.param(4, "reject", None, id="rejecting-ends-it"),
    ],
)
def test_changes_are_asked_for_only_as_often_as_the_policy_says(
    round_, event, reason, make_review, make_person
) -> None:
    review = make_review(policy=gate_policy(loop_limit=3), round=round_)

    refusal = may_decide(review, make_person(), POOL, event)

    assert (refusal and refusal.reason) == reason


# ---------------------------------------------------------------- what a label is


@pytest.mark.parametrize(
    ("emit", "metadata", "approving", "classified", "rejecting"),
    [
        pytest.param(("rejected", "approved"), {}, "approved", "approved", "rejected", id="documented"),
        pytest.param(("Yes", "No"), {}, "Yes", "Yes", "No", id="whatever-its-case"),
        pytest.param(("ship_it", "discard"), {}, "ship_it", None, "discard", id="unclassified"),
        pytest.param(("needs_revision",), {}, None, None, None, id="only-sent-back"),
        pytest.param(
            ("go", "stop"),
            {"dispositions": {"go": "approve", "stop": "reject"}},
            "go",
            "go",
            "stop",
            id="the-flow-says-so",
        ),
        pytest.param(
            ("approved", "yes"),
            {"dispositions": {"approved": "reject"}},
            "yes",
            "yes",
            "approved",
            id="the-flow-says-otherwise",
        ),
        pytest.param(("approved",), {"dispositions": ["approved"]}, "approved", "approved", None, id="nonsense"),
    ],
)
def test_the_labels_that_approve_and_that_reject(emit, metadata, approving, classified, rejecting, make_review) -> None:
    gate = make_review(emit=emit, metadata=metadata).gate

    assert (first_approving(gate), classified_approving(gate), first_rejecting(gate)) == (
        approving,
        classified,
        rejecting,
    )


@pytest.mark.parametrize("label", ["rejected", "reject", "declined", "denied", "discard", "no", "bad", "BAD"])
def test_these_names_reject(label, make_review) -> None:
    gate = make_review(emit=("approved", label)).gate

    assert disposition(gate, label) == "reject"
    assert first_rejecting(gate) == label


@pytest.mark.parametrize(
    "label",
    [
        "needs_revision",
        "needs_changes",
        "needs_more_detail",
        "revise",
        "revision",
        "changes_requested",
    ],
)
def test_these_names_send_back(label, make_review) -> None:
    assert disposition(make_review(emit=(label,)).gate, label) == "send_back"


@pytest.mark.parametrize("label", ["approved", "approve", "accepted", "accept", "yes", "publish"])
def test_these_names_surely_approve(label, make_review) -> None:
    assert classified_approving(make_review(emit=("rejected", label)).gate) == label


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("approve", "approve"),
        ("reject", "reject"),
        ("send_back", "send_back"),
        ("send back", "send_back"),
        ("return", "send_back"),
    ],
)
def test_a_flow_says_what_its_label_means_in_these_words(said, meaning, make_review) -> None:
    gate = make_review(emit=("rejected",), metadata={"dispositions": {"rejected": said}}).gate

    assert disposition(gate, "rejected") == meaning


# ---------------------------------------------------------------- managing

MAY: dict[Action, set[str]] = {
    "remind": {"requester", "asked", "operator"},
    "escalate": {"requester", "asked", "operator"},
    "reassign": {"asked", "operator"},
    "cancel": {"requester", "operator"},
    "lift": {"operator"},
    "ask_again": {"requester"},
    "halt": {"operator"},
}


@pytest.mark.parametrize("action", get_args(Action))
@pytest.mark.parametrize("role", ["requester", "asked", "operator"])
def test_each_action_has_its_own_authority(action, role) -> None:
    assert may_manage(action, {role}) == (role in MAY[action])


@pytest.mark.parametrize(
    ("action", "tier", "role", "may"),
    [
        pytest.param("escalate", Tier.LOW, "requester", True, id="in-low-the-requester-moves-it"),
        pytest.param("escalate", Tier.MEDIUM, "requester", False, id="not-past-those-who-are-asked"),
        pytest.param("escalate", Tier.CRITICAL, "requester", False, id="least-of-all-in-critical"),
        pytest.param("escalate", Tier.MEDIUM, "asked", True, id="whoever-is-asked-moves-it"),
        pytest.param("escalate", Tier.MEDIUM, "operator", True, id="an-operator-moves-it"),
        pytest.param("cancel", Tier.MEDIUM, "requester", True, id="a-requester-gives-up-in-every-tier"),
    ],
)
def test_above_low_nobody_moves_their_own_request_on(action, tier, role, may, make_review) -> None:
    assert may_manage(action, {role}, make_review(policy=gate_policy(tier=tier))) is may


@pytest.mark.parametrize("action", get_args(Action))
def test_somebody_without_a_role_may_do_nothing(action) -> None:
    assert not may_manage(action, frozenset())


def test_one_role_that_may_is_enough() -> None:
    assert may_manage("cancel", {"asked", "requester"})
    assert set(ROLES) == set(get_args(Action))


@pytest.mark.parametrize(
    ("tier", "named", "by_operator", "may"),
    [
        pytest.param(Tier.LOW, set(), False, True, id="low-to-somebody-who-sees-it"),
        pytest.param(Tier.MEDIUM, set(), False, False, id="medium-to-somebody-who-sees-it"),
        pytest.param(Tier.MEDIUM, {CARLA}, False, True, id="medium-to-somebody-named"),
        pytest.param(Tier.CRITICAL, {CARLA}, False, True, id="critical-to-somebody-named"),
        pytest.param(Tier.CRITICAL, set(), True, True, id="an-operator-to-anybody"),
    ],
)
def test_to_whom_a_review_may_be_handed(tier, named, by_operator, may, make_review) -> None:
    review = make_review(policy=gate_policy(tier=tier))
    standing = Standing(seeing={CARLA})

    assert may_be_assigned(review, CARLA, standing, by_operator=by_operator, named=named) is may


def test_low_is_handed_to_nobody_who_does_not_see_it(make_review) -> None:
    review = make_review(policy=gate_policy(tier=Tier.LOW))

    assert not may_be_assigned(review, CARLA, Standing(seeing={BRUNO}), by_operator=False, named=frozenset())


@pytest.mark.parametrize("self_approval", [False, True], ids=["forbidden", "allowed"])
@pytest.mark.parametrize("by_operator", [False, True], ids=["by-somebody-asked", "by-an-operator"])
def test_nobody_hands_a_review_to_its_requester_where_that_one_may_not_approve(
    self_approval, by_operator, make_review
) -> None:
    review = make_review(policy=gate_policy(self_approval=self_approval))

    handed = may_be_assigned(review, ANA, Standing(seeing={ANA}), by_operator=by_operator, named={ANA})

    assert handed is self_approval
