"""Who a policy means: names looked up once at the start, and the people behind them at the moment they act."""

# pyright: reportUnknownMemberType=false
# Slack's SDK annotates its arguments with bare Dict and **kwargs.

from __future__ import annotations

import difflib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import SlackRefused, SlackUnavailable
from bot.reviews.gate_policy import Who
from bot.slack.people import People
from bot.types import ChannelId, UserId

_FAILURES = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)
_FRESH_S = 60.0
"""No decision rests on an answer that is older than this."""
_SETTLED = frozenset({"missing_scope", "not_allowed_token_type", "no_permission", "invalid_auth", "account_inactive"})
"""Refusals that asking again cannot help."""
_NOBODY = frozenset({"users_not_found", "user_not_found", "user_not_visible"})
_NO_GROUP = frozenset({"no_such_subteam", "plan_upgrade_required"})
"""There is no such group any more, or the workspace's plan has none at all."""


class Directory:
    """Looks up the people, user groups and channels that a policy names. When Slack does not say, nobody is meant."""

    def __init__(
        self,
        client: AsyncWebClient,
        people: People,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        page: int = 200,
    ) -> None:
        self._client, self._people, self._monotonic, self._page = client, people, monotonic, page
        self._groups: dict[str, tuple[float, frozenset[UserId]]] = {}

    async def find(self, names: Collection[str]) -> dict[str, Who]:
        """Everybody among these names who is there and active, by the name; and for the others what comes nearest.

        names are `@handle`, `#channel`, email addresses and ids. A display name is nobody's handle: people choose it
        themselves.
        Raises SlackUnavailable when Slack does not say, SlackRefused when the app may not ask.
        """
        found: dict[str, Who] = {}
        known: dict[str, Who] = {}
        handles = {name for name in names if name.startswith("@")}
        if handles or any(name.startswith("S") and _is_id(name) for name in names):
            known |= await self._all_groups()
        for name in sorted(names):
            who = known.get(name.casefold() if name in handles else name) or await self._one(name)
            if who is not None:
                found[name] = _called(who, name)
        if handles - set(found):
            known |= {handle: who async for handle, who in self._all_people()} | known
            found |= {name: _called(known[name.casefold()], name) for name in handles if name.casefold() in known}
        for name in handles - set(found):
            near = difflib.get_close_matches(name.casefold(), [each for each in known if each[0] == "@"], n=1)
            found |= {each: known[each] for each in near}
        return found

    async def people(self, who: Sequence[Who], *, asking: UserId | None = None) -> frozenset[UserId] | None:
        """The people who are meant now; None when Slack does not say, and then nobody may act on it.

        Somebody who is not among the known ones, `asking`, is looked up afresh.
        """
        meant: set[UserId] = set()
        for each in who:
            match each.kind:
                case "person":
                    meant.add(UserId(each.id))
                case "group" | "channel":
                    members = await self._members(each, asking)
                    if members is None:
                        return None
                    meant |= members
                case "name":
                    # It was never looked up: it is nobody.
                    continue
        return frozenset(meant)

    async def deciding(self, who: Collection[Who]) -> dict[Who, bool | None]:
        """Whether anybody behind each of them may decide at all: active, a full member, one of ours.

        None where Slack does not say.
        """
        return {each: await self._can_decide(each) for each in who}

    def forget(self) -> None:
        """Slack told of a change: ask again."""
        self._groups.clear()

    async def _can_decide(self, who: Who) -> bool | None:
        people = await self.people((who,))
        if people is None:
            return None
        is_unknown = False
        for user in sorted(people):
            person = await self._people.person(user)
            if person is None:
                is_unknown = True
            elif not (person.is_bot or person.is_deleted or person.is_guest or person.is_stranger):
                return True
        return None if is_unknown else False

    async def _members(self, who: Who, asking: UserId | None) -> frozenset[UserId] | None:
        try:
            if who.kind == "channel":
                return await self._people.members(ChannelId(who.id), asking=asking)
            return await self._in_group(who.id, asking)
        except (SlackUnavailable, SlackRefused):
            return None

    async def _in_group(self, group: str, asking: UserId | None) -> frozenset[UserId]:
        kept = self._groups.get(group)
        if kept is not None and self._monotonic() - kept[0] < _FRESH_S and (asking is None or asking in kept[1]):
            return kept[1]
        call = self._client.usergroups_users_list(usergroup=group)
        answer = await _asked("usergroups.users.list", call, none_for=_NO_GROUP)
        members = frozenset(UserId(str(user)) for user in cast("list[Any]", answer.get("users") or []))
        self._groups[group] = (self._monotonic(), members)
        return members

    async def _one(self, name: str) -> Who | None:
        """Somebody whom Slack finds by this name alone."""
        if name.startswith("@"):
            return None
        if name.startswith("#") or (name[0] in "CG" and _is_id(name)):
            channel = await self._people.channel(name)
            return None if channel is None else Who(kind="channel", id=channel, name=name)
        if "@" in name:
            call = self._client.users_lookupByEmail(email=name)
            answer = await _asked("users.lookupByEmail", call, none_for=_NOBODY)
        else:
            answer = await _asked("users.info", self._client.users_info(user=name), none_for=_NOBODY)
        user = cast("Mapping[str, Any]", answer.get("user") or {})
        return Who(kind="person", id=str(user["id"]), name=name) if user and _may_be_meant(user) else None

    async def _all_groups(self) -> dict[str, Who]:
        answer = await _asked("usergroups.list", self._client.usergroups_list(), none_for=_NO_GROUP)
        found: dict[str, Who] = {}
        for group in cast("list[Mapping[str, Any]]", answer.get("usergroups") or []):
            if group.get("date_delete"):
                continue
            handle = f"@{group['handle']}".casefold()
            found[handle] = found[str(group["id"])] = Who(kind="group", id=str(group["id"]), name=handle)
        return found

    async def _all_people(self) -> AsyncIterator[tuple[str, Who]]:
        cursor = ""
        while True:
            answer = await _asked("users.list", self._client.users_list(limit=self._page, cursor=cursor or None))
            for user in cast("list[Mapping[str, Any]]", answer.get("members") or []):
                if _may_be_meant(user):
                    handle = f"@{user['name']}".casefold()
                    yield handle, Who(kind="person", id=str(user["id"]), name=handle)
            cursor = str(cast("Mapping[str, Any]", answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return


async def _asked(method: str, call: Awaitable[Any], *, none_for: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """Slack's answer; an empty one for refusals that mean there is nobody."""
    try:
        response = await call
    except SlackApiError as error:
        code = str(cast("Mapping[str, Any]", error.response).get("error"))
        if code in none_for:
            return {}
        if code in _SETTLED:
            raise SlackRefused(method=method, error=code) from error
        raise SlackUnavailable(method=method, reason=code) from error
    except _FAILURES as error:
        raise SlackUnavailable(method=method, reason=type(error).__name__) from error
    return cast("Mapping[str, Any]", response.data)


def _may_be_meant(user: Mapping[str, Any]) -> bool:
    """Active, a person, and one of ours."""
    is_bot = user.get("is_bot") or user.get("id") == "USLACKBOT"
    return not (is_bot or user.get("deleted") or user.get("is_stranger"))


def _called(who: Who, name: str) -> Who:
    return Who(kind=who.kind, id=who.id, name=name)


def _is_id(name: str) -> bool:
    return name.isascii() and name.isalnum() and name.isupper()
