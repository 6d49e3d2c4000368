"""When something is due on a review, and what becomes of it then."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.reviews.gate_policy import Rung, Who
from bot.reviews.machine import By, Event, follow, transition
from bot.reviews.model import Review, Transition
from bot.reviews.policy import classified_approving, first_rejecting


def next_at(review: Review) -> datetime | None:
    """When the clock next has something to do with this review; None when it never has.

    Before the card is confirmed no clock runs for people, but the review still ends: its time is counted from its
    opening then, or from the last change of what is asked.
    """
    if not review.is_pending:
        return None
    if review.expires_at is None or review.asked_at is None:
        return (review.asked_at or review.opened_at) + total_time(review)
    reminders = review.policy.reminders[review.reminded :]
    if reminders and (moment := review.asked_at + reminders[0]) < review.expires_at:
        return moment
    return review.expires_at


def time_limit(review: Review) -> timedelta:
    """How long those who are asked now have."""
    ladder = review.policy.ladder
    return ladder[review.level - 1].review_time if 0 < review.level <= len(ladder) else review.policy.review_time


def total_time(review: Review) -> timedelta:
    """How long the review takes at most, all rungs of its ladder included."""
    return review.policy.review_time + sum((rung.review_time for rung in review.policy.ladder), timedelta())


def posted(review: Review, now: datetime) -> dict[str, Any]:
    """The fields that a confirmed card sets: from now on the clock runs."""
    return {"posted_at": now, "asked_at": now, "expires_at": now + time_limit(review)}


def due(review: Review, now: datetime) -> Transition | None:
    """What the clock makes of the review at `now`: a reminder, the next rung, or its end; None when nothing is due."""
    moment = next_at(review)
    if moment is None or now < moment:
        return None
    if review.expires_at is None:
        return _end(review, now, "never_posted")
    if now < review.expires_at:
        by = By(detail={"asked": names(review.asked), "reminder": review.reminded + 1})
        # However many were missed while the bot was down, one is enough.
        missed = sum(1 for each in review.policy.reminders if review.asked_at and review.asked_at + each <= now)
        return transition(review, Event.REMIND, by, now, reminded=max(missed, review.reminded + 1))
    return escalated(review, now, By(), why="timeout") or _end(review, now, "timeout")


def escalated(review: Review, now: datetime, by: By, *, why: str) -> Transition | None:
    """The review one rung higher: somebody else is asked. None at the end of the ladder.

    by says who moves it: the system, or a person who asks for it now.
    """
    if not review.is_pending or review.level >= len(review.policy.ladder):
        return None
    rung: Rung = review.policy.ladder[review.level]
    gone = review.asked or ()
    passed = tuple(dict.fromkeys((*review.passed_over, *(who for who in gone if who not in rung.who))))
    detail = {
        **by.detail,
        "level": review.level + 1,
        "passed_over": [{"who": name, "why": why} for name in names(review.asked)],
    }
    up = transition(review, Event.ESCALATE, replace(by, reason_code=why, detail=detail), now)
    # An unposted card starts no clock, whoever is asked.
    clock = {} if review.posted_at is None else {"asked_at": now, "expires_at": now + rung.review_time}
    return follow(
        up,
        Event.ASSIGN,
        By(detail={"asked": names(rung.who), "level": review.level + 1}),
        now,
        level=review.level + 1,
        asked=rung.who,
        passed_over=passed,
        reminded=0,
        content_version=review.version + 2,
        **clock,
    )


def names(people: tuple[Who, ...] | None) -> list[str]:
    """Who is meant, as ids, for the record; everybody who sees the card is `channel`."""
    return ["channel"] if people is None else [who.id for who in people]


def _end(review: Review, now: datetime, why: str) -> Transition | None:
    """Nobody answered: the policy's own end. Nothing but a low gate within its limit is ever approved here."""
    policy, gate = review.policy, review.gate
    detail = {"passed_over": [{"who": name, "why": why} for name in names(review.asked)]}
    if policy.on_timeout == "auto_approve" and why == "timeout" and may_pass(review):
        by = By(outcome=classified_approving(gate), source="timeout", reason_code=policy.limit_reason, detail=detail)
        return transition(review, Event.AUTO_APPROVE, by, now)
    by = By(outcome=first_rejecting(gate), source="timeout", reason_code=why, detail=detail)
    if by.outcome is None:
        return transition(review, Event.LAPSE, by, now, blocked=policy.blocks)
    return transition(review, Event.AUTO_REJECT, by, now, blocked=policy.blocks)


def may_pass(review: Review) -> bool:
    """Whether the policy may approve it unseen: low, with a limit that its amount keeps, and a label that approves.

    The sum of earlier ones is looked at when the review opens; its `amount` is None where that is used up.
    """
    policy = review.policy
    return (
        policy.tier.rank == 0
        and policy.limit is not None
        and bool(policy.limit_reason)
        and review.amount is not None
        and review.amount <= policy.limit.up_to
        and classified_approving(review.gate) is not None
    )
