"""A flow's request for feedback, as an open review."""

from __future__ import annotations

from typing import Any

import structlog

from bot.errors import BotError, SlackUnavailable
from bot.reviews.content import Content, content_of
from bot.reviews.gate_policy import GatePolicy
from bot.reviews.model import Gate, NewReview, Review
from bot.reviews.policy_rules import Policies, amount_of
from bot.reviews.service import ReviewService
from bot.sessions.languages import Languages
from bot.sessions.payload import fields_of, payload_hash
from bot.sessions.runner import Asked, FlowMissing, Runner
from bot.sessions.store import SessionStore
from bot.slack.people import People
from bot.types import LANGUAGES, ChannelId, Language, Person, ReviewId, Run, ThreadKey, Ts
from flows import FlowError, HumanFeedbackPending

log = structlog.get_logger(__name__)


class CardBlocked(BotError):
    """A flow wants its review in a channel where the bot cannot post, or which it does not see."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        super().__init__(
            f"No card can be posted in {channel!r}: the channel is unknown, archived, or the bot is not in it."
        )


class Opening:
    """Opens the review of a request, where its flow wants it, under the policy that holds for what it asks."""

    def __init__(
        self,
        reviews: ReviewService,
        sessions: SessionStore,
        runner: Runner,
        people: People,
        policies: Policies,
        languages: Languages,
    ) -> None:
        self._reviews, self._sessions, self._runner = reviews, sessions, runner
        self._people, self._policies, self._languages = people, policies, languages

    async def open(self, run: Run, request: HumanFeedbackPending) -> Review | None:
        """The review of this request; opening it twice opens it once. None when the run does not ask it any more.

        What changed since it was opened is asked for anew.
        """
        asked = await self._runner.asked(run, request.context.request_id)
        if asked is None:
            return None
        known = await self._reviews.store.get(run.team, ReviewId(request.context.request_id))
        if known is not None:
            return await self._as_asked_now(known, asked) if known.is_pending else known
        gate, content, policy = self._gate(run, asked)
        channel, thread_ts = await self._place(run.thread, asked.request)
        requester = await self._people.person(run.requester)
        fields = fields_of(asked.request.context.method_output, asked.state)
        return await self._reviews.open(
            NewReview(
                id=ReviewId(request.context.request_id),
                run=run.id,
                thread=run.thread,
                requester=requester or Person(team=run.team, user=run.requester, name=run.requester),
                gate=gate,
                content=content,
                language=_language(gate.metadata.get("language"), self._languages.of(channel)),
                target_channel=channel,
                target_thread=thread_ts,
                payload_hash=self._hash(run, asked, gate, policy),
                policy=policy,
                amount=None if policy.limit is None else amount_of(policy.limit, fields),
                inputs=run.inputs,
                said=run.said,
            )
        )

    async def hash_now(self, review: Review) -> str | None:
        """The digest of what the run would really go on with; None when it asks no such thing any more."""
        found = await self._asked(review)
        return None if found is None else self._hash(found[0], found[1], review.gate, review.policy)

    async def changed(self, review: Review) -> Review | None:
        """The review as it is asked for anew, when what the run would go on with has changed since; else None."""
        found = await self._asked(review)
        if found is None or self._hash(found[0], found[1], review.gate, review.policy) == review.payload_hash:
            return None
        return await self._as_asked_now(review, found[1])

    async def placed(self, review: Review) -> Review:
        """The review with the channel that its flow named, once the bot sees that. Raises CardBlocked before."""
        named = review.target_channel
        if not named.startswith("#"):
            return review
        channel = await self._people.channel(named) or await self._people.channel(named.removeprefix("#"))
        if channel is None:
            raise CardBlocked(named)
        return await self._reviews.store.place(review, channel)

    async def _asked(self, review: Review) -> tuple[Run, Asked] | None:
        run = await self._sessions.get(review.team, review.run)
        if run is None:
            return None
        try:
            asked = await self._runner.asked(run, review.id)
        except (FlowMissing, FlowError) as error:
            # Its flow cannot be loaded: the decision is kept, and running it says why it does not run.
            log.warning("payload_not_checked", review=review.id, reason=type(error).__name__)
            return None
        return None if asked is None else (run, asked)

    async def _as_asked_now(self, review: Review, asked: Asked) -> Review:
        run = await self._sessions.get(review.team, review.run)
        assert run is not None, "a review belongs to a run"
        digest = self._hash(run, asked, review.gate, review.policy)
        if digest == review.payload_hash:
            return review
        log.warning("payload_changed", review=review.id)
        _, content, _ = self._gate(run, asked)
        again = await self._reviews.changed(review.team, review.id, digest, content)
        return again or review

    def _gate(self, run: Run, asked: Asked) -> tuple[Gate, Content, GatePolicy]:
        context = asked.request.context
        gate = Gate(
            flow_name=run.flow_name,
            method=context.method_name,
            question=context.message,
            emit=tuple(context.emit or ()),
            default_outcome=context.default_outcome,
            metadata=context.to_dict()["metadata"],
        )
        summary = gate.metadata.get("summary")
        content = content_of(context.method_output, summary if isinstance(summary, str) else None)
        return gate, content, self._policies.for_review(gate, fields_of(context.method_output, asked.state))

    @staticmethod
    def _hash(run: Run, asked: Asked, gate: Gate, policy: GatePolicy) -> str:
        named = _named_channel(asked.request)
        return payload_hash(gate, asked.request.context.method_output, asked.state, named or run.thread.lane, policy)

    async def _place(self, home: ThreadKey, request: HumanFeedbackPending) -> tuple[ChannelId, Ts | None]:
        named, thread_ts = _named_channel(request), request.callback_info.get("thread_id")
        if not named:
            return home.channel, home.ts
        try:
            channel = await self._people.channel(named)
        except SlackUnavailable:
            channel = None
        if channel is None:
            # Never somewhere else instead: who sees a card is who may decide. It is looked for at every try to post.
            return ChannelId(f"#{named.removeprefix('#')}"), Ts(str(thread_ts)) if thread_ts else None
        if thread_ts:
            return channel, Ts(str(thread_ts))
        return (channel, home.ts) if channel == home.channel else (channel, None)


def _named_channel(request: HumanFeedbackPending) -> str:
    info: dict[str, Any] = request.callback_info
    named = info.get("slack_channel")
    # Only our own provider names places we may post to; another one's callback_info is its own business.
    return str(named) if named and info.get("review_id") == request.context.request_id else ""


def _language(stated: Any, otherwise: Language) -> Language:
    for known in LANGUAGES:
        if known == stated:
            return known
    return otherwise
