"""The one door to a decision: button, modal, reply and command all end here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.clock import Clock
from bot.db import Db, Tx
from bot.inbox import Entry
from bot.reviews import deadlines
from bot.reviews.card_store import CardStore
from bot.reviews.content import Content
from bot.reviews.decisions import by_of, label_of, reason_missing
from bot.reviews.follow_ups import after_escalation, after_tick, card_entry, page_entry, resume_entry, told_entry
from bot.reviews.gate_policy import Who
from bot.reviews.machine import By, Event, follow, transition
from bot.reviews.model import (
    AlreadyResolved,
    AuditEntry,
    Card,
    Decision,
    Disposition,
    NewReview,
    Refusal,
    Refused,
    Review,
    Stale,
    Transition,
    Unknown,
    Unreadable,
    Verdict,
    Won,
)
from bot.reviews.policy import Standing, classified_approving, disposition, may_decide
from bot.reviews.signing import Signer
from bot.reviews.store import ReviewStore, Step
from bot.types import MessageRef, Person, ReviewId, TeamId, UserId

_DECIDES: dict[str, Event] = {
    "approve": Event.APPROVE,
    "reject": Event.REJECT,
    "send_back": Event.SEND_BACK,
    "answer": Event.ANSWER,
}

_OPEN_ONLY = frozenset({"passed_over", "own_request", "blocked", "loop_limit"})
"""Refusals of people who had their part in the review: once it is decided, they learn that, and by whom."""

Standings = Callable[[Review, UserId], Awaitable[Standing | None]]
"""What is true around a review, asked for the sake of this person; None when Slack does not say.

