"""In which language a channel is spoken to."""

from __future__ import annotations

from collections.abc import Mapping

from bot.types import ChannelId, Language


class Languages:
    """The operators' choice for a channel, else the bot's own language."""

    def __init__(self, default: Language, channels: Mapping[str, Language | None]) -> None:
        self.default: Language = default
        self._channels = channels

    def of(self, channel: ChannelId) -> Language:
        """The language of what everybody in this channel reads."""
        return self._channels.get(channel) or self.default
