"""The control API: what a test, a script or the page may do in a person's name, and what it may look at."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

from aiohttp import web

from bot.sandbox import acts
from bot.sandbox.control_faults import change_faults
from bot.sandbox.control_input import (
    ControlError,
    body_of,
    channel_in,
    channel_named,
    choice_in,
    flag_in,
    form_values_in,
    message_in,
    person_in,
    person_named,
    text_in,
    texts_in,
    thread_in,
)
from bot.sandbox.events import FOREIGN_KINDS, member_joined
from bot.sandbox.inputs import ChoiceError, interactive
from bot.sandbox.journal import Journal
from bot.sandbox.publishing import channel_record, hide_note, publish_channel, tell_bot
from bot.sandbox.snapshot import people_records, snapshot
from bot.sandbox.views import find_view, stack_of
from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId, objects_in
from bot.sandbox.workspace import (
    Channel,
    Workspace,
    find_note,
    im_with,
    messages_of,
    next_id,
    notes_for,
    put_channel,
    thread_of,
)
from bot.sandbox.world import World, bot_state, reset

_LONGEST_WAIT: Final = 60.0
_SAY_FIELDS: Final = ("user", "channel", "text", "thread_ts", "reply_broadcast", "as_bot", "bot_kind")

Handler: TypeAlias = Callable[[World, web.Request], Awaitable[web.Response]]


async def ready(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/ready: 200 once the bot is connected, else 503."""
    is_ready = world.delivery.is_connected
    return web.json_response({"ok": is_ready, **bot_state(world)}, status=200 if is_ready else 503)


