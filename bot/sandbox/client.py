"""Driving a running sandbox: say, command, press, submit, look; for tests and scripts."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import aiohttp

from bot.sandbox.vocabulary import Payload, as_object, objects_in


class SandboxError(Exception):
    """The control API refused. `status` is the HTTP status, `answer` its body (field, expected, known)."""

    def __init__(self, *, status: int, answer: Payload) -> None:
        self.status, self.answer = status, answer
        super().__init__(f"{status}: {answer.get('message') or answer.get('error') or answer}")


class NothingHappenedError(Exception):
    """What was waited for did not happen in time; `seen` is what did."""

    def __init__(self, *, waited_for: str, seconds: float, seen: list[str]) -> None:
        self.waited_for, self.seconds, self.seen = waited_for, seconds, seen
        super().__init__(f"No {waited_for} within {seconds:g} s. Seen: {', '.join(seen) or 'nothing'}.")


class SandboxClient:
    """The control API of the sandbox at `url`. People and channels are given by id or name."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def is_ready(self) -> bool:
        """Whether a bot is connected."""
        async with self._http().get(f"{self._url}/sandbox/ready") as response:
            return response.status == 200

    async def state(self) -> Payload:
        """Users, channels, team, app, bot."""
        return await self._get("/sandbox/state")

    async def say(
        self,
        user: str,
        channel: str,
        text: str,
        *,
        thread_ts: str | None = None,
        reply_broadcast: bool = False,
        bot_kind: str | None = None,
    ) -> str:
        """The ts of what was said; with bot_kind it is said by an app that is not ours (app, bot_message, …)."""
        body: Payload = {"user": user, "channel": channel, "text": text, "thread_ts": thread_ts}
        body["reply_broadcast"] = reply_broadcast
        if bot_kind is not None:
            body |= {"as_bot": True, "bot_kind": bot_kind}
        return str((await self._post("/sandbox/messages", body))["ts"])

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        """Let the author edit a message."""
        await self._post("/sandbox/messages/edit", {"user": user, "channel": channel, "ts": ts, "text": text})

    async def delete(self, user: str, channel: str, ts: str) -> None:
        """Let the author delete a message."""
        await self._post("/sandbox/messages/delete", {"user": user, "channel": channel, "ts": ts})

    async def command(
        self, user: str, channel: str, command: str, text: str = "", *, thread_ts: str | None = None
    ) -> bool:
        """Whether the bot acknowledged the slash command in time."""
        body = {"user": user, "channel": channel, "command": command, "text": text, "thread_ts": thread_ts}
        return bool((await self._post("/sandbox/commands", body))["acked"])

    async def click(
        self,
        user: str,
        channel: str,
        message_ts: str,
        action_id: str,
        *,
        block_id: str | None = None,
        value: Any = None,
    ) -> bool:
        """Whether the bot acknowledged the click, or the change of an input, in time."""
        body = {"user": user, "channel": channel, "message_ts": message_ts, "action_id": action_id}
        answer = await self._post("/sandbox/actions", {**body, "block_id": block_id, "value": value})
        return bool(answer["acked"])

    async def views(self, user: str) -> list[Payload]:
        """The person's views as Slack's objects: the Home, if there is one, then open modals, the visible one last."""
        answer = await self._get("/sandbox/views", user=user)
        return [one["view"] for one in objects_in(answer["views"])]

    async def submit(self, user: str, view_id: str, values: Mapping[str, Mapping[str, Any]]) -> Payload:
        """What became of a submit: ok, acked, and response_action or errors where there are any."""
        return await self._post(f"/sandbox/views/{view_id}/submit", {"user": user, "values": values})

    async def close(self, user: str, view_id: str, *, clear: bool = False) -> None:
        """Close a modal, or the whole stack."""
        await self._post(f"/sandbox/views/{view_id}/close", {"user": user, "clear": clear})

    async def click_in_view(
        self, user: str, view_id: str, action_id: str, *, block_id: str | None = None, value: Any = None
    ) -> bool:
        """Whether the bot acknowledged a click, or the change of an input, in a modal or Home."""
        body = {"user": user, "action_id": action_id, "block_id": block_id, "value": value}
        return bool((await self._post(f"/sandbox/views/{view_id}/actions", body))["acked"])

    async def open_home(self, user: str, tab: str = "home") -> None:
        """Open the app's Home, or its messages."""
        await self._post("/sandbox/home", {"user": user, "tab": tab})

    async def put_channel(self, name: str, **fields: Any) -> Payload:
        """Create or change a channel: members, is_private, is_archived, is_ext_shared, user (who does it)."""
        return (await self._post("/sandbox/channels", {"name": name, **fields}))["channel"]

    async def change_person(self, user: str, **fields: Any) -> Payload:
        """Change somebody: deleted, is_restricted, is_ultra_restricted, is_stranger, title, locale, email."""
        return (await self._post("/sandbox/people", {"user": user, **fields}))["user"]

    async def put_group(self, handle: str, **fields: Any) -> Payload:
        """Create or change a user group: members, name, is_disabled."""
        return (await self._post("/sandbox/usergroups", {"handle": handle, **fields}))["usergroup"]

    async def advance_clock(self, seconds: float) -> float:
        """Move the sandbox's time forward, and the bot's with it; the new time in Unix seconds."""
        return float((await self._post("/sandbox/clock", {"advance_s": seconds}))["now"])

    async def reset_clock(self) -> float:
        """Back to real time; that time in Unix seconds."""
        return float((await self._post("/sandbox/clock", {"reset": True}))["now"])

    async def messages(self, channel: str, *, user: str | None = None) -> list[Payload]:
        """All that was said in a channel, newest last; with `user` also that person's private notes."""
        answer = await self._get(f"/sandbox/channels/{channel.lstrip('#')}/messages", user=user)
        return objects_in(answer["messages"])

    async def thread(self, channel: str, ts: str, *, user: str | None = None) -> list[Payload]:
        """A thread, newest last; with `user` also that person's private notes in it."""
        answer = await self._get(f"/sandbox/channels/{channel.lstrip('#')}/threads/{ts}", user=user)
        return objects_in(answer["messages"])

    async def dismiss(self, user: str, channel: str, ts: str) -> None:
        """Put a private note away."""
        await self._post("/sandbox/private_notes/dismiss", {"user": user, "channel": channel, "ts": ts})

    async def calls(self, *, method: str | None = None, after: int = 0, wait_s: float = 0.0) -> list[Payload]:
        """The bot's Web API calls since `after`; waits up to `wait_s` seconds until there is one."""
        answer = await self._get("/sandbox/calls", method=method, after=after, wait_s=wait_s)
        return objects_in(answer["calls"])

    async def wait_for_call(self, method: str, *, after: int = 0, within: float = 5.0) -> Payload:
        """The first call of the method since `after`. Raises NothingHappenedError when there is none in time."""
        found = await self.calls(method=method, after=after, wait_s=within)
        if not found:
            seen = [one["method"] for one in await self.calls(after=after)]
            raise NothingHappenedError(waited_for=f"call of {method}", seconds=within, seen=seen)
        return found[0]

    async def last_call(self) -> int:
        """The number of the latest call; what comes later is `after` it."""
        known = await self.calls()
        return int(known[-1]["n"]) if known else 0

    async def deliveries(
        self, *, kind: str | None = None, acked: bool | None = None, after: int = 0, wait_s: float = 0.0
    ) -> list[Payload]:
        """What was sent to the bot since `after`; waits up to `wait_s` seconds until there is something.

        kind is an event's or interaction's type, or a command.
        """
        answer = await self._get("/sandbox/deliveries", type=kind, acked=acked, after=after, wait_s=wait_s)
        return objects_in(answer["deliveries"])

    async def faults(self, **change: Any) -> Payload:
        """All faults that are set, after this change; without arguments nothing changes."""
        return (await self._post("/sandbox/faults", change))["faults"]

    async def reset(self) -> None:
        """Back to the seeded workspace."""
        await self._post("/sandbox/reset", {})

    async def _get(self, path: str, **query: Any) -> Payload:
        given = {key: str(value) for key, value in query.items() if value is not None}
        async with self._http().get(self._url + path, params=given) as response:
            return await _answer(response)

    async def _post(self, path: str, body: Mapping[str, Any]) -> Payload:
        given = {key: value for key, value in body.items() if value is not None}
        async with self._http().post(self._url + path, json=given) as response:
            return await _answer(response)

    def _http(self) -> aiohttp.ClientSession:
        assert self._session is not None, "use it inside `async with`"
        return self._session


async def _answer(response: aiohttp.ClientResponse) -> Payload:
    answer = as_object(await response.json()) or {}
    if response.status != 200:
        raise SandboxError(status=response.status, answer=answer)
    return answer
