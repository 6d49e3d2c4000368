"""What a review becomes: one table of (state, event), and the transition it describes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from bot.reviews.model import AuditEntry, Review, ReviewState, Source, Transition
from bot.types import Person, UserId


class Event(StrEnum):
    """What can happen to a review."""

    APPROVE = "approve"
    REJECT = "reject"
    SEND_BACK = "send_back"
    ANSWER = "answer"
    START = "start"
    FINISH = "finish"
    FAIL = "fail"


S, E = ReviewState, Event

TABLE: dict[tuple[ReviewState, Event], tuple[ReviewState, str]] = {
    (S.PENDING, E.APPROVE): (S.APPROVED, "decided"),
    (S.PENDING, E.REJECT): (S.REJECTED, "decided"),
    (S.PENDING, E.SEND_BACK): (S.RETURNED, "decided"),
    (S.PENDING, E.ANSWER): (S.ANSWERED, "decided"),
    (S.APPROVED, E.START): (S.EXECUTING, "started"),
    # The other branches of a flow are code too. They run under the same one-runner claim; the shown state stays.
    (S.REJECTED, E.START): (S.REJECTED, "started"),
    (S.RETURNED, E.START): (S.RETURNED, "started"),
    (S.ANSWERED, E.START): (S.ANSWERED, "started"),
    (S.EXECUTING, E.FINISH): (S.COMPLETED, "completed"),
    (S.RETURNED, E.FINISH): (S.COMPLETED, "completed"),
    (S.ANSWERED, E.FINISH): (S.COMPLETED, "completed"),
    (S.REJECTED, E.FINISH): (S.CANCELLED, "closed"),
    (S.EXECUTING, E.FAIL): (S.MANUAL, "failed"),
    (S.REJECTED, E.FAIL): (S.MANUAL, "failed"),
    (S.RETURNED, E.FAIL): (S.MANUAL, "failed"),
    (S.ANSWERED, E.FAIL): (S.MANUAL, "failed"),
}
"""(state, event) → (next state, kind of the audit line). A pair that is missing is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who acts, and what the record keeps of it."""

    person: Person | None = None
    """None: the system."""
    outcome: str | None = None
    source: Source | None = None
    note: str = ""

    @property
    def actor(self) -> str:
        """The actor as the record names it: ids, never a display name, which anybody can change."""
        return "system" if self.person is None else f"{self.person.team}/{self.person.user}"


def transition(review: Review, event: Event, by: By, now: datetime, *, result: str | None = None) -> Transition | None:
    """What `event` makes of the review, or None when this state does not allow it. now is aware UTC."""
    row = TABLE.get((review.state, event))
    # One runner: a branch whose state does not change when it starts is told apart by its claim.
    if row is None or (event is Event.START and review.started_at is not None):
        return None
    state, kind = row
    after = replace(review, state=state, version=review.version + 1, result=result or review.result)
    if event is Event.START:
        after = replace(after, started_at=now)
    if kind == "decided":
        after = replace(
            after,
            outcome=by.outcome,
            decided_by=_user(by),
            decided_by_name=None if by.person is None else by.person.name,
            decided_at=now,
            source=by.source,
            note=by.note,
        )
    entry = AuditEntry(
        review=review.id,
        version=after.version,
        kind=kind,
        actor=by.actor,
        actor_name="" if by.person is None else by.person.name,
        from_state=review.state,
        to_state=state,
        outcome=by.outcome,
        source=by.source,
        reason=by.note,
        payload_hash=review.payload_hash,
        at=now,
    )
    return Transition(before=review, after=after, entries=(entry,))


def _user(by: By) -> UserId | None:
    return None if by.person is None else by.person.user
