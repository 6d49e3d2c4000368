"""A review as it begins, and the lines of the record that say so."""

from __future__ import annotations

from datetime import datetime

from bot.reviews.deadlines import names
from bot.reviews.model import AuditEntry, NewReview, Review, ReviewState


def new_review(new: NewReview, n: int, rounds: int, now: datetime) -> Review:
    """The review as it is opened; rounds counts the times this step has asked in its run, this one included."""
    return Review(
        id=new.id,
        n=n,
        run=new.run,
        thread=new.thread,
        requester=new.requester.user,
        requester_name=new.requester.name,
        gate=new.gate,
        content=new.content,
        round=rounds,
        policy=new.policy,
        amount=new.amount,
        inputs=new.inputs,
        said=new.said,
        language=new.language,
        target_channel=new.target_channel,
        target_thread=new.target_thread,
        payload_hash=new.payload_hash,
        state=ReviewState.PENDING,
        version=1,
        content_version=1,
        opened_at=now,
        asked=new.policy.pool,
    )


def opened_line(review: Review) -> AuditEntry:
    """The first line of its record."""
    policy = review.policy
    return AuditEntry(
        review=review.id,
        version=review.version,
        kind="opened",
        actor=f"{review.team}/{review.requester}",
        actor_name=review.requester_name,
        from_state=None,
        to_state=review.state,
        detail={
            "number": review.n,
            "gate": policy.gate,
            "tier": policy.tier.value,
            "risk_score": policy.risk_score,
            "autonomy": policy.autonomy,
            "round": review.round,
        },
        payload_hash=review.payload_hash,
        policy_hash=policy.digest,
        at=review.opened_at,
    )


def posted_line(review: Review, now: datetime) -> AuditEntry:
    """Its card is confirmed: who is asked, and until when."""
    expires = None if review.expires_at is None else review.expires_at.isoformat()
    return AuditEntry(
        review=review.id,
        version=None,
        kind="posted",
        actor="system",
        actor_name="",
        from_state=review.state,
        to_state=review.state,
        detail={"asked": names(review.asked), "level": review.level, "expires_at": expires},
        payload_hash=review.payload_hash,
        policy_hash=review.policy.digest,
        at=now,
    )
