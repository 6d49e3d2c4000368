"""The work of a thread's lane: messages, starts, runs and resumes, one at a time and each as often as it takes."""

from __future__ import annotations

from typing import Any, Protocol

import structlog

from bot.clock import Clock
from bot.errors import SlackRefused, TryLater
from bot.inbox import Entry, Taken
from bot.render import history, runs
from bot.render.mrkdwn import channel_link, one_line
from bot.reviews.content import content_of
from bot.reviews.model import Review, ReviewState
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.host import SessionHost
from bot.sessions.languages import Languages
from bot.sessions.model import Failed, Finished, Interrupted, Paused, RunEnd, Said
from bot.sessions.notes import Notes
from bot.sessions.opening import CardBlocked, Opening
from bot.sessions.roots import Roots
from bot.sessions.runner import Runner
from bot.sessions.store import SessionStore
from bot.sessions.telling import Telling
from bot.sessions.words import Words
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import (
    ChannelId,
    Message,
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
_LATE_S = 60.0
"""An end that comes later than this after its decision is told in a message of its own."""
_UNRECORDED_TRIES = 3
_TRIES_BEFORE_OPERATORS = 3
"""How often a card may fail to be posted before the operators are told."""


class Spoken(Protocol):
    """What answers commands in messages."""

    def concerns(self, message: UserMessage, *, owned: bool, busy: bool) -> bool:
        """True when this message is a command."""
        ...

    async def spoken(self, message: UserMessage, *, home: ThreadKey | None) -> Said | None:
        """The answer, or None when there is nothing to say."""
        ...


class ThreadWork:
    """Does one entry of a lane at a time.

    An entry may come a second time after a crash, so every step asks what is done already.
    """

    def __init__(
        self,
        *,
        host: SessionHost,
        spoken: Spoken,
        words: Words,
        reviews: ReviewService,
        sessions: SessionStore,
        runner: Runner,
        opening: Opening,
        telling: Telling,
        roots: Roots,
        cards: Cards,
        notes: Notes,
        outbound: Outbound,
        people: People,
        clock: Clock,
        languages: Languages,
    ) -> None:
        self._host, self._spoken, self._words = host, spoken, words
        self._reviews, self._sessions, self._runner = reviews, sessions, runner
        self._opening, self._cards, self._notes = opening, cards, notes
        self._outbound, self._people, self._clock = outbound, people, clock
        self._telling, self._roots = telling, roots
        self._languages = languages

    async def work(self, taken: Taken) -> None:
        """Do one entry."""
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
            case "told" | "digest" | "page":
                await self._telling.tell(taken)

    async def gave_up(self, taken: Taken, reference: str) -> None:
        """Own up in the thread to an entry that will not be tried again."""
        entry = taken.entry
        thread, run = await self._thread_of(entry), await self._run_of(entry)
        if thread is None:
            return
        message = (
            runs.not_shown(reference, self._languages.of(thread.channel))
            if run is None
            else runs.stuck(run.flow_name, reference, self._languages.of(thread.channel))
        )
        await self._outbound.post(entry.team, f"gave_up:{entry.key}", thread.channel, message, thread_ts=thread.ts)

    async def _message(self, entry: Entry, attempt: int) -> None:
        message = _user_message(entry)
        home = await self._sessions.home(message.thread)
        if home is None and message.under_bot and attempt <= _UNRECORDED_TRIES:
            # Words can be quicker than the record of the card above them.
            raise TryLater
        open_reviews = [] if home is None else await self._reviews.store.pending_in(home, message.thread, message.ts)
        if message.addressed and self._spoken.concerns(message, owned=home is not None, busy=bool(open_reviews)):
            answer = await self._spoken.spoken(message, home=home)
            if answer is not None and answer.private:
                text, thread_ts = answer.message.text, message.thread.ts if message.in_thread else None
                await self._notes.whisper(message.thread.channel, message.user, text, thread_ts)
            elif answer is not None:
                await self._reply(message, answer.message)
            return
        if open_reviews:
            asked = await self._words.on_reviews(message, open_reviews)
            if asked is not None:
                await self._reply(message, asked)
        elif home is not None:
            await self._words.too_late(message, home)

    async def _start(self, entry: Entry) -> None:
        payload = entry.payload
        channel, user = ChannelId(payload["channel"]), UserId(payload["user"])
        person = await self._people.person(user)
        name = person.name if person else user
        first = runs.root(payload["flow"], name, payload["inputs"], self._languages.of(channel))
        try:
            ref = await self._outbound.post(entry.team, f"root:{entry.key}", channel, first)
        except SlackRefused as error:
            log.warning("root_not_posted", channel=channel, reason=str(error))
            note = runs.not_here(channel, payload["flow"], await self._notes.language_of(user))
            await self._outbound.direct(entry.team, f"not_here:{entry.key}", user, note)
            return
        thread = ThreadKey(team=entry.team, channel=ref.channel, ts=ref.ts)
        await self._host.add_run(
            thread, entry.key, flow_name=payload["flow"], user=user, inputs=payload["inputs"], root_is_ours=True
        )

    async def _run(self, team: TeamId, run_id: RunId) -> None:
        run = await self._sessions.get(team, run_id)
        assert run is not None, "a run's entry is written with the run"
        await self._ended(run, None, await self._runner.begin(run))

    async def _resume(self, team: TeamId, review_id: ReviewId) -> None:
        review = await self._reviews.store.get(team, review_id)
        assert review is not None, "a decision's entry is written with the review"
        run = await self._sessions.get(team, review.run)
        assert run is not None, "a review belongs to a run"
        if review.outcome is None and review.is_pending:
            # Its decision was on something that had changed; it is asked for anew, and this work is over.
            return
        key = f"decision:{review.id}:{review.payload_hash[:16]}"
        await self._telling.say(run, key, history.decision_line(review))
        if review.decided_by is None:
            await self._sync(review)
        self._runner.require(run.flow_name)
        again = await self._opening.changed(review)
        if again is not None:
            # What was decided on is not what would run: it does not run.
            await self._post_card(run, again)
            return
        decided = await self._reviews.start(team, review.id) or review
        await self._ended(run, decided, await self._runner.resume(run, decided))

    async def _card(self, team: TeamId, run_id: RunId) -> None:
        """A pause that nobody was shown: show it."""
        run = await self._sessions.get(team, run_id)
        if run is not None and run.state is not RunState.CANCELLED:
            await self._ended(run, None, await self._runner.begin(run))

    async def _ended(self, run: Run, review: Review | None, end: RunEnd) -> None:
        match end:
            case Paused(requests=requests):
                await self._settle(review, failed=False, result=None)
                asked = [request for request in requests if not await self._called_off(run, request)]
                if not asked:
                    await self._sync(review)
                    await self._telling.run_over(run)
                    return
                await self._sessions.set_state(run, RunState.WAITING, self._clock.now())
                for request in asked:
                    await self._ask(run, request)
                # Only now: what was sent back links to the next version's card.
                await self._sync(review)
                await self._roots.show(run, RunState.WAITING)
            case Finished(output=output):
                result = _for_people(output)
                await self._sessions.set_state(run, RunState.FINISHED, self._clock.now(), result=result)
                await self._settle(review, failed=False, result=result)
                await self._sync(review)
                await self._tell_end(run, review, result)
                await self._roots.show(run, RunState.FINISHED)
            case Failed(reference=reference):
                await self._broke(run, review, RunState.FAILED, reference)
            case Interrupted(reference=reference):
                await self._broke(run, review, RunState.INTERRUPTED, reference)

    async def _called_off(self, run: Run, request: HumanFeedbackPending) -> bool:
        """Whether this question's review ended without an answer, so that nobody will give one."""
        review = await self._reviews.store.get(run.team, ReviewId(request.context.request_id))
        return review is not None and review.state is ReviewState.CANCELLED

    async def _ask(self, run: Run, request: HumanFeedbackPending) -> None:
        """The request's card; a review that its policy has decided at once only has its line."""
        review = await self._opening.open(run, request)
        if review is None:
            return
        if review.source == "auto":
            self._host.kick(run.thread)
        else:
            # Also when it is decided by now: somebody can be quicker than the record of the card they pressed on.
            await self._post_card(run, review)

    async def _post_card(self, run: Run, review: Review) -> None:
        """The review's card, or a word in the run's thread about why there is none yet."""
        try:
            await self._cards.post(await self._opening.placed(review))
        except CardBlocked as blocked:
            log.warning("card_blocked", run=run.id, channel=blocked.channel)
            tries = await self._reviews.store.failed_to_post(review)
            named = await self._people.channel(blocked.channel)
            shown = channel_link(named) if named is not None else one_line(blocked.channel)
            message = runs.blocked(shown, self._languages.of(run.thread.channel))
            await self._telling.say(run, f"blocked:{review.id}", message)
            if tries >= _TRIES_BEFORE_OPERATORS:
                await self._telling.unposted(review, shown, tries)

    async def _settle(self, review: Review | None, *, failed: bool, result: str | None) -> None:
        if review is not None:
            await self._reviews.settle(review.team, review.id, failed=failed, result=result)

    async def _sync(self, review: Review | None) -> None:
        if review is not None:
            await self._cards.sync(review.team, review.id)

    async def _tell_end(self, run: Run, review: Review | None, result: str) -> None:
        if review is None or review.source == "auto":
            message = runs.ended(run.flow_name, result, self._languages.of(run.thread.channel))
        elif review.decided_at is not None and self._now() - review.decided_at.timestamp() > _LATE_S:
            message = runs.late_end(run.flow_name, result, self._languages.of(run.thread.channel))
        else:
            # The card says it already, and an edit disturbs nobody.
            return
        await self._telling.say(run, f"end:{run.id}", message)

    async def _broke(self, run: Run, review: Review | None, state: RunState, reference: str) -> None:
        kept = await self._sessions.get(run.team, run.id)
        # A second try finds the same failure: it keeps the code under which the log explains the first.
        reference = kept.reference if kept is not None and kept.reference else reference
        await self._sessions.set_state(run, state, self._clock.now(), reference=reference)
        await self._settle(review, failed=True, result=None)
        await self._sync(review)
        message = runs.broke(run.flow_name, state, reference, self._languages.of(run.thread.channel))
        await self._telling.say(run, f"end:{run.id}", message)
        await self._roots.show(run, state)

    async def _reply(self, message: UserMessage, answer: Message) -> None:
        await self._outbound.post(
            message.thread.team,
            f"reply:{message.thread.channel}:{message.ts}",
            message.thread.channel,
            answer,
            thread_ts=message.thread.ts,
        )

    async def _run_of(self, entry: Entry) -> Run | None:
        if entry.kind in ("resume", "told", "page"):
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
