"""Who gives a command, and from where."""

from __future__ import annotations

from dataclasses import dataclass

from bot.render.mrkdwn import Mrkdwn
from bot.reviews.model import Source
from bot.types import ChannelId, Language, TeamId, ThreadKey, UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who said it, where, and how they say commands there."""

    team: TeamId
    user: UserId
    channel: ChannelId
    thread: ThreadKey | None
    language: Language
    prefix: Mrkdwn
    source: Source = "command"
    """By which way it came, as the record names it."""
