"""What a review becomes: one table of (state, event), and the transition it describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.reviews.model import AuditEntry, Review, ReviewState, Source, Transition
from bot.reviews.policy import disposition
from bot.types import Person, UserId


class Event(StrEnum):
    """What can happen to a review."""

    APPROVE = "approve"
    REJECT = "reject"
    SEND_BACK = "send_back"
    ANSWER = "answer"
    AUTO_APPROVE = "auto_approve"
    AUTO_REJECT = "auto_reject"
    LAPSE = "lapse"
    """Nobody answered, and the gate has no label that rejects."""
    CANCEL = "cancel"
    ESCALATE = "escalate"
    ASSIGN = "assign"
    """Somebody new is asked; it follows an escalation."""
    REASSIGN = "reassign"
    REMIND = "remind"
    CHANGE = "change"
    """What is to be decided is no more what was shown."""
    LIFT = "lift"
    START = "start"
    FINISH = "finish"
    FAIL = "fail"
    HAND_OVER = "hand_over"
    ROLL_BACK = "roll_back"
    UNDONE = "undone"
    RETRY = "retry"
    DONE = "done"


S, E = ReviewState, Event
_DECIDED = (S.APPROVED, S.REJECTED, S.RETURNED, S.ANSWERED, S.AUTO_APPROVED, S.AUTO_REJECTED)
_BRANCHES = (S.REJECTED, S.RETURNED, S.ANSWERED, S.AUTO_REJECTED)

TABLE: dict[tuple[ReviewState, Event], tuple[ReviewState, str]] = {
    (S.PENDING, E.APPROVE): (S.APPROVED, "decided"),
    (S.PENDING, E.REJECT): (S.REJECTED, "decided"),
    (S.PENDING, E.SEND_BACK): (S.RETURNED, "decided"),
    (S.PENDING, E.ANSWER): (S.ANSWERED, "decided"),
    (S.PENDING, E.AUTO_APPROVE): (S.AUTO_APPROVED, "auto_approved"),
    (S.PENDING, E.AUTO_REJECT): (S.AUTO_REJECTED, "auto_rejected"),
    (S.PENDING, E.LAPSE): (S.CANCELLED, "lapsed"),
    (S.PENDING, E.CANCEL): (S.CANCELLED, "cancelled"),
    (S.PENDING, E.ESCALATE): (S.ESCALATED, "escalated"),
    (S.ESCALATED, E.ASSIGN): (S.PENDING, "assigned"),
    (S.PENDING, E.REASSIGN): (S.PENDING, "reassigned"),
    (S.PENDING, E.REMIND): (S.PENDING, "reminded"),
    (S.PENDING, E.CHANGE): (S.PENDING, "payload_changed"),
    # Nothing has run yet when a change is found: it is looked for just before the run's own claim.
    **{(state, E.CHANGE): (S.PENDING, "payload_changed") for state in (*_DECIDED, S.EXECUTING)},
    (S.APPROVED, E.START): (S.EXECUTING, "started"),
    (S.AUTO_APPROVED, E.START): (S.EXECUTING, "started"),
    # The other branches of a flow are code too. They run under the same one-runner claim; the shown state stays.
    **{(state, E.START): (state, "started") for state in _BRANCHES},
    (S.EXECUTING, E.FINISH): (S.COMPLETED, "completed"),
    (S.RETURNED, E.FINISH): (S.COMPLETED, "completed"),
    (S.ANSWERED, E.FINISH): (S.COMPLETED, "completed"),
    (S.REJECTED, E.FINISH): (S.CANCELLED, "closed"),
    (S.AUTO_REJECTED, E.FINISH): (S.CANCELLED, "closed"),
    (S.EXECUTING, E.FAIL): (S.FAILED, "failed"),
    # What was not approved has nothing to be undone: a person looks at it.
    **{(state, E.FAIL): (S.MANUAL, "failed") for state in _BRANCHES},
    (S.FAILED, E.HAND_OVER): (S.MANUAL, "handed_over"),
    (S.FAILED, E.ROLL_BACK): (S.ROLLBACK_PENDING, "rollback_started"),
    (S.ROLLBACK_PENDING, E.UNDONE): (S.ROLLED_BACK, "rolled_back"),
    (S.ROLLBACK_PENDING, E.FAIL): (S.MANUAL, "rollback_failed"),
    (S.MANUAL, E.RETRY): (S.EXECUTING, "retried"),
    (S.MANUAL, E.DONE): (S.COMPLETED, "marked_done"),
    (S.MANUAL, E.ROLL_BACK): (S.ROLLBACK_PENDING, "rollback_started"),
    # The block outlives whatever becomes of the review that nobody had answered.
    **{(state, E.LIFT): (state, "lifted") for state in S},
}
"""(state, event) → (next state, kind of the audit line). A pair that is missing is refused."""

OVER = frozenset({S.COMPLETED, S.CANCELLED, S.ROLLED_BACK, S.MANUAL})
"""States in which nothing goes on by itself."""

_SETTLES = frozenset({"decided", "auto_approved", "auto_rejected", "lapsed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who acts, and what the record keeps of it."""

    person: Person | None = None
    """None: the system, or somebody at the command line."""
    account: str = ""
    """The account of somebody at the command line."""
    outcome: str | None = None
    source: Source | None = None
    note: str = ""
    reason_code: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def actor(self) -> str:
        """The actor as the record names it: ids, never a display name, which anybody can change."""
        if self.person is not None:
            return f"{self.person.team}/{self.person.user}"
        return f"cli/{self.account}" if self.account else "system"

    @property
    def name(self) -> str:
        """The actor as people read it; empty for the system."""
        return self.account if self.person is None else self.person.name


