"""Who somebody is and who sees a channel: Slack's answers, kept for a short while."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import SlackUnavailable
from bot.types import ChannelId, Language, Person, TeamId, UserId

_MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
_FAILURES = (SlackApiError, SlackClientError, aiohttp.ClientError, TimeoutError, OSError)
_FRESH_S = 60.0
"""No decision rests on an answer that is older than this."""


class People:
    """Looks people, members and channels up. When Slack does not answer, nothing is decided."""

    def __init__(
        self, client: AsyncWebClient, team: TeamId, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._team, self._monotonic = client, team, monotonic
        self._people: dict[UserId, tuple[float, Person]] = {}
        self._members: dict[ChannelId, tuple[float, frozenset[UserId]]] = {}
        self._channels: tuple[float, dict[str, ChannelId]] | None = None

    async def person(self, user: UserId) -> Person | None:
        """What Slack says about this person, or None when it says nothing."""
        kept = self._people.get(user)
        if kept is not None and self._monotonic() - kept[0] < _FRESH_S:
            return kept[1]
        try:
            response = await self._client.users_info(user=user, include_locale=True)
        except _FAILURES:
            return None
        person = _person(cast("Mapping[str, Any]", response["user"]), self._team)
        self._people[user] = (self._monotonic(), person)
        return person

    async def members(self, channel: ChannelId, *, asking: UserId | None = None) -> frozenset[UserId]:
        """Who is in the channel. Somebody who is not among the known ones is looked up afresh.

        Raises SlackUnavailable when Slack does not say: nobody is never the answer to a failed look-up.
        """
        kept = self._members.get(channel)
        if kept is not None and self._monotonic() - kept[0] < _FRESH_S and (asking is None or asking in kept[1]):
            return kept[1]
        try:
            found: set[UserId] = set()
            async for page in await self._client.conversations_members(channel=channel, limit=1000):
                found.update(UserId(str(member)) for member in cast("list[Any]", page["members"]))
        except _FAILURES as error:
            raise SlackUnavailable(method="conversations.members", reason=type(error).__name__) from error
        self._members[channel] = (self._monotonic(), frozenset(found))
        return frozenset(found)

    async def named(self, words: str) -> str:
        """The words with names where Slack put people's ids: what is quoted mentions nobody and still reads well."""
        for found in set(_MENTION.findall(words)):
            person = await self.person(UserId(found))
            shown = f"@{person.name}" if person else "@…"
            words = re.sub(rf"<@{found}(?:\|[^>]*)?>", lambda _, shown=shown: shown, words)
        return words

    async def channel(self, name: str) -> ChannelId | None:
        """The channel that somebody wrote as `#name`, `name` or an id; None when there is none that we see.

        Raises SlackUnavailable when Slack does not say.
        """
        if self._channels is None or self._monotonic() - self._channels[0] >= _FRESH_S:
            self._channels = (self._monotonic(), await self._list_channels())
        known = self._channels[1]
        return known.get(name.removeprefix("#")) or (ChannelId(name) if name in known.values() else None)

    def forget(self) -> None:
        """Slack told of a change: ask again."""
        self._people.clear()
        self._members.clear()
        self._channels = None

    async def _list_channels(self) -> dict[str, ChannelId]:
        found: dict[str, ChannelId] = {}
        try:
            async for page in await self._client.conversations_list(
                types="public_channel,private_channel", exclude_archived=True, limit=1000
            ):
                for channel in cast("list[Mapping[str, Any]]", page["channels"]):
                    found[str(channel["name"])] = ChannelId(str(channel["id"]))
        except _FAILURES as error:
            raise SlackUnavailable(method="conversations.list", reason=type(error).__name__) from error
        return found


def language_of(locale: str | None) -> Language | None:
    """The language of the wording table for a locale such as `pt-BR`, or None when the table has none."""
    match (locale or "")[:2].casefold():
        case "pt":
            return "pt"
        case "ko":
            return "ko"
        case "en":
            return "en"
        case _:
            return None


def _person(user: Mapping[str, Any], installed: TeamId) -> Person:
    profile = cast("Mapping[str, Any]", user.get("profile") or {})
    name = profile.get("display_name") or profile.get("real_name") or user.get("real_name") or user.get("name")
    return Person(
        team=TeamId(str(user.get("team_id") or installed)),
        user=UserId(str(user["id"])),
        name=str(name or user["id"]),
        language=language_of(user.get("locale")),
        is_bot=bool(user.get("is_bot")) or user.get("id") == "USLACKBOT",
        is_guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
        is_stranger=bool(user.get("is_stranger")),
        is_deleted=bool(user.get("deleted")),
    )
