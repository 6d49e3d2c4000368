"""A review's messages: posted once, and brought up to date until they show the truth."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.clock import Clock
from bot.errors import SlackRefused, SlackUnavailable
from bot.render import review_card
from bot.render.review_card import Around
from bot.reviews.deadlines import time_limit
from bot.reviews.machine import OVER
from bot.reviews.model import Card, CardKind, Review
from bot.reviews.policy import disposition
from bot.reviews.repeats import may_be_asked_again
from bot.reviews.service import ReviewService
from bot.sessions.opening import CardBlocked
from bot.sessions.store import SessionStore
from bot.slack.directory import Directory
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import ChannelId, Message, MessageRef, Person, ReviewId, TeamId, ThreadKey, Ts, UserId

log = structlog.get_logger(__name__)
_REDRAW = timedelta(seconds=5)
"""How long a message that Slack would not change is left alone."""


class Cards:
    """Posts cards and keeps every copy true."""

    def __init__(
        self,
        reviews: ReviewService,
        sessions: SessionStore,
        outbound: Outbound,
        people: People,
        directory: Directory,
        clock: Clock,
    ) -> None:
        self._reviews, self._sessions, self._outbound, self._people = reviews, sessions, outbound, people
        self._directory, self._clock = directory, clock
        self._locks: defaultdict[ReviewId, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def post(self, review: Review) -> None:
        """The review's card stands in Slack, once; whoever must act is told, once.

        Raises CardBlocked when Slack does not take a card there.
        """
        async with self._locks[review.id]:
            ref = await self._reviews.cards.main(review.team, review.id)
            # A card that shows something else than what is asked now is followed by a new one.
            if ref is None or (review.is_pending and review.posted_at is None):
                try:
                    ref = await self._outbound.post(
                        review.team,
                        _card_key(review),
                        review.target_channel,
                        await self._draw(review),
                        thread_ts=review.target_thread,
                    )
                except SlackRefused as error:
                    raise CardBlocked(review.target_channel) from error
                await self._reviews.posted(review, ref)
                await self._retire(review, ref)
        await self._tell(review, ref)
        await self.send_copies(review)

    async def send_copies(self, review: Review) -> None:
        """Everybody who is asked and does not see the card has it once more, or hears of it.

        People and members of groups in their direct messages, a channel in the channel.
        """
        if review.asked is None or not review.is_pending:
            return
        for who in review.asked:
            if who.kind == "channel" and who.id != review.target_channel:
                await self._copy_to_channel(review, ChannelId(who.id))
        asked = await self._directory.people([who for who in review.asked if who.kind != "channel"])
        if asked is None:
            # The card itself mentions them; who decides is looked up again when they do.
            log.warning("copies_not_sent", review=review.id)
            return
        for user in sorted(asked - await self._people.members(review.target_channel)):
            await self._copy_to_person(review, user)

    async def _copy_to_channel(self, review: Review, channel: ChannelId) -> None:
        message, kind = await self._copy(review)
        try:
            sent = await self._outbound.post(review.team, _copy_key(review, channel), channel, message)
        except SlackRefused as error:
            log.error("copy_not_sent", review=review.id, channel=channel, reason=str(error))
            return
        await self._keep_copy(review, sent, kind, None)

    async def _copy_to_person(self, review: Review, user: UserId) -> None:
        person = await self._people.person(user)
        if person is None or not _may_read(person, review):
            return
        message, kind = await self._copy(_spoken(review, person))
        try:
            sent = await self._outbound.direct(review.team, _copy_key(review, user), user, message)
        except SlackRefused as error:
            log.error("copy_not_sent", review=review.id, user=user, reason=str(error))
            return
        await self._keep_copy(review, sent, kind, user)

    async def _copy(self, review: Review) -> tuple[Message, CardKind]:
        """The card once more where its policy allows that, else only where it stands; in the review's language."""
        if review.policy.escalation_shows == "content":
            return await self._draw(review, is_copy=True), "copy"
        return review_card.notice(review, await self._url(review), review.language, self._until(review)), "notice"

    async def _keep_copy(self, review: Review, ref: MessageRef, kind: CardKind, user: UserId | None) -> None:
        card = Card(review=review.id, ref=ref, kind=kind, thread_ts=None, user=user, shown_version=review.version)
        await self._reviews.cards.add(review.team, card)

    async def find(self, team: TeamId, review_id: ReviewId, ref: MessageRef) -> Card | None:
        """The card at this place. One that is being posted right now is waited for: a press can be that quick."""
        for _ in range(2):
            for card in await self._reviews.cards.of(team, review_id):
                if card.ref == ref:
                    return card
            async with self._locks[review_id]:
                pass
        return None

    async def ask_again(self, review: Review, user: UserId, words: str, spot: ThreadKey, at: Ts) -> None:
        """The buttons once more, in the thread `spot`, under words of the moment `at` that nobody could read.

        The repetition before this one loses its buttons.
        """
        async with self._locks[review.id]:
            earlier = [c for c in await self._reviews.cards.of(review.team, review.id) if c.kind == "ask"]
            # Where the words were said and nowhere else: what is written in one place is not quoted in another.
            ref = await self._outbound.post(
                review.team,
                f"ask:{review.id}:{at}",
                spot.channel,
                review_card.ask_again(review, await self._people.named(words)),
                thread_ts=spot.ts,
            )
            card = Card(
                review=review.id,
                ref=ref,
                kind="ask",
                thread_ts=spot.ts,
                user=user,
                note=words,
                shown_version=review.version,
            )
            await self._reviews.cards.add(review.team, card)
            for old in earlier[-1:]:
                if old.ref != ref:
                    before = await self._people.named(old.note)
                    await self._update(old, review_card.ask_over(review, before, moved=True))

    async def sync(self, team: TeamId, review_id: ReviewId) -> None:
        """Every message of this review shows what is stored.

        One at a time for each review, so that an older picture never arrives after a newer one. What Slack does not
        take now is drawn again by the next tick.
        """
        async with self._locks[review_id]:
            review = await self._reviews.store.get(team, review_id)
            if review is None:
                return
            for card in await self._reviews.cards.of(team, review_id):
                if card.shown_version >= review.version:
                    continue
                picture = await self._picture(review, card)
                if picture is not None and await self._update(card, picture):
                    await self._reviews.cards.shown(team, card.ref, review.version)
                else:
                    await self._reviews.cards.redraw_later(team, card.ref, self._clock.now() + _REDRAW)
        if review.state in OVER:
            self._locks.pop(review_id, None)

    async def sync_outdated(self, team: TeamId) -> None:
        """Draw again what was not confirmed."""
        for review in await self._reviews.cards.outdated(team, self._clock.now()):
            await self.sync(team, review)

    async def _retire(self, review: Review, ref: MessageRef) -> None:
        """Cards of what was asked before lose their buttons."""
        for card in await self._reviews.cards.of(review.team, review.id):
            if card.kind == "old" and card.ref != ref:
                await self._update(card, review_card.replaced(review))

    async def _picture(self, review: Review, card: Card) -> Message | None:
        """What this message is to show; None when that cannot be known now."""
        match card.kind:
            case "old":
                return review_card.replaced(review)
            case "card":
                return await self._draw(review)
            case "copy" | "notice":
                return await self._copy_picture(review, card)
            case "ask":
                words = await self._people.named(card.note)
                return (
                    review_card.ask_again(review, words) if review.is_pending else review_card.ask_over(review, words)
                )

    async def _copy_picture(self, review: Review, card: Card) -> Message | None:
        """What whoever has this copy may see: who was passed over sees nothing more of the review than where it is."""
        person = None if card.user is None else await self._people.person(card.user)
        is_asked = await self._is_asked(review, card)
        if is_asked is None:
            return None
        shown = _spoken(review, person)
        if (not is_asked and (review.is_pending or card.kind == "copy")) or not _may_read(person, review):
            return review_card.moved_on(shown, await self._url(review))
        if card.kind == "copy":
            return await self._draw(shown, is_copy=True)
        return review_card.notice(shown, await self._url(review), shown.language, self._until(review))

    async def _is_asked(self, review: Review, card: Card) -> bool | None:
        """Whether the reader of this copy is asked, or was when it ended; None when Slack does not say."""
        asked = review.asked or ()
        if card.user is None:
            return any(who.kind == "channel" and who.id == card.ref.channel for who in asked)
        if any(who.kind == "person" and who.id == card.user for who in asked):
            return True
        people = await self._directory.people(asked, asking=card.user)
        return None if people is None else card.user in people

    async def _draw(self, review: Review, *, is_copy: bool = False) -> Message:
        around = await self._around(review)
        if not is_copy and may_be_asked_again(review):
            around = replace(around, may_ask_again=True)
        return review_card.pending(review, around) if review.is_pending else review_card.ended(review, around)

    async def _url(self, review: Review) -> str | None:
        """The address of the review's card, once there is one."""
        ref = await self._reviews.cards.main(review.team, review.id)
        return None if ref is None else await self._permalink(ref)

    def _until(self, review: Review) -> datetime | None:
        """When those who are asked have let it pass; before the card is confirmed, as it would be from now on."""
        return review.expires_at or self._clock.now() + time_limit(review) if review.is_pending else None

    async def _around(self, review: Review) -> Around:
        home = None
        if review.target_thread != review.thread.ts or review.target_channel != review.thread.channel:
            home = await self._permalink(MessageRef(channel=review.thread.channel, ts=review.thread.ts))
        if review.is_pending:
            sees = review.requester in await self._people.members(review.target_channel, asking=review.requester)
            gate = review.gate
            return Around(
                asks=review.requester if sees else None,
                home_link=home,
                until=self._until(review),
                gate_blocked=await self._reviews.store.is_blocked(review.team, gate.flow_name, gate.method),
            )
        follower = await self._next(review)
        run = await self._sessions.get(review.team, review.run)
        return Around(
            home_link=home,
            running=review.state not in OVER,
            next_round=None if follower is None else follower[0],
            next_link=None if follower is None else await self._permalink(follower[1]),
            reference=(run.reference if run else None) or "-",
        )

    async def _next(self, review: Review) -> tuple[int, MessageRef] | None:
        """The next version of what was sent back: its round and its card."""
        if review.outcome is None or disposition(review.gate, review.outcome) != "send_back":
            return None
        for other in await self._reviews.store.of_run(review.team, review.run):
            if other.gate.method == review.gate.method and other.round == review.round + 1:
                cards = await self._reviews.cards.of(other.team, other.id)
                ref = next((card.ref for card in cards if card.kind == "card"), None)
                return None if ref is None else (other.round, ref)
        return None

    async def _tell(self, review: Review, ref: MessageRef) -> None:
        """Link both ways where the card stands elsewhere, and tell somebody who cannot see it."""
        if (review.target_channel, review.target_thread) == (review.thread.channel, review.thread.ts):
            return
        url = await self._permalink(ref)
        if url is None:
            return
        key, note = f"elsewhere:{review.id}", review_card.moved_note(review, url)
        try:
            await self._outbound.post(review.team, key, review.thread.channel, note, thread_ts=review.thread.ts)
        except SlackRefused as error:
            # The run's own thread is lost; its card is not.
            log.error("line_not_posted", review=review.id, channel=review.thread.channel, reason=str(error))
        if review.asked is not None:
            return
        if review.requester not in await self._people.members(review.target_channel, asking=review.requester):
            person = await self._people.person(review.requester)
            language = (person.language if person else None) or review.language
            note = review_card.direct_note(review.target_channel, url, language)
            await self._outbound.direct(review.team, f"told:{review.id}", review.requester, note)

    async def _permalink(self, ref: MessageRef) -> str | None:
        try:
            return await self._outbound.permalink(ref)
        except (SlackRefused, SlackUnavailable):
            return None

    async def _update(self, card: Card, message: Message) -> bool:
        try:
            await self._outbound.update(card.ref, message)
        except SlackUnavailable as error:
            log.warning("card_not_updated", review=card.review, reason=str(error))
            return False
        except SlackRefused as error:
            # Deleted, or outside the edit window: nothing we send will change this message any more.
            log.error("card_lost", review=card.review, reason=str(error))
        return True


def _may_read(person: Person | None, review: Review) -> bool:
    """Whether this is somebody whom a policy can mean. The members of a channel, None, are looked at when they act."""
    if person is None:
        return True
    is_ours = person.team == review.team and not person.is_stranger
    return is_ours and not (person.is_bot or person.is_deleted or person.is_guest)


def _spoken(review: Review, reader: Person | None) -> Review:
    """The review as this person reads it: in their language, where it is known."""
    language = None if reader is None else reader.language
    return review if language is None else replace(review, language=language)


def _card_key(review: Review) -> str:
    """Names what is asked: content that is back to what it once was is asked anew, in a card of its own."""
    since = "" if review.asked_at is None or review.posted_at is not None else f":{review.asked_at.timestamp()}"
    return f"card:{review.id}:{review.payload_hash[:16]}{since}"


def _copy_key(review: Review, to: str) -> str:
    """Once for each move, content and addressee: whoever is asked again hears of it again."""
    return f"asked:{review.id}:{review.content_version}:{to}"