async def state(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/state: who and what there is."""
    workspace = world.workspace
    whole = snapshot(world)
    channels = [channel_record(world, channel_id) for channel_id in workspace.channels]
    shown = {key: whole[key] for key in ("team", "app", "bot", "now")}
    return web.json_response({"ok": True, "users": people_records(world), "channels": channels, **shown})


async def say(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/messages: a person says something; with as_bot, an app that is not ours does."""
    body = await body_of(request, allowed=_SAY_FIELDS)
    user, channel, thread_ts = _who_where(world, body)
    text = text_in(body, "text")
    if not text.strip():
        raise ControlError(field="text", expected="something to say")
    _not_archived(channel)
    if flag_in(body, "as_bot", default=False):
        kind = choice_in(body, "bot_kind", FOREIGN_KINDS, "app")
        stored = acts.say_as_other_app(world, kind, user, channel, text, thread_ts)
    else:
        is_broadcast = flag_in(body, "reply_broadcast", default=False)
        stored = acts.say(world, user, channel, text, thread_ts, is_broadcast=is_broadcast)
    return web.json_response({"ok": True, "ts": stored["ts"], "channel": channel.id, "message": stored})


async def edit(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/messages/edit: a person edits what they said."""
    body = await body_of(request, allowed=("user", "channel", "ts", "text"))
    user, channel, _ = _who_where(world, body)
    old = _own_message(world, body, channel, user)
    new = acts.edit(world, user, channel, old, text_in(body, "text"))
    return web.json_response({"ok": True, "ts": new["ts"]})


async def delete(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/messages/delete: a person deletes what they said."""
    body = await body_of(request, allowed=("user", "channel", "ts"))
    user, channel, _ = _who_where(world, body)
    acts.delete(world, channel, _own_message(world, body, channel, user))
    return web.json_response({"ok": True})


async def command(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/commands: a person sends a slash command; in a thread the client refuses it."""
    body = await body_of(request, allowed=("user", "channel", "command", "text", "thread_ts"))
    user, channel, thread_ts = _who_where(world, body)
    given = text_in(body, "command")
    declared = {one.command: one for one in world.manifest.commands}
    found = declared.get(given if given.startswith("/") else f"/{given}")
    if found is None:
        raise ControlError(field="command", expected="a command the app declares", known=declared)
    if thread_ts is not None:
        message = f"{found.command} can't be used in threads. Try it in the channel."
        return web.json_response({"ok": False, "error": "command_in_thread", "message": message}, status=400)
    answer = await acts.run_command(world, user, channel, found, text_in(body, "text", ""))
    return web.json_response({"ok": True, "acked": answer.acked})


async def press(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/actions: a person presses a button, or changes an input, in a message or private note."""
    body = await body_of(request, allowed=("user", "channel", "message_ts", "action_id", "block_id", "value"))
    workspace = world.workspace
    user, channel, _ = _who_where(world, body)
    note = find_note(workspace, channel.id, user, text_in(body, "message_ts"))
    message = message_in(workspace, body, channel, "message_ts") if note is None else note.message
    message, pressed = _pressed_now_or_before(workspace, channel.id, body, message)
    answer = await acts.press_in_message(world, user, channel, message, pressed, is_ephemeral=note is not None)
    return web.json_response({"ok": True, "acked": answer.acked})


async def views(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/views?user=: the person's Home and open modals, the visible one last."""
    user = person_named(world.workspace, request.query.get("user", "")).id
    home = [world.workspace.homes[user]] if user in world.workspace.homes else []
    listed = [{"id": one["id"], "type": one["type"], "view": one} for one in (*home, *stack_of(world.workspace, user))]
    return web.json_response({"ok": True, "views": listed})


async def submit(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/views/{view_id}/submit: a person submits a modal."""
    body = await body_of(request, allowed=("user", "values"))
    user, view = _view(world, request, body)
    if view["type"] != "modal" or view["submit"] is None:
        raise ControlError(field="view_id", expected="a modal with a submit button")
    values = form_values_in(body)
    inputs = {f"{block['block_id']}.{one['action_id']}" for block, one in interactive(objects_in(view["blocks"]))}
    strange = [f"{block}.{action}" for block, given in values.items() for action in given]
    if unknown := sorted(set(strange) - inputs):
        raise ControlError(field="values", expected=f"inputs of this view, not {unknown[0]!r}", known=inputs)
    done = await acts.submit(world, user, view, values)
    answer: Payload = {"ok": done.acked and done.error is None and not done.errors, "acked": done.acked}
    shown = {"response_action": done.response_action, "errors": done.errors, "error": done.error}
    return web.json_response({**answer, **{key: value for key, value in shown.items() if value is not None}})


async def close(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/views/{view_id}/close: a person closes a modal, or with clear the whole stack."""
    body = await body_of(request, allowed=("user", "clear"))
    user, view = _view(world, request, body)
    if view["type"] != "modal":
        raise ControlError(field="view_id", expected="a modal; a Home cannot be closed")
    answer = await acts.close(world, user, view, is_cleared=flag_in(body, "clear", default=False))
    return web.json_response({"ok": True, "acked": None if answer is None else answer.acked})


async def press_in_view(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/views/{view_id}/actions: a person presses a button, or changes an input, in a modal or Home."""
    body = await body_of(request, allowed=("user", "action_id", "block_id", "value"))
    user, view = _view(world, request, body)
    answer = await acts.press_in_view(world, user, view, _pressed(body, objects_in(view["blocks"])))
    return web.json_response({"ok": True, "acked": answer.acked})


async def open_home(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/home: a person opens the app's Home (or its messages)."""
    body = await body_of(request, allowed=("user", "tab"))
    user = person_in(world.workspace, body).id
    direct = im_with(world.workspace, user)
    if direct is None:
        raise ControlError(field="user", expected="somebody who has a direct message with the app")
    acts.open_app(world, user, direct.id, choice_in(body, "tab", ("home", "messages"), "home"))
    return web.json_response({"ok": True, "view": world.workspace.homes.get(user)})


async def messages(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/channels/{channel}/messages[?user=]: all that was said, newest last, and that person's notes."""
    channel = channel_named(world.workspace, request.match_info["channel"], _reader(world, request))
    said = messages_of(world.workspace, channel.id)
    return web.json_response({"ok": True, "messages": _with_notes(world, request, channel, said)})


async def thread(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/channels/{channel}/threads/{ts}[?user=]: a thread, newest last, and that person's notes in it."""
    channel = channel_named(world.workspace, request.match_info["channel"], _reader(world, request))
    root = thread_in(world.workspace, {"thread_ts": request.match_info["ts"]}, channel)
    said = [] if root is None else thread_of(world.workspace, channel.id, root)
    return web.json_response({"ok": True, "messages": _with_notes(world, request, channel, said, root)})


async def calls(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/calls?method=&after=&wait_s=: the bot's Web API calls; waits until there is one."""
    return web.json_response({"ok": True, "calls": await _listed(world.calls, request, "method")})


async def deliveries(world: World, request: web.Request) -> web.Response:
    """GET /sandbox/deliveries?type=&acked=&after=&wait_s=: what was sent to the bot; waits until there is something."""
    return web.json_response({"ok": True, "deliveries": await _listed(world.deliveries, request, "type", "acked")})


async def faults(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/faults: set, turn or clear faults; the answer lists what is set."""
    allowed = ("method", "times", "fault", "retry_after", "delivery", "seconds", "only", "switch", "on", "clear")
    body = await body_of(request, allowed=allowed)
    return web.json_response({"ok": True, "faults": change_faults(world, body)})


async def start_over(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/reset: back to the seeded workspace; the bot stays connected."""
    reset(world)
    return web.json_response({"ok": True})


async def dismiss(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/private_notes/dismiss: a person puts a private note away."""
    body = await body_of(request, allowed=("user", "channel", "ts"))
    user, channel, _ = _who_where(world, body)
    ts = text_in(body, "ts")
    if not hide_note(world, channel.id, user, ts):
        known = [one["ts"] for one in notes_for(world.workspace, channel.id, user)]
        raise ControlError(
            field="ts", expected="the ts of a private note", known=known, error="message_not_found", status=404
        )
    return web.json_response({"ok": True})


async def put_a_channel(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/channels: create a channel, or change one: its members, whether it is private or archived."""
    body = await body_of(request, allowed=("name", "members", "is_private", "is_archived", "user"))
    workspace = world.workspace
    inviter = None if body.get("user") is None else person_in(workspace, body).id
    name = text_in(body, "name").lstrip("#")
    old = next((one for one in workspace.channels.values() if one.name == name and not one.is_im), None)
    members = tuple(person_named(workspace, one, "members").id for one in texts_in(body, "members"))
    if old is not None and "members" not in body:
        members = old.members
    channel = Channel(
        id=ChannelId(next_id(workspace, "C")) if old is None else old.id,
        name=name,
        members=members,
        is_private=flag_in(body, "is_private", default=old is not None and old.is_private),
        is_archived=flag_in(body, "is_archived", default=old is not None and old.is_archived),
        created=int(world.clock.now()),
    )
    put_channel(workspace, channel)
    publish_channel(world, channel.id)
    newcomers = [user for user in members if old is None or user not in old.members]
    if workspace.app.bot_user_id in members:
        for user in newcomers:
            tell_bot(world, member_joined(workspace, channel, user, inviter, world.clock.now()))
    return web.json_response({"ok": True, "channel": channel_record(world, channel.id)})


def _who_where(world: World, body: Payload) -> tuple[UserId, Channel, Ts | None]:
    user = person_in(world.workspace, body).id
    channel = channel_in(world.workspace, body, user)
    return user, channel, thread_in(world.workspace, body, channel)


def _not_archived(channel: Channel) -> None:
    if channel.is_archived:
        raise ControlError(field="channel", expected="a channel that is not archived")


def _own_message(world: World, body: Payload, channel: Channel, user: UserId) -> Payload:
    message = message_in(world.workspace, body, channel)
    if message.get("user") != user:
        raise ControlError(field="user", expected=f"the author of the message, {message.get('user')}")
    return message


def _view(world: World, request: web.Request, body: Payload) -> tuple[UserId, Payload]:
    user = person_in(world.workspace, body).id
    found = find_view(world.workspace, request.match_info["view_id"])
    if found is None or found[0] != user:
        stack = stack_of(world.workspace, user)
        known = [one["id"] for one in stack] + [one["id"] for one in (world.workspace.homes.get(user),) if one]
        raise ControlError(
            field="view_id", expected=f"a view that {user} has open", known=known, error="view_not_found", status=404
        )
    return user, found[1]


def _pressed(body: Payload, blocks: list[Payload]) -> acts.Pressed:
    action_id, block_id = text_in(body, "action_id"), body.get("block_id")
    there = list(interactive(blocks))
    for block, element in there:
        if element["action_id"] == action_id and block_id in (None, block["block_id"]):
            return acts.Pressed(block=block, element=element, value=body.get("value"))
    known = [f"{block['block_id']}.{element['action_id']}" for block, element in there]
    given = action_id if block_id is None else f"{block_id}.{action_id}"
    expected = f"an action there is, not {given!r}"
    raise ControlError(field="action_id", expected=expected, known=known, error="action_not_found", status=404)


def _pressed_now_or_before(
    workspace: Workspace, channel: ChannelId, body: Payload, message: Payload
) -> tuple[Payload, acts.Pressed]:
    """The message as the person sees it, and what is pressed: on a client that is behind, what it showed before."""
    try:
        return message, _pressed(body, objects_in(message.get("blocks")))
    except ControlError:
        for former in reversed(workspace.former.get((channel, Ts(message["ts"])), [])):
            with contextlib.suppress(ControlError):
                return former, _pressed(body, objects_in(former.get("blocks")))
        raise


def _reader(world: World, request: web.Request) -> UserId | None:
    given = request.query.get("user")
    return None if given is None else person_named(world.workspace, given).id


def _with_notes(
    world: World, request: web.Request, channel: Channel, said: list[Payload], root: Ts | None = None
) -> list[Payload]:
    reader = _reader(world, request)
    notes = [] if reader is None else notes_for(world.workspace, channel.id, reader)
    if root is not None:
        notes = [one for one in notes if one.get("thread_ts") == root]
    return sorted([*said, *notes], key=lambda one: str(one["ts"]))


async def _listed(journal: Journal, request: web.Request, *fields: str) -> list[Payload]:
    wanted = {field: request.query[field] for field in fields if request.query.get(field)}
    after, wait = _number(request.query, "after"), _number(request.query, "wait_s")

    def accepts(entry: Payload) -> bool:
        # "True" in the entry is "true" in the address.
        return entry["n"] > after and all(str(entry[field]).lower() == one.lower() for field, one in wanted.items())

    return await journal.wait_for(accepts, min(wait, _LONGEST_WAIT))


def _number(query: Mapping[str, Any], field: str) -> float:
    given = str(query.get(field, "0") or "0")
    try:
        return max(0.0, float(given))
    except ValueError as error:
        raise ControlError(field=field, expected=f"a number, not {given!r}") from error


ROUTES: Final[tuple[tuple[str, str, Handler], ...]] = (
    ("GET", "/sandbox/ready", ready),
    ("GET", "/sandbox/state", state),
    ("POST", "/sandbox/messages", say),
    ("POST", "/sandbox/messages/edit", edit),
    ("POST", "/sandbox/messages/delete", delete),
    ("POST", "/sandbox/commands", command),
    ("POST", "/sandbox/actions", press),
    ("GET", "/sandbox/views", views),
    ("POST", "/sandbox/views/{view_id}/submit", submit),
    ("POST", "/sandbox/views/{view_id}/close", close),
    ("POST", "/sandbox/views/{view_id}/actions", press_in_view),
    ("POST", "/sandbox/home", open_home),
    ("POST", "/sandbox/channels", put_a_channel),
    ("GET", "/sandbox/channels/{channel}/messages", messages),
    ("GET", "/sandbox/channels/{channel}/threads/{ts}", thread),
    ("GET", "/sandbox/calls", calls),
    ("GET", "/sandbox/deliveries", deliveries),
    ("POST", "/sandbox/faults", faults),
    ("POST", "/sandbox/reset", start_over),
    ("POST", "/sandbox/private_notes/dismiss", dismiss),
)


async def answer_control(world: World, handler: Handler, request: web.Request) -> web.Response:
    """The handler's answer; what it cannot read comes back as 400 or 404 with the field and how to mend it."""
    try:
        return await handler(world, request)
    except ControlError as error:
        return web.json_response(error.answer(), status=error.status)
    except ChoiceError as error:
        told = ControlError(field="value", expected=error.expected, known=error.known)
        return web.json_response(told.answer(), status=told.status)
