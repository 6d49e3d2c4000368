"""The control API, looking: who is there, what was said, what the bot called and what it was sent."""

from typing import Final

from aiohttp import web

from bot.sandbox.control_input import ControlError, channel_named, person_named, thread_in
from bot.sandbox.journal import Journal
from bot.sandbox.snapshot import snapshot
from bot.sandbox.views import stack_of
from bot.sandbox.vocabulary import Payload, Ts, UserId
from bot.sandbox.workspace import Channel, messages_of, notes_for, thread_of
from bot.sandbox.world import World, bot_state

_LONGEST_WAIT: Final = 60.0


async def ready(world: World, request: web.Request, query: Payload) -> web.Response:
    """200 once the bot is connected, else 503."""
    is_ready = world.delivery.is_connected
    return web.json_response({"ok": is_ready, **bot_state(world)}, status=200 if is_ready else 503)


async def state(world: World, request: web.Request, query: Payload) -> web.Response:
    """Who and what there is."""
    whole = snapshot(world)
    shown = ("team", "app", "users", "usergroups", "channels", "bot", "now", "offset_s")
    return web.json_response({"ok": True, **{key: whole[key] for key in shown}})


async def views(world: World, request: web.Request, query: Payload) -> web.Response:
    """The person's Home and open modals, the visible one last."""
    user = person_named(world.workspace, query.get("user", "")).id
    home = [world.workspace.homes[user]] if user in world.workspace.homes else []
    listed = [{"id": one["id"], "type": one["type"], "view": one} for one in (*home, *stack_of(world.workspace, user))]
    return web.json_response({"ok": True, "views": listed})


async def messages(world: World, request: web.Request, query: Payload) -> web.Response:
    """All that was said, newest last, and that person's notes."""
    channel = channel_named(world.workspace, request.match_info["channel"], _reader(world, query))
    said = messages_of(world.workspace, channel.id)
    return web.json_response({"ok": True, "messages": _with_notes(world, query, channel, said)})


async def thread(world: World, request: web.Request, query: Payload) -> web.Response:
    """A thread, newest last, and that person's notes in it."""
    channel = channel_named(world.workspace, request.match_info["channel"], _reader(world, query))
    root = thread_in(world.workspace, {"thread_ts": request.match_info["ts"]}, channel)
    said = [] if root is None else thread_of(world.workspace, channel.id, root)
    return web.json_response({"ok": True, "messages": _with_notes(world, query, channel, said, root)})


async def calls(world: World, request: web.Request, query: Payload) -> web.Response:
    """The bot's Web API calls; waits until there is one."""
    return web.json_response({"ok": True, "calls": await _listed(world.calls, query, "method")})


async def deliveries(world: World, request: web.Request, query: Payload) -> web.Response:
    """What was sent to the bot; waits until there is something."""
    return web.json_response({"ok": True, "deliveries": await _listed(world.deliveries, query, "type", "acked")})


def _reader(world: World, query: Payload) -> UserId | None:
    given = query.get("user")
    return None if given is None else person_named(world.workspace, given).id


def _with_notes(
    world: World, query: Payload, channel: Channel, said: list[Payload], root: Ts | None = None
) -> list[Payload]:
    reader = _reader(world, query)
    notes = [] if reader is None else notes_for(world.workspace, channel.id, reader)
    if root is not None:
        notes = [one for one in notes if one.get("thread_ts") == root]
    return sorted([*said, *notes], key=lambda one: str(one["ts"]))


async def _listed(journal: Journal, query: Payload, *fields: str) -> list[Payload]:
    wanted = {field: query[field] for field in fields if query.get(field)}
    after, wait = _number(query, "after"), _number(query, "wait_s")

    def accepts(entry: Payload) -> bool:
        # "True" in the entry is "true" in the address.
        return entry["n"] > after and all(str(entry[field]).lower() == one.lower() for field, one in wanted.items())

    return await journal.wait_for(accepts, min(wait, _LONGEST_WAIT))


def _number(query: Payload, field: str) -> float:
    given = str(query.get(field, "0") or "0")
    try:
        return max(0.0, float(given))
    except ValueError as error:
        raise ControlError(field=field, expected=f"a number, not {given!r}") from error
