"""What people write in the thread of a review: decided, asked back, or kept as a comment."""

from __future__ import annotations

from bot.errors import SlackUnavailable
from bot.render import outcomes, review_card
from bot.render.refusals import comment_kept
from bot.reviews.gate_policy import Tier
from bot.reviews.machine import By
from bot.reviews.model import Decision, Refusal, Review
from bot.reviews.policy import disposition, may_decide
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.host import SessionHost
from bot.sessions.languages import Languages
from bot.sessions.notes import Notes
from bot.sessions.reading import Ambiguous, Answers, Unclear, read
from bot.sessions.standing import Standings
from bot.sessions.store import SessionStore
from bot.slack.people import People
from bot.types import Message, Person, ThreadKey, UserMessage

_LATE_S = 300.0
"""How long after a decision somebody's words may still have been meant for it."""


class Words:
    """Applies what words mean. Permission is asked before anything reads them."""

    def __init__(
        self,
        *,
        host: SessionHost,
        reviews: ReviewService,
        sessions: SessionStore,
        cards: Cards,
        notes: Notes,
        people: People,
        standings: Standings,
        languages: Languages,
    ) -> None:
        self._standings = standings
        self._host, self._reviews, self._sessions = host, reviews, sessions
        self._cards, self._notes, self._people = cards, notes, people
        self._languages = languages

    async def on_reviews(self, message: UserMessage, open_reviews: list[Review]) -> Message | None:
        """Do what the words say about the open reviews of their thread; what is to be asked there, if anything."""
        if not message.text.strip():
            return None
        person = await self._people.person(message.user)
        if person is None:
            # The words wait until Slack says who wrote them: a hiccup must not cost somebody their decision.
            raise SlackUnavailable(method="users.info", reason="no answer")
        asked: list[Review] = []
        refused: list[tuple[Review, Refusal]] = []
        for each in open_reviews:
            standing = await self._standings.of(each, message.user)
            if standing is None:
                raise SlackUnavailable(method="conversations.members", reason="no answer")
            refusal = may_decide(each, person, standing)
            if refusal is None:
                asked.append(each)
            else:
                refused.append((each, refusal))
        if not asked:
            for each, refusal in refused:
                await self._note_denied(each, person, refusal)
            await self._comment_kept(message, open_reviews[0])
            return None
        review = asked[0]
        meaning = read(message.text, asked)
        match meaning:
            case Answers() if _needs_a_button(meaning):
                await self._cards.ask_again(meaning.review, message.user, message.text, message.thread, message.ts)
            case Answers():
                decision = Decision(
                    team=review.team,
                    review=meaning.review.id,
                    # The version that the words were read against: what changed since is not what they are about.
                    version=meaning.review.version,
                    label=meaning.label,
                    user=message.user,
                    user_team=person.team,
                    source="words",
                    note=meaning.note,
                )
                verdict = await self._host.answer(decision)
                await self._host.show(verdict, decision, channel=message.thread.channel, thread_ts=message.thread.ts)
            case Unclear():
                await self._cards.ask_again(meaning.review, message.user, message.text, message.thread, message.ts)
            case Ambiguous(count=count):
                return review_card.which(count, self._languages.of(message.thread.channel))
        return None

    async def _note_denied(self, review: Review, person: Person, refusal: Refusal) -> None:
        """Keep in the record that somebody wrote who may not decide: one line, however much they write."""
        by = By(person=person, source="words", reason_code=refusal.reason)
        known = await self._reviews.store.audit(review.team, review.id)
        if not any((line.kind, line.actor, line.source) == ("denied", by.actor, by.source) for line in known):
            await self._reviews.note(review, "denied", by)

    async def _comment_kept(self, message: UserMessage, review: Review) -> None:
        person = await self._people.person(message.user)
        if person is not None and person.is_bot:
            return
        text = comment_kept(review, await self._notes.language_of(message.user))
        await self._notes.whisper_once(message, f"comment:{review.id}:{message.user}", text)

    async def too_late(self, message: UserMessage, home: ThreadKey) -> None:
        """Words that arrive just behind a decision are not swallowed: their author learns that it is taken."""
        decided = [
            review
            for run in await self._sessions.in_thread(home)
            for review in await self._reviews.store.of_run(home.team, run.id)
            if review.decided_at is not None and abs(float(message.ts) - review.decided_at.timestamp()) < _LATE_S
        ]
        if not decided or decided[-1].decided_by == message.user:
            return
        text = outcomes.late(decided[-1], await self._notes.language_of(message.user))
        await self._notes.whisper_once(message, f"late:{decided[-1].id}:{message.user}", text)


def _needs_a_button(meaning: Answers) -> bool:
    """From the high tier on, words only lead to the buttons, unless they turn it down."""
    review = meaning.review
    return review.policy.tier.rank >= Tier.HIGH.rank and disposition(review.gate, meaning.label) in (
        "approve",
        "answer",
    )
