"""What goes out to Slack: each post once, everything else as often as it takes."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.effects import Effects
from bot.errors import SlackRefused, SlackUnavailable
from bot.render.blocks import Block
from bot.types import ChannelId, Message, MessageRef, TeamId, Ts, UserId

_EVENT_TYPE = "placet_message"
_CLOCK_SKEW_S = 300.0
_PAGES = 10
# Errors that pass: the same call may go through later.
_PASSING = frozenset(
    {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)


def make_client(
    token: str, base_url: str, session: aiohttp.ClientSession | None, *, repeatable: bool
) -> AsyncWebClient:
    """A Web API client.

    repeatable=False leaves out the retries after a lost connection or a 5xx: such a call may have been carried out,
    and a blind retry of `chat.postMessage` posts twice. A 429 was never carried out, so it is always retried.
    """
    handlers: list[AsyncRetryHandler] = [AsyncRateLimitErrorRetryHandler(max_retry_count=3)]
    if repeatable:
        handlers += [
            AsyncConnectionErrorRetryHandler(max_retry_count=2),
            AsyncServerErrorRetryHandler(max_retry_count=2),
        ]
    return AsyncWebClient(token=token, base_url=base_url, session=session, retry_handlers=handlers, timeout=15)


class Outbound:
    """The Web API, as far as the bot uses it. Nothing unfurls: links in a review are not fetched by anybody."""

    def __init__(self, *, repeatable: AsyncWebClient, once: AsyncWebClient, effects: Effects) -> None:
        self._client, self._once, self._effects = repeatable, once, effects

    async def post(
        self, team: TeamId, key: str, channel: ChannelId, message: Message, *, thread_ts: Ts | None = None
    ) -> MessageRef:
        """The posted message's place. However often it is called with this key, one message is posted."""

        async def call(identity: str) -> str:
            answer = await _answer(
                "chat.postMessage",
                self._once.chat_postMessage(
                    channel=channel,
                    thread_ts=thread_ts,
                    text=message.text,
                    blocks=list(message.blocks),
                    metadata={"event_type": _EVENT_TYPE, "event_payload": {"id": identity}},
                    client_msg_id=identity,
                    unfurl_links=False,
                    unfurl_media=False,
                ),
            )
            return json.dumps([answer["channel"], answer["ts"]])

        async def find(identity: str, since: float) -> str | None:
            return await self._find(channel, thread_ts, identity, since)

        place, ts = json.loads(await self._effects.once(team, key, call=call, find=find))
        return MessageRef(channel=ChannelId(place), ts=Ts(ts))

    async def direct(self, team: TeamId, key: str, user: UserId, message: Message) -> MessageRef:
        """The message in this person's direct messages, once."""
        opened = await _answer("conversations.open", self._client.conversations_open(users=user))
        channel = cast("Mapping[str, Any]", opened["channel"])
        return await self.post(team, key, ChannelId(str(channel["id"])), message)

    async def update(self, ref: MessageRef, message: Message) -> None:
        """Change a message of ours."""
        await _answer(
            "chat.update",
            self._client.chat_update(channel=ref.channel, ts=ref.ts, text=message.text, blocks=list(message.blocks)),
        )

    async def whisper(self, channel: ChannelId, user: UserId, text: str, *, thread_ts: Ts | None) -> None:
        """A note that only this person sees. It may not arrive; nothing depends on it."""
        await _answer(
            "chat.postEphemeral",
            self._client.chat_postEphemeral(channel=channel, user=user, text=text, thread_ts=thread_ts),
        )

    async def open_view(self, trigger_id: str, view: Block) -> None:
        """Open a modal. The trigger lives three seconds."""
        await _answer("views.open", self._once.views_open(trigger_id=trigger_id, view=view))

    async def permalink(self, ref: MessageRef) -> str:
        """The address of a message."""
        answer = await _answer(
            "chat.getPermalink", self._client.chat_getPermalink(channel=ref.channel, message_ts=ref.ts)
        )
        return str(answer["permalink"])

    async def _find(self, channel: ChannelId, thread_ts: Ts | None, identity: str, since: float) -> str | None:
        oldest = f"{since - _CLOCK_SKEW_S:.6f}"
        method = "conversations.history" if thread_ts is None else "conversations.replies"
        cursor = ""
        for _ in range(_PAGES):
            read = (
                self._client.conversations_history(
                    channel=channel, oldest=oldest, limit=200, include_all_metadata=True, cursor=cursor
                )
                if thread_ts is None
                else self._client.conversations_replies(
                    channel=channel, ts=thread_ts, oldest=oldest, limit=200, include_all_metadata=True, cursor=cursor
                )
            )
            answer = await _answer(method, read)
            for found in cast("list[Mapping[str, Any]]", answer.get("messages") or []):
                metadata = cast("Mapping[str, Any]", found.get("metadata") or {})
                payload = cast("Mapping[str, Any]", metadata.get("event_payload") or {})
                if payload.get("id") == identity:
                    return json.dumps([channel, found["ts"]])
            cursor = str(cast("Mapping[str, Any]", answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return None
        return None


async def _answer(method: str, call: Awaitable[Any]) -> Mapping[str, Any]:
    """The call's answer; SlackRefused when trying again cannot help, SlackUnavailable when it may."""
    try:
        response = await call
    except SlackApiError as error:
        answer = cast("Any", error.response)
        # A 5xx has no JSON; the SDK gives its text then.
        code = str(answer.get("error") or "unknown_error") if hasattr(answer, "get") else "internal_error"
        if code in _PASSING or int(getattr(answer, "status_code", 200)) >= 429:
            raise SlackUnavailable(method=method, reason=code) from error
        raise SlackRefused(method=method, error=code) from error
    except (aiohttp.ClientError, TimeoutError, SlackClientError, OSError) as error:
        raise SlackUnavailable(method=method, reason=type(error).__name__) from error
    return cast("Mapping[str, Any]", response.data)
