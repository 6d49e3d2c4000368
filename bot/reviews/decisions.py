"""What a decision says: its outcome, its reason, and who stands behind it."""

from __future__ import annotations

from bot.reviews.machine import By
from bot.reviews.model import Decision, Gate, ReasonMissing, Review
from bot.types import Person

_STATED = "stated"
"""The reason code of a rejection in plain words: the words say it."""


def label_of(gate: Gate, decision: Decision) -> str | None:
    """The outcome that is meant, by name, by place, or by an explicit Skip; it may be none of the gate's."""
    if decision.skip:
        return gate.default_outcome
    if decision.choice is not None:
        return gate.emit[decision.choice] if 0 <= decision.choice < len(gate.emit) else None
    return decision.label


def reason_missing(review: Review, decision: Decision, label: str | None) -> ReasonMissing | None:
    """What is still to be asked before a rejection counts; None when nothing is."""
    codes = review.policy.reason_codes
    if not codes or decision.source == "words" or decision.reason_code in codes or label is None:
        return None
    return ReasonMissing(review=review, outcome=label)


def by_of(person: Person, decision: Decision, label: str | None, *, rejects: bool) -> By:
    """Who decides, and what the record keeps of it."""
    code = ""
    if rejects:
        code = decision.reason_code or (_STATED if decision.source == "words" else "unspecified")
    return By(
        person=person,
        outcome=label,
        source="skip" if decision.skip else decision.source,
        note=decision.note,
        reason_code=code,
    )
