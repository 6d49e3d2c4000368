"""A flow's request for feedback, as an open review."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bot.errors import BotError
from bot.reviews.content import Content, content_of
from bot.reviews.model import Gate, NewReview, Review
from bot.reviews.service import ReviewService
from bot.slack.people import People
from bot.types import LANGUAGES, ChannelId, Language, Person, ReviewId, Run, ThreadKey, Ts
from flows import HumanFeedbackPending


class CardBlocked(BotError):
    """A flow wants its review in a channel where the bot cannot post, or which it does not see."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        super().__init__(
            f"No card can be posted in {channel!r}: the channel is unknown, archived, or the bot is not in it."
        )


class Opening:
    """Opens the review of a request, where its flow wants it."""

    def __init__(self, reviews: ReviewService, people: People, *, language: Language) -> None:
        self._reviews, self._people = reviews, people
        self._language: Language = language

    async def open(self, run: Run, request: HumanFeedbackPending) -> Review:
        """The open review. Opening it twice opens it once.

        Raises CardBlocked when its flow wants it in a channel that the bot does not see.
        """
        context = request.context
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
        channel, thread_ts = await self._place(run.thread, request)
        requester = await self._people.person(run.requester)
        return await self._reviews.open(
            NewReview(
                id=ReviewId(context.request_id),
                run=run.id,
                thread=run.thread,
                requester=requester or Person(team=run.team, user=run.requester, name=run.requester),
                gate=gate,
                content=content,
                language=_language(gate.metadata.get("language"), self._language),
                target_channel=channel,
                target_thread=thread_ts,
                payload_hash=payload_hash(gate, content, channel),
            )
        )

    async def _place(self, home: ThreadKey, request: HumanFeedbackPending) -> tuple[ChannelId, Ts | None]:
        info = request.callback_info
        named = info.get("slack_channel")
        # Only our own provider names places we may post to; another one's callback_info is its own business.
        if not named or info.get("review_id") != request.context.request_id:
            return home.channel, home.ts
        channel = await self._people.channel(str(named))
        if channel is None:
            # Never somewhere else instead: who sees a card is who may decide.
            raise CardBlocked(str(named))
        thread_ts = info.get("thread_id")
        if thread_ts:
            return channel, Ts(str(thread_ts))
        return (channel, home.ts) if channel == home.channel else (channel, None)


def payload_hash(gate: Gate, content: Content, channel: ChannelId) -> str:
    """A digest of what is decided on: what is shown, the choices, and where it is shown."""
    shown: dict[str, Any] = {
        "flow": gate.flow_name,
        "method": gate.method,
        "question": gate.question,
        "emit": list(gate.emit),
        "content": content.full_text,
        "channel": channel,
    }
    canonical = json.dumps(shown, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _language(stated: Any, otherwise: Language) -> Language:
    for known in LANGUAGES:
        if known == stated:
            return known
    return otherwise