Asked before the transaction, since Slack answers it.
"""
Hashes = Callable[[Review], Awaitable[str | None]]
"""The hash of what the run would really go on with; None when the run has no such request any more."""


class ReviewService:
    """Opens reviews, decides them once, admits one runner and records the end."""

    def __init__(self, db: Db, signer: Signer, clock: Clock, *, code_version: str) -> None:
        self.store = ReviewStore(db, signer, code_version=code_version)
        self.cards = CardStore(db)
        self._clock = clock

    async def open(self, new: NewReview) -> Review:
        """The review of this request; opening it twice opens it once.

        A gate whose policy says `auto` is approved at once, within its limit; one that has gone round too often
        begins one rung higher.
        """
        return await self.store.open(new, self._clock.now(), self._first_step)

    async def posted(self, review: Review, ref: MessageRef) -> None:
        """The card stands at `ref`."""
        card = Card(
            review=review.id, ref=ref, kind="card", thread_ts=review.target_thread, shown_version=review.version
        )
        await self.store.posted(review, card, self._clock.now())

    async def decide(self, decision: Decision, person: Person | None, standings: Standings, hashes: Hashes) -> Verdict:
        """First wins; everybody else learns who and when.

        person is None when Slack could not say who this is: then nothing is decided. Authority is checked here and
        now, whatever a card showed, and so is that what was shown is still what would be run.
        Source: docs/architecture.md, "Where each invariant lives".
        """
        while True:
            review = await self.store.get(decision.team, decision.review)
            if review is None:
                await self.store.record(decision.team, self._unknown(decision, person))
                return Unknown()
            # Everything is asked anew after somebody else's change: who may, what would run, and which version it is.
            verdict = await self._verdict(review, decision, person, standings, hashes)
            if verdict is not None:
                return verdict

    async def _verdict(
        self, review: Review, decision: Decision, person: Person | None, standings: Standings, hashes: Hashes
    ) -> Verdict | None:
        """What comes of the decision for the review as it is now; None when it changed while that was looked at."""
        label = label_of(review.gate, decision)
        known = label in (review.gate.emit or (None,))
        event = disposition(review.gate, label) if known else None
        refusal = await self._refusal(review, decision, person, standings, event)
        if refusal is not None and refusal.reason in _OPEN_ONLY and not review.is_pending:
            return AlreadyResolved(review=review)
        if person is None or refusal is not None:
            refusal = refusal or Refusal(reason="unknown_person")
            await self._record_denied(review, decision, person, refusal)
            return Refused(review=review, refusal=refusal)
        if event is None:
            return Unreadable(review=review)
        if not review.is_pending:
            return AlreadyResolved(review=review)
        if await hashes(review) not in (review.payload_hash, None):
            return Stale(review=review, payload_changed=True)
        if decision.version is not None and not review.content_version <= decision.version <= review.version:
            return Stale(review=review)
        if event == "reject" and (missing := reason_missing(review, decision, label)):
            return missing
        by = by_of(person, decision, label, rejects=event == "reject")
        now = self._clock.now()
        change = transition(review, _DECIDES[event], by, now)
        assert change is not None, "a pending review takes every decision"
        # A block of the gate that comes in between is seen in the transaction itself.
        guarded = event in ("approve", "answer")
        won = await self.store.commit(change, resume_entry(change.after, now), unless_blocked=guarded)
        return Won(review=change.after) if won else None

    async def changed(self, team: TeamId, review_id: ReviewId, payload_hash: str, content: Content) -> Review | None:
        """What is to be decided has changed: it is asked for anew, with a new card. None when nobody waits for it."""
        while True:
            review = await self.store.get(team, review_id)
            if review is None:
                return None
            if review.payload_hash == payload_hash:
                # Whatever was decided was decided on just this: somebody else had found the change before.
                return review if review.is_pending else None
            now = self._clock.now()
            change = transition(
                review,
                Event.CHANGE,
                By(reason_code="payload_changed", detail={"before": review.payload_hash, "after": payload_hash}),
                now,
                payload_hash=payload_hash,
                content=content,
                content_version=review.version + 1,
                posted_at=None,
                asked_at=now,
                expires_at=None,
                reminded=0,
                post_tries=0,
                # Counted anew: nothing may pass unseen after a change.
                amount=None,
            )
            if change is None:
                return None
            if await self.store.commit(change, card_entry(change.after, now)):
                return change.after

    async def start(self, team: TeamId, review: ReviewId) -> Review | None:
        """The review with its runner's claim taken by this call, or None: somebody else has it."""
        change = await self.apply(team, review, Event.START, By())
        return None if change is None else change.after

    async def settle(self, team: TeamId, review: ReviewId, *, failed: bool, result: str | None) -> Review | None:
        """The review after its branch has ended, or None when it had been settled before."""
        while True:
            found = await self.store.get(team, review)
            if found is None:
                return None
            now = self._clock.now()
            change = transition(found, Event.FAIL if failed else Event.FINISH, By(), now, result=result)
            if change is None:
                return None
            # No step says yet how it is undone: a person takes it over, at once.
            change = follow(change, Event.HAND_OVER, By(), now) or change
            if await self.store.commit(change):
                return change.after

    async def apply(
        self,
        team: TeamId,
        review_id: ReviewId,
        event: Event,
        by: By,
        *,
        then: Callable[[Transition], Entry] | None = None,
        changes: Callable[[Review], Mapping[str, Any]] | None = None,
    ) -> Transition | None:
        """The transition that this call made; None when the review's state does not allow the event.

        changes gives the fields that the event sets, then the work that follows, which is stored with the transition.
        """
        while True:
            review = await self.store.get(team, review_id)
            if review is None:
                return None
            fields: Mapping[str, Any] = {} if changes is None else changes(review)
            change = transition(review, event, by, self._clock.now(), **fields)
            if change is None:
                return None
            if await self.store.commit(change, *([] if then is None else [then(change)])):
                return change

    async def remind(self, team: TeamId, review_id: ReviewId, by: By) -> Transition | None:
        """Remind those who are asked, now; None when nothing is waited for."""
        return await self.apply(team, review_id, Event.REMIND, by, then=told_entry)

    async def reassign(self, team: TeamId, review_id: ReviewId, to: tuple[Who, ...], by: By) -> Transition | None:
        """Ask these people instead; the time that is left stays what it is. None when nothing is waited for."""

        def changes(review: Review) -> Mapping[str, Any]:
            gone = tuple(who for who in review.asked or () if who not in to)
            return {
                "asked": to,
                "passed_over": tuple(dict.fromkeys((*(w for w in review.passed_over if w not in to), *gone))),
                "content_version": review.version + 1,
            }

        review = await self.store.get(team, review_id)
        asked = [] if review is None else deadlines.names(review.asked)
        gone = [{"who": name, "why": "manual"} for name in asked]
        noted = replace(by, detail={**by.detail, "asked": [who.id for who in to], "passed_over": gone})
        return await self.apply(team, review_id, Event.REASSIGN, noted, then=told_entry, changes=changes)

    async def cancel(self, team: TeamId, review_id: ReviewId, by: By) -> Transition | None:
        """End the review without a decision: its flow is not resumed. None when nothing is waited for."""
        return await self.apply(team, review_id, Event.CANCEL, replace(by, source="command"), then=told_entry)

    async def lift(self, team: TeamId, review_id: ReviewId, by: By) -> Transition | None:
        """Open the gate again that was shut when nobody answered this review; None when it is not blocked."""
        return await self.apply(team, review_id, Event.LIFT, by)

    async def note(self, review: Review, kind: str, by: By) -> None:
        """Keep a line about the review that changes nothing of it."""
        await self.store.record(review.team, self._line(review, kind, by))

    async def halt(self, team: TeamId, by: By, *, halted: bool) -> bool:
        """Pause or continue everything that flows do; decisions are taken in all the same. False: it is so already."""
        line = self._workspace_line("halted" if halted else "continued", by)
        return await self.store.set_halted(team, line, halted=halted)

    async def denied_halt(self, team: TeamId, by: By) -> None:
        """Note that somebody who may not tried to pause or continue everything."""
        await self.store.record(team, self._workspace_line("denied", by))

    async def policy_loaded(self, team: TeamId, digest: str) -> bool:
        """Note in the record which policy holds from now on; False when it is the one that held before."""
        if await self.store.last_policy(team) == digest:
            return False
        await self.store.record(team, replace(self._workspace_line("policy_loaded", By()), policy_hash=digest))
        return True

    async def escalate(self, team: TeamId, review_id: ReviewId, by: By) -> Transition | None:
        """Move the review one rung up now; None at the end of its ladder, or when nothing is waited for."""
        while True:
            review = await self.store.get(team, review_id)
            now = self._clock.now()
            change = None if review is None else deadlines.escalated(review, now, by, why="manual")
            if change is None:
                return None
            if await self.store.commit(change, *after_escalation(change)):
                return change

    async def tick(
        self, team: TeamId, now: datetime, *, quiet: frozenset[str] = frozenset(), limit: int = 50
    ) -> list[Transition]:
        """Apply what is due now, at most `limit` reviews in one transaction; what this call changed.

        quiet names channels in which a digest tells of reminders and moves instead of one message each.
        """

        def step(review: Review) -> Step | None:
            change = deadlines.due(review, now)
            return (
                None if change is None else Step(change, *after_tick(change, now, quiet=review.target_channel in quiet))
            )

        return await self.store.apply_due(team, now, step, limit=limit)

    async def _first_step(self, tx: Tx, review: Review) -> Step | None:
        policy, now = review.policy, review.opened_at
        if review.round > policy.loop_limit:
            up = deadlines.escalated(review, now, By(), why="loop_limit")
            return None if up is None else Step(up, *([page_entry(up)] if up.after.pages else []))
        counted = await self.store.counted(tx, review, now)
        if policy.autonomy != "auto" or not deadlines.may_pass(counted):
            return None
        by = By(outcome=classified_approving(review.gate), source="auto", reason_code=policy.limit_reason)
        change = transition(counted, Event.AUTO_APPROVE, by, now)
        return None if change is None else Step(change, resume_entry(change.after, now))

    async def _refusal(
        self,
        review: Review,
        decision: Decision,
        person: Person | None,
        standings: Standings,
        event: Disposition | None,
    ) -> Refusal | None:
        if person is None:
            return Refusal(reason="unknown_person")
        cards = await self.cards.of(review.team, review.id)
        if decision.card is not None and cards and decision.card not in [card.ref for card in cards]:
            return Refusal(reason="wrong_card")
        standing = await standings(review, person.user)
        if standing is None:
            return Refusal(reason="unknown_person")
        blocked = await self.store.is_blocked(review.team, review.gate.flow_name, review.gate.method)
        return may_decide(review, person, replace(standing, gate_blocked=blocked), event)

    async def _record_denied(self, review: Review, decision: Decision, person: Person | None, refusal: Refusal) -> None:
        entry = replace(
            self._line(
                review,
                "denied",
                By(outcome=label_of(review.gate, decision), source=decision.source, reason_code=refusal.reason),
            ),
            actor=f"{decision.user_team}/{decision.user}",
            actor_name="" if person is None else person.name,
        )
        await self.store.record(review.team, entry)

    def _unknown(self, decision: Decision, person: Person | None) -> AuditEntry:
        by = By(source=decision.source, reason_code="unknown_review")
        actor = f"{decision.user_team}/{decision.user}"
        name = "" if person is None else person.name
        return replace(self._workspace_line("denied", by), actor=actor, actor_name=name)

    def _workspace_line(self, kind: str, by: By) -> AuditEntry:
        return AuditEntry(
            review=None,
            version=None,
            kind=kind,
            actor=by.actor,
            actor_name=by.name,
            from_state=None,
            to_state=None,
            source=by.source,
            reason_code=by.reason_code,
            payload_hash="",
            at=self._clock.now(),
        )

    def _line(self, review: Review, kind: str, by: By) -> AuditEntry:
        return AuditEntry(
            review=review.id,
            version=None,
            kind=kind,
            actor=by.actor,
            actor_name=by.name,
            from_state=review.state,
            to_state=review.state,
            outcome=by.outcome,
            source=by.source,
            reason_code=by.reason_code,
            text=by.note,
            detail=by.detail,
            payload_hash=review.payload_hash,
            policy_hash=review.policy.digest,
            at=self._clock.now(),
        )
