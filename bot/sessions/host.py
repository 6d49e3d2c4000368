"""The doors of a thread: what people say, press and start comes in here, and is answered at once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from bot.clock import Clock
from bot.db import Db
from bot.dispatch import Dispatcher
from bot.inbox import Entry, Inbox, put
from bot.render import outcomes, review_forms
from bot.render.mrkdwn import escape, say
from bot.render.refusals import refusal_words
from bot.reviews.model import (
    AlreadyResolved,
    Decision,
    ReasonMissing,
    Refused,
    Stale,
    Unknown,
    Unreadable,
    Verdict,
    Won,
)
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.notes import Notes
from bot.sessions.opening import Opening
from bot.sessions.standing import Standings
from bot.sessions.store import SessionStore
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import ChannelId, Language, MessageRef, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId, UserMessage

log = structlog.get_logger(__name__)
_RUNS = uuid.UUID("a5bd1f2e-93c1-4f0e-8a40-2f1f0d6b7c55")


class SessionHost:
    """What listeners call. Everything that takes time is left to the thread's lane (`sessions/work.py`)."""

    def __init__(
        self,
        *,
        db: Db,
        inbox: Inbox,
        dispatcher: Dispatcher,
        reviews: ReviewService,
        sessions: SessionStore,
        cards: Cards,
        notes: Notes,
        outbound: Outbound,
        people: People,
        standings: Standings,
        opening: Opening,
        clock: Clock,
    ) -> None:
        self._standings, self._opening = standings, opening
        self._db, self._inbox, self._dispatcher = db, inbox, dispatcher
        self._reviews, self._sessions, self._cards = reviews, sessions, cards
        self._notes, self._outbound, self._people, self._clock = notes, outbound, people, clock

    async def hear(self, message: UserMessage) -> None:
        """Keep a message, if it is for us. Returns once it is stored, so that it may be acknowledged."""
        home = await self._sessions.home(message.thread)
        if home is None and not (message.addressed or message.under_bot):
            return
        home = home or message.thread
        entry = Entry(
            team=message.thread.team,
            # Slack delivers a message again under a new event id; where it stands is what it is.
            key=f"message:{message.thread.channel}:{message.ts}",
            lane=home.lane,
            kind="message",
            payload={
                "channel": message.thread.channel,
                "root": message.thread.ts,
                "ts": message.ts,
                "user": message.user,
                "text": message.text,
                "addressed": message.addressed,
                "in_thread": message.in_thread,
                "under_bot": message.under_bot,
            },
            at=float(message.ts),
        )
        if await self._inbox.receive(entry):
            self._dispatcher.kick(entry.lane)

    async def start_flow(
        self, team: TeamId, key: str, *, channel: ChannelId, user: UserId, flow_name: str, inputs: dict[str, str]
    ) -> None:
        """Keep the wish to start a flow in a new thread of `channel`. Returns once it is stored."""
        entry = Entry(
            team=team,
            key=f"start:{key}",
            lane=ThreadKey(team=team, channel=channel, ts=Ts(f"start-{key}")).lane,
            kind="start",
            payload={"channel": channel, "user": user, "flow": flow_name, "inputs": inputs},
            at=self._now(),
        )
        if await self._inbox.receive(entry):
            self._dispatcher.kick(entry.lane)

    async def start_in_thread(self, message: UserMessage, *, flow_name: str, inputs: dict[str, str]) -> None:
        """Start a flow in the thread of this message. Doing it twice starts one.

        Under a card that stands apart from its run, the flow gets a new thread in the same channel: the run's own
        thread may be somewhere that this person, or this channel, is not to see.
        """
        key = f"message:{message.thread.channel}:{message.ts}"
        home = await self._sessions.home(message.thread)
        if home is not None and home != message.thread:
            await self.start_flow(
                message.thread.team,
                key,
                channel=message.thread.channel,
                user=message.user,
                flow_name=flow_name,
                inputs=inputs,
            )
            return
        await self.add_run(
            message.thread,
            key,
            flow_name=flow_name,
            user=message.user,
            inputs=inputs,
            root_is_ours=False,
            said=message.text,
        )

    async def add_run(
        self,
        thread: ThreadKey,
        key: str,
        *,
        flow_name: str,
        user: UserId,
        inputs: Mapping[str, Any],
        root_is_ours: bool,
        said: str = "",
    ) -> bool:
        """Note the run and the work that begins it, in one transaction. Doing it twice adds one run.

        False when the run had been added before.
        """
        run = RunId(str(uuid.uuid5(_RUNS, f"{thread.team}:{key}")))
        now = self._clock.now()
        entry = Entry(
            team=thread.team, key=f"run:{run}", lane=thread.lane, kind="run", payload={"run": run}, at=now.timestamp()
        )
        async with self._db.tx() as tx:
            await self._sessions.add(
                tx,
                run=run,
                thread=thread,
                flow_name=flow_name,
                requester=user,
                inputs=inputs,
                root_is_ours=root_is_ours,
                now=now,
                said=said,
            )
            is_new = await put(tx, entry)
        self._dispatcher.kick(entry.lane)
        return is_new

    async def answer(self, decision: Decision) -> Verdict:
        """Try to decide. When this returns, a won decision is stored, and its click may be acknowledged."""
        noted = await self._with_note(decision)
        person = await self._people.person(decision.user)
        verdict = await self._reviews.decide(noted, person, self._standings.of, self._opening.hash_now)
        if isinstance(verdict, Won):
            self._dispatcher.kick(verdict.review.thread.lane)
        if isinstance(verdict, Stale) and verdict.payload_changed:
            await self._opening.changed(verdict.review)
            self._dispatcher.kick(verdict.review.thread.lane)
        return verdict

    def kick(self, thread: ThreadKey) -> None:
        """Look for work in this thread's lane now."""
        self._dispatcher.kick(thread.lane)

    async def show(self, verdict: Verdict, decision: Decision, *, channel: ChannelId, thread_ts: Ts | None) -> None:
        """Show what came of a decision: the card to all, a private note to whoever was not first."""
        if isinstance(verdict, Won):
            await self._cards.sync(verdict.review.team, verdict.review.id)
            return
        log.info("decision_not_taken", verdict=type(verdict).__name__, review=decision.review, user=decision.user)
        text = _note(verdict, await self._notes.language_of(decision.user))
        await self._notes.whisper(channel, decision.user, text, thread_ts)

    async def show_where_it_stands(self, verdict: Verdict, decision: Decision) -> None:
        """`show` for a form, which knows no place: beside the review's own card."""
        review = await self._reviews.store.get(decision.team, decision.review)
        if review is None:
            return
        cards = await self._reviews.cards.of(review.team, review.id)
        thread_ts = review.target_thread or next((card.ref.ts for card in cards if card.kind == "card"), None)
        await self.show(verdict, decision, channel=review.target_channel, thread_ts=thread_ts)

    async def own_up(self, user: UserId, channel: ChannelId, thread_ts: Ts | None, reference: str) -> None:
        """Tell a person that a press did not go through, with the code under which the log explains it."""
        text = say("note.try_again", await self._notes.language_of(user), reference=escape(reference))
        await self._notes.whisper(channel, user, text, thread_ts)

    async def open_form(
        self,
        team: TeamId,
        review: ReviewId,
        user: UserId,
        *,
        card: MessageRef,
        thread_ts: Ts | None,
        trigger_id: str,
        read_all: bool,
    ) -> None:
        """Open the form that answers a gate without outcomes, or the full text of what is reviewed."""
        found, language = await self._reviews.store.get(team, review), await self._notes.language_of(user)
        # The card that was pressed shows the review already, to everybody who can press it; a press from any other
        # message opens nothing.
        if found is None or await self._cards.find(team, review, card) is None:
            await self._notes.whisper(card.channel, user, say("note.unknown_review", language), thread_ts)
        elif read_all:
            await self._outbound.open_view(trigger_id, review_forms.reading_modal(found, language))
        elif not found.is_pending:
            await self._notes.whisper(card.channel, user, outcomes.late(found, language), thread_ts)
        else:
            await self._outbound.open_view(trigger_id, review_forms.reply_modal(found, language))

    async def ask_reason(self, missing: ReasonMissing, decision: Decision, *, trigger_id: str) -> None:
        """Open the form that asks why something is rejected. What it sends is the decision."""
        language = await self._notes.language_of(decision.user)
        version = decision.version or missing.review.version
        view = review_forms.reason_modal(missing.review, missing.outcome, language, version)
        await self._outbound.open_view(trigger_id, view)

    async def _with_note(self, decision: Decision) -> Decision:
        """The decision with the words that the same person wrote above the repeated buttons."""
        if decision.card is None:
            return decision
        card = await self._cards.find(decision.team, decision.review, decision.card)
        if card is None or card.kind != "ask" or card.user != decision.user:
            return decision
        return replace(decision, note=card.note)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _note(verdict: Verdict, language: Language) -> str:
    match verdict:
        case AlreadyResolved(review=review):
            return outcomes.late(review, language)
        case Stale(payload_changed=changed):
            return say("note.changed" if changed else "note.stale", language)
        case ReasonMissing():
            return say("modal.reason_missing", language)
        case Unreadable():
            return say("note.unreadable", language)
        case Unknown():
            return say("note.unknown_review", language)
        case Refused(review=review, refusal=refusal):
            return refusal_words(review, refusal, language)
        case Won(review=review):
            return outcomes.done(review, language)
