"""The one door to a decision: button, modal, reply and command all end here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Set
from datetime import datetime

from bot.clock import Clock
from bot.inbox import Entry
from bot.reviews.machine import By, Event, transition
from bot.reviews.model import (
    AlreadyResolved,
    AuditEntry,
    Decision,
    Gate,
    NewReview,
    Refusal,
    Refused,
    Review,
    Stale,
    Unknown,
    Unreadable,
    Verdict,
    Won,
)
from bot.reviews.policy import disposition, may_decide
from bot.reviews.store import ReviewStore
from bot.types import MessageRef, Person, ReviewId, TeamId, UserId

_DECIDES: dict[str, Event] = {
    "approve": Event.APPROVE,
    "reject": Event.REJECT,
    "send_back": Event.SEND_BACK,
    "answer": Event.ANSWER,
}

Members = Callable[[Review, UserId], Awaitable[Set[UserId] | None]]
"""Who sees a review's card, asked for the sake of this person; None when Slack does not say.

Asked before the transaction, since Slack answers it.
"""


class ReviewService:
    """Opens reviews, decides them once, admits one runner and records the end."""

    def __init__(self, store: ReviewStore, clock: Clock) -> None:
        self.store = store
        self._clock = clock

    async def open(self, new: NewReview) -> Review:
        """The open review of this request; opening it twice opens it once."""
        return await self.store.open(new, self._clock.now())

    async def posted(self, review: Review, ref: MessageRef) -> None:
        """The card stands at `ref`."""
        await self.store.posted(review, ref, self._clock.now())

    async def decide(self, decision: Decision, person: Person | None, members: Members) -> Verdict:
        """First wins; everybody else learns who and when.

        person is None when Slack could not say who this is: then nothing is decided. Authority is checked here and
        now, whatever a card showed.
        Source: architecture section 6, "first decision wins" and "one door".
        """
        review = await self.store.get(decision.team, decision.review)
        if review is None:
            return Unknown()
        refusal = await self._refusal(review, decision, person, members)
        if person is None or refusal is not None:
            refusal = refusal or Refusal(reason="unknown_person")
            await self._record_denied(review, decision, person, refusal)
            return Refused(review=review, refusal=refusal)
        label = _label(review.gate, decision)
        if label not in (review.gate.emit or (None,)):
            return Unreadable(review=review)
        while review.is_pending:
            if decision.version is not None and not review.content_version <= decision.version <= review.version:
                return Stale(review=review)
            source = "skip" if decision.skip else decision.source
            by = By(person=person, outcome=label, source=source, note=decision.note)
            change = transition(review, _DECIDES[disposition(review.gate, label)], by, self._clock.now())
            assert change is not None, "a pending review takes every decision"
            if await self.store.commit(change, resume_entry(change.after, self._clock.now())):
                return Won(review=change.after)
            # Somebody changed it between our read and our write: look again, and say what is true now.
            review = await self._reload(review)
        return AlreadyResolved(review=review)

    async def start(self, team: TeamId, review: ReviewId) -> Review | None:
        """The review with its runner's claim taken by this call, or None: somebody else has it."""
        return await self._apply(team, review, Event.START)

    async def settle(self, team: TeamId, review: ReviewId, *, failed: bool, result: str | None) -> Review | None:
        """The review after its branch has ended, or None when it had been settled before."""
        return await self._apply(team, review, Event.FAIL if failed else Event.FINISH, result)

    async def _apply(self, team: TeamId, review_id: ReviewId, event: Event, result: str | None = None) -> Review | None:
        while True:
            review = await self.store.get(team, review_id)
            if review is None:
                return None
            change = transition(review, event, By(), self._clock.now(), result=result)
            if change is None:
                return None
            if await self.store.commit(change):
                return change.after

    async def _refusal(
        self, review: Review, decision: Decision, person: Person | None, members: Members
    ) -> Refusal | None:
        if person is None:
            return Refusal(reason="unknown_person")
        cards = await self.store.cards(review.team, review.id)
        if decision.card is not None and cards and decision.card not in [card.ref for card in cards]:
            return Refusal(reason="wrong_card")
        seeing = await members(review, person.user)
        if seeing is None:
            return Refusal(reason="unknown_person")
        return may_decide(review, person, seeing)

    async def _record_denied(self, review: Review, decision: Decision, person: Person | None, refusal: Refusal) -> None:
        entry = AuditEntry(
            review=review.id,
            version=None,
            kind="denied",
            actor=f"{decision.user_team}/{decision.user}",
            actor_name="" if person is None else person.name,
            from_state=review.state,
            to_state=review.state,
            outcome=decision.label,
            source=decision.source,
            reason=refusal.reason,
            payload_hash=review.payload_hash,
            at=self._clock.now(),
        )
        await self.store.record(review.team, entry)

    async def _reload(self, review: Review) -> Review:
        found = await self.store.get(review.team, review.id)
        assert found is not None, "reviews are never deleted"
        return found


def _label(gate: Gate, decision: Decision) -> str | None:
    if decision.skip:
        return gate.default_outcome
    if decision.choice is not None:
        return gate.emit[decision.choice] if 0 <= decision.choice < len(gate.emit) else None
    return decision.label


def resume_entry(review: Review, now: datetime) -> Entry:
    """The work that follows a decision; it is written in the decision's own transaction."""
    return Entry(
        team=review.team,
        key=f"resume:{review.id}",
        lane=review.thread.lane,
        kind="resume",
        payload={"review": review.id},
        at=now.timestamp(),
    )
