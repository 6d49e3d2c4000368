"""What happens in a thread: words and clicks come in, flows run, cards and lines go out."""

from __future__ import annotations

import uuid
from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog

from bot.clock import Clock
from bot.db import Db
from bot.dispatch import Dispatcher
from bot.errors import SlackRefused, SlackUnavailable, TryLater
from bot.inbox import Entry, Inbox, Taken, put
from bot.render import history, review_card, runs
from bot.render.mrkdwn import channel_link, escape, one_line, say
from bot.reviews.content import content_of
from bot.reviews.model import (
    AlreadyResolved,
    Decision,
    Refused,
    Review,
    Stale,
    Unknown,
    Unreadable,
    Verdict,
    Won,
)
from bot.reviews.policy import may_decide
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.model import Failed, Finished, Interrupted, Paused, RunEnd
from bot.sessions.opening import CardBlocked, Opening
from bot.sessions.reading import Ambiguous, Answers, Unclear, read
from bot.sessions.runner import Runner
from bot.sessions.store import SessionStore
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import (
    ChannelId,
    Language,
    Message,
    MessageRef,
    ReviewId,
    Run,
    RunId,
    RunState,
    TeamId,
    ThreadKey,
    Ts,
    UserId,
    UserMessage,
)
from flows import HumanFeedbackPending, HumanFeedbackResult

