"""What was decided, by whom and why, in words."""

from __future__ import annotations

from typing import Any, cast

from bot.render.mrkdwn import Mrkdwn, moment, one_line, say
from bot.render.wording import TEXTS
from bot.reviews.content import readable
from bot.reviews.gate_policy import BUILT_IN_REASONS
from bot.reviews.model import Disposition, Gate, Review
from bot.reviews.policy import disposition
from bot.types import Language

_DOCUMENTED = {
    "approve": frozenset({"approved", "approve"}),
    "reject": frozenset({"rejected", "reject"}),
    "send_back": frozenset({"needs_revision", "revise", "needs_changes"}),
}


def done(review: Review, language: Language) -> Mrkdwn:
    """What was decided and by whom, with the person as the subject."""
    by_policy = _without_a_person(review, language)
    if by_policy is not None:
        return by_policy
    person = one_line(review.decided_by_name or "")
    label, skipped = review.outcome, review.source == "skip"
    if label is None:
        return say("done.skip" if skipped else "done.answer", language, person=person)
    if skipped:
        return say("done.skip_to", language, person=person, outcome=outcome_words(review.gate, label, language))
    if is_documented(review.gate, label):
        return say(f"done.{meaning(review)}", language, person=person)
    return say("done.chose", language, person=person, outcome=outcome_words(review.gate, label, language))


def outcome_words(gate: Gate, label: str, language: Language) -> Mrkdwn:
    """An outcome in words: the author's own, the built-in ones, or the label made readable."""
    stated = gate.metadata.get("labels")
    if isinstance(stated, dict):
        words = cast("dict[str, Any]", stated).get(label)
        if isinstance(words, dict) and (own := cast("dict[str, Any]", words).get(language)):
            return one_line(str(own))
    if is_documented(gate, label):
        return say(f"button.{disposition(gate, label)}", language)
    return one_line(readable(label))


def reason_words(code: str, language: Language) -> Mrkdwn:
    """A reason code in words: the built-in ones, or the operator's own code made readable."""
    return say(f"reason.{code}", language) if code in BUILT_IN_REASONS else one_line(readable(code))


def code_words(key: str, language: Language) -> Mrkdwn:
    """A code of the record in words; made readable where this version does not know it."""
    return say(key, language) if key in TEXTS else one_line(readable(key.partition(".")[2]))


def late(review: Review, language: Language) -> Mrkdwn:
    """What a person reads who was not first."""
    if review.decided_at is None:
        return say("late.closed", language)
    person, label, time = one_line(review.decided_by_name or ""), review.outcome, moment(review.decided_at)
    if review.decided_by is None or review.source == "command":
        return say("late.expired", language, time=time, what=done(review, language))
    if label is not None and not is_documented(review.gate, label):
        words = outcome_words(review.gate, label, language)
        return say("late.chose", language, person=person, outcome=words, time=time)
    return say(f"late.{meaning(review)}", language, person=person, time=time)


def meaning(review: Review) -> Disposition:
    """What the outcome means for this review."""
    return disposition(review.gate, review.outcome)


def is_documented(gate: Gate, label: str) -> bool:
    """True for a label of the documents with its own meaning: it has words of its own."""
    return label.casefold() in _DOCUMENTED.get(disposition(gate, label), ())


def _without_a_person(review: Review, language: Language) -> Mrkdwn | None:
    """How it ended, when nobody decided it."""
    if review.source == "command":
        return say("done.cancelled", language, person=one_line(review.decided_by_name or ""))
    if review.source == "auto":
        return say("done.auto", language, reason=one_line(review.reason_code))
    if review.source != "timeout":
        return None
    if review.outcome is not None and disposition(review.gate, review.outcome) == "approve":
        return say("done.auto_approved", language, reason=one_line(review.reason_code))
    if review.reason_code == "never_posted":
        end = say("end.cancel" if review.outcome is None else "end.reject", language)
        return say("done.never_posted", language, end=end)
    return say("done.lapsed" if review.outcome is None else "done.auto_rejected", language)
