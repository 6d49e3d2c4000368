"""What an outcome means, and who may decide."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Literal, cast

from bot.reviews.model import Disposition, Gate, Refusal, Review
from bot.types import Person, UserId

# The labels of the documents and their plain relatives. What stands in neither list counts as approving: it is never
# chosen by silence or by a guess.
_DEFAULT_DISPOSITIONS: Mapping[str, Disposition] = {
    "rejected": "reject",
    "reject": "reject",
    "declined": "reject",
    "denied": "reject",
    "discard": "reject",
    "no": "reject",
    "bad": "reject",
    "needs_revision": "send_back",
    "needs_changes": "send_back",
    "needs_more_detail": "send_back",
    "revise": "send_back",
    "revision": "send_back",
    "changes_requested": "send_back",
}
_APPROVING = frozenset({"approved", "approve", "accepted", "accept", "yes", "publish"})
_SPELLINGS: Mapping[str, Disposition] = {
    "approve": "approve",
    "reject": "reject",
    "send_back": "send_back",
    "send back": "send_back",
    "return": "send_back",
}


def disposition(gate: Gate, label: str | None) -> Disposition:
    """What this label means for a review of this gate.

    The flow's own statement (`metadata={"dispositions": {label: "approve" | "reject" | "send_back"}}`) wins.
    """
    if label is None:
        return "answer"
    stated = gate.metadata.get("dispositions")
    if isinstance(stated, Mapping):
        said = _SPELLINGS.get(str(cast("Mapping[str, Any]", stated).get(label)))
        if said is not None:
            return said
    return _DEFAULT_DISPOSITIONS.get(label.casefold(), "approve")


def first_approving(gate: Gate) -> str | None:
    """The label that the card's one primary button carries."""
    return next((label for label in gate.emit if disposition(gate, label) == "approve"), None)


def classified_approving(gate: Gate) -> str | None:
    """The first label that is known to approve: by the flow's own statement, or by a name of the documents.

    Other labels count as approving too, but nothing except a person may choose them.
    """
    stated = gate.metadata.get("dispositions")
    known: Mapping[str, Any] = cast("Mapping[str, Any]", stated) if isinstance(stated, Mapping) else {}
    return next(
        (
            label
            for label in gate.emit
            if disposition(gate, label) == "approve" and (label in known or label.casefold() in _APPROVING)
        ),
        None,
    )


def first_rejecting(gate: Gate) -> str | None:
    """The label that a review takes when nobody answers."""
    return next((label for label in gate.emit if disposition(gate, label) == "reject"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is true around a review at the moment somebody wants to decide it."""

    seeing: Set[UserId]
    """Who sees its card."""
    asked: Set[UserId] | None = None
    """Who is asked now, looked up; None where the policy names nobody."""
    before: Set[UserId] = frozenset()
    """Who was asked before it moved on."""
    gate_blocked: bool = False
    """Whether the gate is shut since a review of it that nobody answered."""


def may_decide(review: Review, person: Person, standing: Standing, event: Disposition | None = None) -> Refusal | None:
    """None when this person may decide so, else why not. event None asks about deciding at all.

    Without a pool every full member of the channel may, the requester too; guests, people of other workspaces and bots
    may not. Where people are named, exactly those may who are asked now.
    Source: HITL essay, on who owns a decision.
    """
    policy = review.policy
    if person.is_bot:
        return Refusal(reason="bot")
    if person.is_deleted:
        return Refusal(reason="deleted")
    if person.is_stranger or person.team != review.team:
        return Refusal(reason="stranger")
    if person.is_guest:
        return Refusal(reason="guest")
    if standing.asked is None:
        if person.user not in standing.seeing and person.user != review.requester:
            return Refusal(reason="not_member")
    elif person.user not in standing.asked and not (policy.former_assignees and person.user in standing.before):
        return Refusal(reason="passed_over" if person.user in standing.before else "not_asked")
    # Turning one's own request down harms nobody.
    if not policy.self_approval and person.user == review.requester and event not in (None, "reject", "send_back"):
        return Refusal(reason="own_request")
    if standing.gate_blocked and event in ("approve", "answer"):
        return Refusal(reason="blocked")
    if event == "send_back" and review.round > policy.loop_limit:
        return Refusal(reason="loop_limit")
    return None


Action = Literal["remind", "escalate", "reassign", "cancel", "lift", "ask_again", "halt"]
Role = Literal["requester", "asked", "operator"]

ROLES: Mapping[Action, frozenset[Role]] = {
    "remind": frozenset({"requester", "asked", "operator"}),
    "escalate": frozenset({"requester", "asked", "operator"}),
    "reassign": frozenset({"asked", "operator"}),
    "cancel": frozenset({"requester", "operator"}),
    "lift": frozenset({"operator"}),
    "ask_again": frozenset({"requester"}),
    "halt": frozenset({"operator"}),
}
"""Who may do what."""


def roles_for(action: Action, review: Review | None = None) -> frozenset[Role]:
    """Who may do this: the one place that says so, for commands of every kind.

    Above the low tier nobody moves their own request past those who are asked about it.
    """
    if action == "escalate" and review is not None and review.policy.tier.rank > 0:
        return ROLES[action] - {"requester"}
    return ROLES[action]


def may_manage(action: Action, roles: Set[Role], review: Review | None = None) -> bool:
    """Whether somebody with these roles may do this."""
    return not roles_for(action, review).isdisjoint(roles)


def may_be_assigned(review: Review, to: UserId, standing: Standing, *, by_operator: bool, named: Set[UserId]) -> bool:
    """Whether a review may be handed to this person.

    named is everybody whom the gate's policy names at all. Above the low tier only an operator hands it to somebody
    else than those, and nobody hands it to its requester where that one may not approve.
    """
    if to == review.requester and not review.policy.self_approval:
        return False
    return by_operator or to in named or (review.policy.tier.rank == 0 and to in standing.seeing)