def transition(
    review: Review, event: Event, by: By, now: datetime, *, result: str | None = None, **changes: Any
) -> Transition | None:
    """What `event` makes of the review, or None when this state does not allow it. now is aware UTC.

    changes are further fields of the review that the event sets.
    """
    row = TABLE.get((review.state, event))
    # One runner: a branch whose state does not change when it starts is told apart by its claim.
    if row is None or (event is Event.START and review.started_at is not None):
        return None
    if event is Event.LIFT and not review.blocked:
        return None
    # Only what a person or the policy had approved is executed again, or has anything to be undone.
    if (
        review.state is ReviewState.MANUAL
        and event in (Event.RETRY, Event.ROLL_BACK)
        and disposition(review.gate, review.outcome) != "approve"
    ):
        return None
    state, kind = row
    after = replace(
        review, state=state, version=review.version + 1, result=result or review.result, **_of(event, by, now)
    )
    if kind in _SETTLES:
        after = replace(
            after,
            outcome=by.outcome,
            decided_by=_user(by),
            decided_by_name=by.name or None,
            decided_at=now,
            source=by.source,
            note=by.note,
            reason_code=by.reason_code,
        )
    after = replace(after, **changes)
    entry = AuditEntry(
        review=review.id,
        version=after.version,
        kind=kind,
        actor=by.actor,
        actor_name=by.name,
        from_state=review.state,
        to_state=state,
        outcome=by.outcome,
        source=by.source,
        reason_code=by.reason_code,
        text=by.note,
        detail=by.detail,
        payload_hash=after.payload_hash,
        policy_hash=review.policy.digest,
        at=now,
    )
    return Transition(before=review, after=after, entries=(entry,))


def follow(first: Transition | None, event: Event, by: By, now: datetime, **changes: Any) -> Transition | None:
    """Two events in one commit: what `event` makes of the review as `first` leaves it."""
    second = None if first is None else transition(first.after, event, by, now, **changes)
    if first is None or second is None:
        return None
    return Transition(before=first.before, after=second.after, entries=(*first.entries, *second.entries))


def _of(event: Event, by: By, now: datetime) -> dict[str, Any]:
    match event:
        case Event.START:
            return {"started_at": now}
        case Event.LIFT:
            return {"blocked": False}
        case Event.CHANGE:
            # Whatever was decided was decided on something else.
            return {
                "outcome": None,
                "decided_by": None,
                "decided_by_name": None,
                "decided_at": None,
                "source": None,
                "note": "",
                "reason_code": "",
                "started_at": None,
            }
        case _:
            return {}


def _user(by: By) -> UserId | None:
    return None if by.person is None else by.person.user