log = structlog.get_logger(__name__)
_RUNS = uuid.UUID("a5bd1f2e-93c1-4f0e-8a40-2f1f0d6b7c55")
_LATE_S = 60.0
_UNRECORDED_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer to a command in a message."""

    message: Message
    private: bool = False
    """It tells of a place that not everybody here can see: only who asked may read it."""


class Spoken(Protocol):
    """What answers commands in messages."""

    def concerns(self, message: UserMessage, *, owned: bool, busy: bool) -> bool:
        """True when this message is a command."""
        ...

    async def spoken(self, message: UserMessage, *, home: ThreadKey | None) -> Said | None:
        """The answer, or None when there is nothing to say."""
        ...


class SessionHost:
    """The only one who starts and resumes flows.

    Listeners call `hear`, `answer` and `show`; the dispatcher calls `work` for each entry of a lane.
    """

    def __init__(
        self,
        *,
        db: Db,
        inbox: Inbox,
        dispatcher: Dispatcher,
        reviews: ReviewService,
        sessions: SessionStore,
        runner: Runner,
        opening: Opening,
        cards: Cards,
        outbound: Outbound,
        people: People,
        clock: Clock,
        language: Language,
    ) -> None:
        self._db, self._inbox, self._dispatcher = db, inbox, dispatcher
        self._reviews, self._sessions, self._runner = reviews, sessions, runner
        self._opening, self._cards = opening, cards
        self._outbound, self._people, self._clock = outbound, people, clock
        self._language: Language = language
        self._spoken: Spoken | None = None

    def answer_commands_with(self, spoken: Spoken) -> None:
        """Who answers commands in messages; wired once, by the composition root."""
        self._spoken = spoken

    # ------------------------------------------------------------ what comes in

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
        await self._add_run(
            message.thread, key, flow_name=flow_name, user=message.user, inputs=inputs, root_is_ours=False
        )

    async def answer(self, decision: Decision) -> Verdict:
        """Try to decide. When this returns, a won decision is stored, and its click may be acknowledged."""
        noted = await self._with_note(decision)
        person = await self._people.person(decision.user)
        verdict = await self._reviews.decide(noted, person, self._members)
        if isinstance(verdict, Won):
            self._dispatcher.kick(verdict.review.thread.lane)
        return verdict

    async def show(self, verdict: Verdict, decision: Decision, *, channel: ChannelId, thread_ts: Ts | None) -> None:
        """Show what came of a decision: the card to all, a private note to whoever was not first."""
        if isinstance(verdict, Won):
            await self._cards.sync(verdict.review.team, verdict.review.id)
            return
        log.info("decision_not_taken", verdict=type(verdict).__name__, review=decision.review, user=decision.user)
        text = _note(verdict, await self.language_of(decision.user))
        await self._whisper(channel, decision.user, text, thread_ts)

    async def show_where_it_stands(self, verdict: Verdict, decision: Decision) -> None:
        """`show` for a form, which knows no place: beside the review's own card."""
        review = await self._reviews.store.get(decision.team, decision.review)
        if review is None:
            return
        cards = await self._reviews.store.cards(review.team, review.id)
        thread_ts = review.target_thread or next((card.ref.ts for card in cards if card.kind == "card"), None)
        await self.show(verdict, decision, channel=review.target_channel, thread_ts=thread_ts)

    async def own_up(self, user: UserId, channel: ChannelId, thread_ts: Ts | None, reference: str) -> None:
        """Tell a person that a press did not go through, with the code under which the log explains it."""
        text = say("note.try_again", await self.language_of(user), reference=escape(reference))
        await self._whisper(channel, user, text, thread_ts)

    async def language_of(self, user: UserId) -> Language:
        """The language in which this person is told something privately."""
        person = await self._people.person(user)
        return (person.language if person else None) or self._language

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
        found, language = await self._reviews.store.get(team, review), await self.language_of(user)
        # The card that was pressed shows the review already, to everybody who can press it; a press from any other
        # message opens nothing.
        if found is None or await self._cards.find(team, review, card) is None:
            await self._whisper(card.channel, user, say("note.unknown_review", language), thread_ts)
        elif read_all:
            await self._outbound.open_view(trigger_id, review_card.reading_modal(found, language))
        elif not found.is_pending:
            await self._whisper(card.channel, user, review_card.late(found, language), thread_ts)
        else:
            await self._outbound.open_view(trigger_id, review_card.reply_modal(found, language))

    # ------------------------------------------------------------ the work of a lane

    async def work(self, taken: Taken) -> None:
        """Do one entry. It may come a second time after a crash, so every step asks what is done already."""
        entry = taken.entry
        match entry.kind:
            case "message":
                await self._message(entry, taken.attempt)
            case "start":
                await self._start(entry)
            case "run":
                await self._run(entry.team, RunId(entry.payload["run"]))
            case "resume":
                await self._resume(entry.team, ReviewId(entry.payload["review"]))
            case "card":
                await self._card(entry.team, RunId(entry.payload["run"]))

    async def gave_up(self, taken: Taken, reference: str) -> None:
        """Own up in the thread to an entry that will not be tried again."""
        entry = taken.entry
        thread, run = await self._thread_of(entry), await self._run_of(entry)
        if thread is None:
            return
        message = (
            runs.not_shown(reference, self._language)
            if run is None
            else runs.stuck(run.flow_name, reference, self._language)
        )
        await self._outbound.post(entry.team, f"gave_up:{entry.key}", thread.channel, message, thread_ts=thread.ts)

    async def _message(self, entry: Entry, attempt: int) -> None:
        message = _user_message(entry)
        home = await self._sessions.home(message.thread)
        if home is None and message.under_bot and attempt <= _UNRECORDED_TRIES:
            # Words can be quicker than the record of the card above them.
            raise TryLater
        open_reviews = [] if home is None else await self._reviews.store.pending_in(home, message.thread, message.ts)
        spoken = self._spoken
        if (
            message.addressed
            and spoken is not None
            and spoken.concerns(message, owned=home is not None, busy=bool(open_reviews))
        ):
            answer = await spoken.spoken(message, home=home)
            if answer is not None and answer.private:
                text, thread_ts = answer.message.text, message.thread.ts if message.in_thread else None
                await self._whisper(message.thread.channel, message.user, text, thread_ts)
            elif answer is not None:
                await self._reply(message, answer.message)
            return
        if open_reviews:
            await self._words(message, open_reviews)
        elif home is not None:
            await self._too_late(message, home)

    async def _start(self, entry: Entry) -> None:
        payload = entry.payload
        channel, user = ChannelId(payload["channel"]), UserId(payload["user"])
        person = await self._people.person(user)
        name = person.name if person else user
        first = runs.root(payload["flow"], name, payload["inputs"], self._language)
        try:
            ref = await self._outbound.post(entry.team, f"root:{entry.key}", channel, first)
        except SlackRefused as error:
            log.warning("root_not_posted", channel=channel, reason=str(error))
            note = runs.not_here(channel, payload["flow"], await self.language_of(user))
            await self._outbound.direct(entry.team, f"not_here:{entry.key}", user, note)
            return
        thread = ThreadKey(team=entry.team, channel=ref.channel, ts=ref.ts)
        await self._add_run(
            thread, entry.key, flow_name=payload["flow"], user=user, inputs=payload["inputs"], root_is_ours=True
        )

    async def _add_run(
        self, thread: ThreadKey, key: str, *, flow_name: str, user: UserId, inputs: dict[str, str], root_is_ours: bool
    ) -> None:
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
            )
            await put(tx, entry)
        self._dispatcher.kick(entry.lane)

    async def _run(self, team: TeamId, run_id: RunId) -> None:
        run = await self._sessions.get(team, run_id)
        assert run is not None, "a run's entry is written with the run"
        await self._ended(run, None, await self._runner.begin(run))

    async def _resume(self, team: TeamId, review_id: ReviewId) -> None:
        review = await self._reviews.store.get(team, review_id)
        assert review is not None, "a decision's entry is written with the review"
        run = await self._sessions.get(team, review.run)
        assert run is not None, "a review belongs to a run"
        await self._outbound.post(
            team,
            f"decision:{review.id}",
            run.thread.channel,
            history.decision_line(review),
            thread_ts=run.thread.ts,
        )
        self._runner.require(run.flow_name)
        started = await self._reviews.start(team, review.id)
        await self._ended(run, started or review, await self._runner.resume(run, review))

    async def _card(self, team: TeamId, run_id: RunId) -> None:
        """A pause that nobody was shown: show it."""
        run = await self._sessions.get(team, run_id)
        if run is not None:
            await self._ended(run, None, await self._runner.begin(run))

    # ------------------------------------------------------------ after a run

    async def _ended(self, run: Run, review: Review | None, end: RunEnd) -> None:
        match end:
            case Paused(requests=requests):
                await self._sessions.set_state(run, RunState.WAITING, self._clock.now())
                await self._settle(review, failed=False, result=None)
                for request in requests:
                    await self._ask(run, request)
                # Only now: what was sent back links to the next version's card.
                await self._sync(review)
                await self._root(run, RunState.WAITING)
            case Finished(output=output):
                result = _for_people(output)
                await self._sessions.set_state(run, RunState.FINISHED, self._clock.now(), result=result)
                await self._settle(review, failed=False, result=result)
                await self._sync(review)
                await self._tell_end(run, review, result)
                await self._root(run, RunState.FINISHED)
            case Failed(reference=reference):
                await self._broke(run, review, RunState.FAILED, reference)
            case Interrupted(reference=reference):
                await self._broke(run, review, RunState.INTERRUPTED, reference)

    async def _ask(self, run: Run, request: HumanFeedbackPending) -> None:
        """The request's card, or a word in the run's thread about why there is none yet."""
        try:
            await self._cards.post(await self._opening.open(run, request))
        except CardBlocked as blocked:
            log.warning("card_blocked", run=run.id, channel=blocked.channel)
            named = await self._people.channel(blocked.channel)
            shown = channel_link(named) if named is not None else one_line(blocked.channel)
            await self._outbound.post(
                run.team,
                f"blocked:{request.context.request_id}",
                run.thread.channel,
                runs.blocked(shown, self._language),
                thread_ts=run.thread.ts,
            )

    async def _settle(self, review: Review | None, *, failed: bool, result: str | None) -> None:
        if review is not None:
            await self._reviews.settle(review.team, review.id, failed=failed, result=result)

    async def _sync(self, review: Review | None) -> None:
        if review is not None:
            await self._cards.sync(review.team, review.id)

    async def _tell_end(self, run: Run, review: Review | None, result: str) -> None:
        if review is None:
            message = runs.ended(run.flow_name, result, self._language)
        elif review.decided_at is not None and self._now() - review.decided_at.timestamp() > _LATE_S:
            message = runs.late_end(run.flow_name, result, self._language)
        else:
            # The card says it already, and an edit disturbs nobody.
            return
        await self._outbound.post(run.team, f"end:{run.id}", run.thread.channel, message, thread_ts=run.thread.ts)

    async def _broke(self, run: Run, review: Review | None, state: RunState, reference: str) -> None:
        kept = await self._sessions.get(run.team, run.id)
        # A second try finds the same failure: it keeps the code under which the log explains the first.
        reference = kept.reference if kept is not None and kept.reference else reference
        await self._sessions.set_state(run, state, self._clock.now(), reference=reference)
        await self._settle(review, failed=True, result=None)
        await self._sync(review)
        message = runs.broke(run.flow_name, state, reference, self._language)
        await self._outbound.post(run.team, f"end:{run.id}", run.thread.channel, message, thread_ts=run.thread.ts)
        await self._root(run, state)

    async def _root(self, run: Run, state: RunState) -> None:
        if not run.root_is_ours:
            return
        person = await self._people.person(run.requester)
        message = runs.root(run.flow_name, person.name if person else run.requester, run.inputs, self._language, state)
        try:
            await self._outbound.update(MessageRef(channel=run.thread.channel, ts=run.thread.ts), message)
        except (SlackRefused, SlackUnavailable) as error:
            # The root is a convenience; the cards and the lines below it carry the facts.
            log.warning("root_not_updated", run=run.id, reason=str(error))

    # ------------------------------------------------------------ words

    async def _words(self, message: UserMessage, open_reviews: list[Review]) -> None:
        if not message.text.strip():
            return
        person = await self._people.person(message.user)
        if person is None:
            # The words wait until Slack says who wrote them: a hiccup must not cost somebody their decision.
            raise SlackUnavailable(method="users.info", reason="no answer")
        # All of them stand in this thread, so the same people see them.
        review = open_reviews[0]
        members = await self._people.members(review.target_channel, asking=message.user)
        if may_decide(review, person, members) is not None:
            await self._comment_kept(message, review)
            return
        meaning = read(message.text, open_reviews)
        match meaning:
            case Answers():
                decision = Decision(
                    team=review.team,
                    review=meaning.review.id,
                    label=meaning.label,
                    user=message.user,
                    user_team=person.team,
                    source="words",
                    note=meaning.note,
                )
                verdict = await self.answer(decision)
                await self.show(verdict, decision, channel=message.thread.channel, thread_ts=message.thread.ts)
            case Unclear():
                await self._cards.ask_again(meaning.review, message.user, message.text, message.thread, message.ts)
            case Ambiguous(count=count):
                await self._reply(message, review_card.which(count, self._language))

    async def _comment_kept(self, message: UserMessage, review: Review) -> None:
        person = await self._people.person(message.user)
        if person is not None and person.is_bot:
            return
        text = say("comment.kept", await self.language_of(message.user))
        await self._whisper_once(message, f"comment:{review.id}:{message.user}", text)

    async def _too_late(self, message: UserMessage, home: ThreadKey) -> None:
        """Words that arrive just behind a decision are not swallowed: their author learns that it is taken."""
        decided = [
            review
            for run in await self._sessions.in_thread(home)
            for review in await self._reviews.store.of_run(home.team, run.id)
            if review.decided_at is not None and abs(float(message.ts) - review.decided_at.timestamp()) < _LATE_S
        ]
        if not decided or decided[-1].decided_by == message.user:
            return
        text = review_card.late(decided[-1], await self.language_of(message.user))
        await self._whisper_once(message, f"late:{decided[-1].id}:{message.user}", text)

    async def _whisper_once(self, message: UserMessage, key: str, text: str) -> None:
        async with self._db.tx(durable=False) as tx:
            first = await tx.run(
                "insert into effects(team_id, key, status, at) values (?, ?, 'sent', ?)"
                " on conflict do nothing returning 1",
                message.thread.team,
                key,
                self._now(),
            )
        if first:
            await self._whisper(message.thread.channel, message.user, text, message.thread.ts)

    async def _whisper(self, channel: ChannelId, user: UserId, text: str, thread_ts: Ts | None) -> None:
        try:
            await self._outbound.whisper(channel, user, text, thread_ts=thread_ts)
        except (SlackRefused, SlackUnavailable) as error:
            # Private notes may get lost by Slack's own terms; no decision hangs on one.
            log.warning("note_not_sent", reason=str(error))

    async def _reply(self, message: UserMessage, answer: Message) -> None:
        await self._outbound.post(
            message.thread.team,
            f"reply:{message.thread.channel}:{message.ts}",
            message.thread.channel,
            answer,
            thread_ts=message.thread.ts,
        )

    # ------------------------------------------------------------ small facts

    async def _with_note(self, decision: Decision) -> Decision:
        """The decision with the words that the same person wrote above the repeated buttons."""
        if decision.card is None:
            return decision
        card = await self._cards.find(decision.team, decision.review, decision.card)
        if card is None or card.kind != "ask" or card.user != decision.user:
            return decision
        return replace(decision, note=card.note)

    async def _members(self, review: Review, user: UserId) -> Set[UserId] | None:
        try:
            return await self._people.members(review.target_channel, asking=user)
        except SlackUnavailable as error:
            log.warning("members_unknown", review=review.id, reason=str(error))
            return None

    async def _run_of(self, entry: Entry) -> Run | None:
        if entry.kind == "resume":
            review = await self._reviews.store.get(entry.team, ReviewId(entry.payload["review"]))
            return None if review is None else await self._sessions.get(entry.team, review.run)
        if entry.kind in ("run", "card"):
            return await self._sessions.get(entry.team, RunId(entry.payload["run"]))
        return None

    async def _thread_of(self, entry: Entry) -> ThreadKey | None:
        if entry.kind == "message":
            return _user_message(entry).thread
        run = await self._run_of(entry)
        return None if run is None else run.thread

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _note(verdict: Verdict, language: Language) -> str:
    match verdict:
        case AlreadyResolved(review=review):
            return review_card.late(review, language)
        case Stale():
            return say("note.stale", language)
        case Unreadable():
            return say("note.unreadable", language)
        case Unknown():
            return say("note.unknown_review", language)
        case Refused(refusal=refusal) if refusal.reason == "unknown_person":
            return say("note.not_sure_who", language)
        case Refused(refusal=refusal) if refusal.reason == "wrong_card":
            return say("note.unknown_review", language)
        case Refused():
            return say("note.not_yours", language)
        case Won(review=review):
            return review_card.done(review, language)


def _for_people(output: Any) -> str:
    """What a flow ended with, in words."""
    if isinstance(output, HumanFeedbackResult):
        return output.feedback
    return content_of(output).full_text


def _user_message(entry: Entry) -> UserMessage:
    payload = entry.payload
    return UserMessage(
        thread=ThreadKey(team=entry.team, channel=ChannelId(payload["channel"]), ts=Ts(payload["root"])),
        ts=Ts(payload["ts"]),
        user=UserId(payload["user"]),
        text=payload["text"],
        addressed=payload["addressed"],
        in_thread=payload["in_thread"],
        under_bot=payload["under_bot"],
    )
