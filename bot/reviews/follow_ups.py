"""The work that follows a transition: it is stored in the transition's own transaction, and done by the lanes."""

from __future__ import annotations

from datetime import datetime

from bot.inbox import Entry
from bot.reviews.model import Review, Transition
from bot.types import Lane

_ENDS_THE_RUN = frozenset({"lapsed", "cancelled"})


def resume_entry(review: Review, now: datetime) -> Entry:
    """The run goes on with what was decided."""
    return Entry(
        team=review.team,
        # A decision that was undone by a change of the payload may be taken again.
        key=f"resume:{review.id}:{review.version}",
        lane=review.thread.lane,
        kind="resume",
        payload={"review": review.id},
        at=now.timestamp(),
    )


def card_entry(review: Review, now: datetime) -> Entry:
    """What is asked gets its card."""
    return Entry(
        team=review.team,
        key=f"card:{review.id}:{review.version}",
        lane=review.thread.lane,
        kind="card",
        payload={"run": review.run},
        at=now.timestamp(),
    )


def told_entry(change: Transition, *, quiet: bool = False) -> Entry:
    """People hear that a review waits for them, does not any more, or has ended without an answer.

    What ends a run waits its turn in the run's lane. Everything else has a lane of its own: a long step of the flow
    must not keep those who are asked from hearing of it. quiet leaves out the line beside the card, which a digest of
    the channel stands in for.
    """
    review, kind = change.after, change.entries[0].kind
    return Entry(
        team=review.team,
        key=f"told:{review.id}:{review.version}",
        lane=review.thread.lane if kind in _ENDS_THE_RUN else Lane(f"{review.team}:told:{review.id}"),
        kind="told",
        payload={"review": review.id, "version": review.version, "what": kind, "quiet": quiet},
        at=change.entries[-1].at.timestamp(),
    )


def unanswered_entry(change: Transition) -> Entry:
    """The operators hear of what nobody answered, where its policy says so."""
    review = change.after
    return Entry(
        team=review.team,
        key=f"unanswered:{review.id}:{review.version}",
        lane=Lane(f"{review.team}:told:{review.id}"),
        kind="told",
        payload={"review": review.id, "version": review.version, "what": "unanswered", "quiet": False},
        at=change.entries[-1].at.timestamp(),
    )


def page_entry(change: Transition) -> Entry:
    """The pager is called. It waits for nothing, and nothing waits for it."""
    review = change.after
    return Entry(
        team=review.team,
        key=f"page:{review.id}:{review.level}",
        lane=Lane(f"{review.team}:page:{review.id}:{review.level}"),
        kind="page",
        payload={"review": review.id, "level": review.level},
        at=change.entries[-1].at.timestamp(),
    )


def after_escalation(change: Transition, *, quiet: bool = False) -> tuple[Entry, ...]:
    """What follows a move up the ladder."""
    told = told_entry(change, quiet=quiet)
    return (told, page_entry(change)) if change.after.pages else (told,)


def after_tick(change: Transition, now: datetime, *, quiet: bool) -> tuple[Entry, ...]:
    """What follows what the clock did. quiet: the channel gets one digest instead of many lines."""
    review = change.after
    # Of many ends at once the operators hear in one message, too.
    alarms = (review.policy.alert or review.blocked) and not quiet
    match change.entries[0].kind:
        case "auto_approved":
            return (resume_entry(review, now),)
        case "auto_rejected":
            return (resume_entry(review, now), *([unanswered_entry(change)] if alarms else []))
        case "lapsed":
            return (told_entry(change), *([unanswered_entry(change)] if alarms else []))
        case "escalated":
            return after_escalation(change, quiet=quiet)
        case _:
            return (told_entry(change, quiet=quiet),)
