"""What one person alone is told, in their own language."""

from __future__ import annotations

import structlog

from bot.clock import Clock
from bot.db import Db
from bot.errors import SlackRefused, SlackUnavailable
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import ChannelId, Language, Ts, UserId, UserMessage

log = structlog.get_logger(__name__)


class Notes:
    """Private notes. They may get lost by Slack's own terms, so nothing hangs on one."""

    def __init__(self, outbound: Outbound, people: People, db: Db, clock: Clock, *, language: Language) -> None:
        self._outbound, self._people, self._db, self._clock = outbound, people, db, clock
        self._language: Language = language

    async def language_of(self, user: UserId) -> Language:
        """The language in which this person is told something privately."""
        person = await self._people.person(user)
        return (person.language if person else None) or self._language

    async def whisper(self, channel: ChannelId, user: UserId, text: str, thread_ts: Ts | None) -> None:
        """Tell this person something, where they are looking."""
        try:
            await self._outbound.whisper(channel, user, text, thread_ts=thread_ts)
        except (SlackRefused, SlackUnavailable) as error:
            log.warning("note_not_sent", reason=str(error))

    async def whisper_once(self, message: UserMessage, key: str, text: str) -> None:
        """Tell the author of this message something, but only the first time for this key."""
        async with self._db.tx(durable=False) as tx:
            first = await tx.run(
                "insert into effects(team_id, key, status, at) values (?, ?, 'sent', ?)"
                " on conflict do nothing returning 1",
                message.thread.team,
                key,
                self._clock.now().timestamp(),
            )
        if first:
            await self.whisper(message.thread.channel, message.user, text, message.thread.ts)
