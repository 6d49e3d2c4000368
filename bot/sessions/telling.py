"""What the clock and the operators' side tell: reminders, moves, ends, and what needs an operator."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import cast

import structlog

from bot.clock import Clock
from bot.errors import SlackRefused, TryLater
from bot.inbox import Entry, Taken
from bot.pager import Pager, PagerUnavailable
from bot.render import told
from bot.render.mrkdwn import Mrkdwn
from bot.reviews.deadlines import next_at
from bot.reviews.gate_policy import Who
from bot.reviews.machine import OVER
from bot.reviews.model import AuditEntry, Review
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.languages import Languages
from bot.sessions.notes import Notes
from bot.sessions.roots import Roots
from bot.sessions.runner import Runner
from bot.sessions.store import SessionStore
from bot.slack.directory import Directory
from bot.slack.outbound import Outbound
from bot.types import ChannelId, Lane, Message, ReviewId, Run, RunState, TeamId, Ts, UserId

log = structlog.get_logger(__name__)
_PAGER_TRIES = 5


class Telling:
    """Says what has happened to a review without a decision. Each thing is said once."""

    def __init__(
        self,
        *,
        reviews: ReviewService,
        sessions: SessionStore,
        cards: Cards,
        notes: Notes,
        outbound: Outbound,
        directory: Directory,
        pager: Pager,
        roots: Roots,
        runner: Runner,
        operators: Sequence[Who],
        clock: Clock,
        languages: Languages,
    ) -> None:
        self._reviews, self._sessions, self._cards, self._notes = reviews, sessions, cards, notes
        self._outbound, self._directory, self._pager, self._clock = outbound, directory, pager, clock
        self._operators, self._roots, self._runner = tuple(operators), roots, runner
        self._languages = languages

    async def tell(self, taken: Taken) -> None:
        """Do one entry."""
        entry = taken.entry
        if entry.kind == "digest":
            await self._digest(entry)
            return
        review = await self._reviews.store.get(entry.team, ReviewId(entry.payload["review"]))
        assert review is not None, "an entry about a review is written with the review"
        if entry.kind == "page":
            await self._page(review, int(entry.payload["level"]), taken.attempt)
        else:
            quiet = bool(entry.payload.get("quiet"))
            await self._told(review, int(entry.payload["version"]), str(entry.payload["what"]), quiet=quiet)

    async def say(self, run: Run, key: str, message: Message) -> None:
        """A line in the run's thread. Where Slack takes none there, the operators hear of it and everything goes on."""
        try:
            await self._outbound.post(run.team, key, run.thread.channel, message, thread_ts=run.thread.ts)
        except SlackRefused as error:
            log.error("line_not_posted", run=run.id, channel=run.thread.channel, reason=str(error))
            await self._to_operators(run.team, f"lost:{run.id}", lambda language: told.lost(run, language))

    async def unposted(self, review: Review, channel: Mrkdwn, tries: int) -> None:
        """Nobody can see the card: the operators are told, once."""
        until = next_at(review)
        key = f"unposted:{review.id}"
        await self._to_operators(
            review.team, key, lambda language: told.unposted(review, channel, tries, until, language)
        )

    async def _page(self, review: Review, level: int, attempt: int) -> None:
        """Call the pager, unless the review has moved on or is over; an end of trying is told to the operators."""
        if not review.is_pending or review.level != level:
            return
        key = f"page:{review.id}:{level}"
        try:
            await self._pager.page(review, key, told.page(review, self._languages.default))
        except PagerUnavailable:
            if attempt < _PAGER_TRIES:
                raise
            log.exception("pager_given_up", review=review.id)
            await self._to_operators(review.team, f"not_{key}", lambda language: told.not_paged(review, language))

    async def _told(self, review: Review, version: int, what: str, *, quiet: bool) -> None:
        run = await self._sessions.get(review.team, review.run)
        assert run is not None, "a review belongs to a run"
        match what:
            case "reminded" if review.is_pending and review.expires_at is not None:
                await self._reminded(review, version, quiet=quiet)
            case "escalated" | "reassigned":
                await self._moved(review, version, quiet=quiet)
            case "lapsed" | "cancelled":
                await self._ended(review, run)
            case "unanswered":
                alert = f"alert:{review.id}:{version}"
                await self._to_operators(review.team, alert, lambda language: told.alert(review, language))
            case _:
                # It was decided while this entry waited: there is nobody left to remind.
                pass
        await self._cards.sync(review.team, review.id)

    async def _ended(self, review: Review, run: Run) -> None:
        """The review is over without an answer; so is its run, unless it waits for other answers too."""
        of_run = await self._reviews.store.of_run(review.team, review.run)
        # Also for what is decided and not run yet: its turn comes after this.
        goes_on = any(each.state not in OVER for each in of_run)
        if not goes_on:
            await self._close(run)
        await self.say(run, f"ended:{review.id}", told.ended(review, goes_on=goes_on))

    async def run_over(self, run: Run) -> None:
        """Nothing that the run waits for will be answered: it ends here, and says so."""
        await self._close(run)
        await self.say(run, f"end:{run.id}", told.run_over(run, self._languages.of(run.thread.channel)))

    async def _close(self, run: Run) -> None:
        await self._sessions.set_state(run, RunState.CANCELLED, self._clock.now())
        await self._runner.withdraw(run)
        await self._roots.show(run, RunState.CANCELLED)

    async def _reminded(self, review: Review, version: int, *, quiet: bool) -> None:
        """Those who are asked are reminded where they see the review: beside its card, and under their own copies."""
        message = told.reminder(review)
        if not quiet:
            await self._beside_card(review, f"reminded:{review.id}:{version}", message)
        asked = await self._directory.people(review.asked or ())
        channels = {who.id for who in review.asked or () if who.kind == "channel"}
        for card in await self._reviews.cards.of(review.team, review.id):
            is_theirs = card.ref.channel in channels if card.user is None else card.user in (asked or ())
            if card.kind in ("copy", "notice") and is_theirs:
                key = f"reminded:{review.id}:{version}:{card.ref.channel}:{card.ref.ts}"
                await self._under(review, key, card.ref.channel, card.ref.ts, message)

    async def _moved(self, review: Review, version: int, *, quiet: bool) -> None:
        """Those who are asked now learn it, and those who were learn that it has moved on."""
        lines = await self._reviews.store.audit(review.team, review.id)
        kinds = ("escalated", "reassigned")
        move = next(
            (line for line in reversed(lines) if line.version in (version, version - 1) and line.kind in kinds), None
        )
        if move is None:
            return
        if not quiet:
            before = await self._before(review, move)
            await self._beside_card(review, f"escalated:{review.id}:{version}", told.moved(review, before, move))
        # Whoever is asked by now: each hears of it once, however often it moved meanwhile.
        await self._cards.send_copies(review)

    async def _before(self, review: Review, move: AuditEntry) -> tuple[Who, ...]:
        passed = {
            str(each.get("who")) for each in cast("list[dict[str, object]]", move.detail.get("passed_over") or [])
        }
        return tuple(who for who in review.passed_over if who.id in passed)

    async def _digest(self, entry: Entry) -> None:
        """One message for a channel in which much moved at once, after nobody had looked for a while."""
        moment = datetime.fromisoformat(entry.payload["moment"])
        channel = ChannelId(entry.payload["channel"])
        waiting = await self._reviews.store.due_in_channels(entry.team, moment)
        if waiting.get(channel):
            # The last of them are being moved just now.
            raise TryLater
        changed = await self._reviews.store.changed_at(entry.team, channel, moment)
        moved = [review for review in changed if review.is_pending and review.expires_at is not None]
        alarming = [
            review
            for review in changed
            if review.source == "timeout" and not review.is_pending and (review.policy.alert or review.blocked)
        ]
        if alarming:
            await self._to_operators(
                entry.team, f"alerts:{entry.key}", lambda language: told.alerts(alarming, language)
            )
        if not moved:
            return
        try:
            message = told.digest(moved, self._languages.of(channel))
            await self._outbound.post(entry.team, entry.key, channel, message)
        except SlackRefused as error:
            log.error("digest_not_posted", channel=channel, reason=str(error))
        for review in moved:
            await self._cards.sync(review.team, review.id)

    async def _beside_card(self, review: Review, key: str, message: Message) -> None:
        """In the thread of the card, or where the run is as long as there is no card."""
        ref = await self._reviews.cards.main(review.team, review.id)
        channel, thread_ts = review.thread.channel, review.thread.ts
        if ref is not None:
            channel, thread_ts = ref.channel, review.target_thread or ref.ts
        await self._under(review, key, channel, thread_ts, message)

    async def _under(self, review: Review, key: str, channel: ChannelId, thread_ts: Ts, message: Message) -> None:
        try:
            await self._outbound.post(review.team, key, channel, message, thread_ts=thread_ts)
        except SlackRefused as error:
            # Archived, or the bot was removed: the review ends in time all the same.
            log.error("line_not_posted", review=review.id, channel=channel, reason=str(error))

    async def _to_operators(self, team: TeamId, key: str, draw: told.Draw) -> None:
        operators = await self._directory.people(self._operators) if self._operators else frozenset[UserId]()
        if not operators:
            log.error("operators_not_told", about=key, named=len(self._operators))
            return
        for user in sorted(operators):
            language = await self._notes.language_of(user)
            try:
                await self._outbound.direct(team, f"{key}:{user}", user, draw(language))
            except SlackRefused as error:
                log.warning("operator_not_told", user=user, reason=str(error))


def digest_entry(team: TeamId, channel: ChannelId, moment: datetime) -> Entry:
    """The work of telling a channel at once what has moved at this moment."""
    name = hashlib.sha256(f"{channel}:{moment.isoformat()}".encode()).hexdigest()[:16]
    return Entry(
        team=team,
        key=f"digest:{name}",
        lane=Lane(f"{team}:{channel}:digest"),
        kind="digest",
        payload={"channel": channel, "moment": moment.isoformat()},
        at=moment.timestamp(),
    )
