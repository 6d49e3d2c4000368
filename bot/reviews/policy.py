"""What an outcome means, and who may decide."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, cast

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


def may_decide(review: Review, person: Person, members: Set[UserId]) -> Refusal | None:
    """None when this person may decide, else why not.

    members are the people who see the card. Without a pool every full member of the channel may, the requester too;
    guests, people of other workspaces and bots may not.
    Source: HITL essay, on who owns a decision.
    """
    if person.is_bot:
        return Refusal(reason="bot")
    if person.is_deleted:
        return Refusal(reason="deleted")
    if person.is_stranger or person.team != review.team:
        return Refusal(reason="stranger")
    if person.is_guest:
        return Refusal(reason="guest")
    if person.user not in members and person.user != review.requester:
        return Refusal(reason="not_member")
    return None
