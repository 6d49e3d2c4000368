"""The control API, acting: what is done in a person's name."""

import contextlib

from aiohttp import web

from bot.sandbox import acts
from bot.sandbox.control_input import (
    ControlError,
    channel_in,
    choice_in,
    flag_in,
    form_values_in,
    message_in,
    person_in,
    text_in,
    thread_in,
)
from bot.sandbox.events import FOREIGN_KINDS
from bot.sandbox.inputs import interactive
from bot.sandbox.publishing import hide_note
from bot.sandbox.views import find_view, stack_of
from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId, objects_in
from bot.sandbox.workspace import Channel, Person, Workspace, find_note, im_with, notes_for
from bot.sandbox.world import World


async def say(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person says something; with as_bot, an app that is not ours does."""
    user, channel, thread_ts = _who_writes_where(world, body)
    text = text_in(body, "text")
    if not text.strip():
        raise ControlError(field="text", expected="something to say")
    if flag_in(body, "as_bot", default=False):
        kind = choice_in(body, "bot_kind", FOREIGN_KINDS, "app")
        stored = acts.say_as_other_app(world, kind, user, channel, text, thread_ts)
    else:
        is_broadcast = flag_in(body, "reply_broadcast", default=False)
        stored = acts.say(world, user, channel, text, thread_ts, is_broadcast=is_broadcast)
    return web.json_response({"ok": True, "ts": stored["ts"], "channel": channel.id, "message": stored})


async def edit(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person edits what they said."""
    user, channel, _ = _who_writes_where(world, body)
    old = _own_message(world, body, channel, user)
    new = acts.edit(world, user, channel, old, text_in(body, "text"))
    return web.json_response({"ok": True, "ts": new["ts"]})


async def delete(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person deletes what they said."""
    user, channel, _ = _who_writes_where(world, body)
    acts.delete(world, channel, _own_message(world, body, channel, user))
    return web.json_response({"ok": True})


async def command(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person sends a slash command; in a thread the client refuses it."""
    user, channel, thread_ts = _who_writes_where(world, body)
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


async def press(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person presses a button, or changes an input, in a message or private note."""
    workspace = world.workspace
    user, channel, _ = _who_where(world, body)
    note = find_note(workspace, channel.id, user, text_in(body, "message_ts"))
    message = message_in(workspace, body, channel, "message_ts") if note is None else note.message
    message, pressed = _pressed_now_or_before(workspace, channel.id, body, message)
    answer = await acts.press_in_message(world, user, channel, message, pressed, is_ephemeral=note is not None)
    return web.json_response({"ok": True, "acked": answer.acked})


async def submit(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person submits a modal."""
    user, view = _visible_view(world, request, body)
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


async def close(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person closes a modal, or with clear the whole stack."""
    user, view = _view(world, request, body)
    if view["type"] != "modal":
        raise ControlError(field="view_id", expected="a modal; a Home cannot be closed")
    answer = await acts.close(world, user, view, is_cleared=flag_in(body, "clear", default=False))
    return web.json_response({"ok": True, "acked": None if answer is None else answer.acked})


async def press_in_view(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person presses a button, or changes an input, in a modal or Home."""
    user, view = _visible_view(world, request, body)
    answer = await acts.press_in_view(world, user, view, _pressed(body, objects_in(view["blocks"])))
    return web.json_response({"ok": True, "acked": answer.acked})


async def open_home(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person opens the app's Home (or its messages)."""
    user = _active(person_in(world.workspace, body)).id
    direct = im_with(world.workspace, user)
    if direct is None:
        raise ControlError(field="user", expected="somebody who has a direct message with the app")
    acts.open_app(world, user, direct.id, choice_in(body, "tab", ("home", "messages"), "home"))
    return web.json_response({"ok": True, "view": world.workspace.homes.get(user)})


async def dismiss(world: World, request: web.Request, body: Payload) -> web.Response:
    """A person puts a private note away."""
    user, channel, _ = _who_where(world, body)
    ts = text_in(body, "ts")
    if not hide_note(world, channel.id, user, ts):
        known = [one["ts"] for one in notes_for(world.workspace, channel.id, user)]
        raise ControlError(
            field="ts", expected="the ts of a private note", known=known, error="message_not_found", status=404
        )
    return web.json_response({"ok": True})


def _who_where(world: World, body: Payload) -> tuple[UserId, Channel, Ts | None]:
    user = person_in(world.workspace, body).id
    channel = channel_in(world.workspace, body, user)
    return user, channel, thread_in(world.workspace, body, channel)


def _who_writes_where(world: World, body: Payload) -> tuple[UserId, Channel, Ts | None]:
    """As `_who_where`, for what the client lets active people do in living channels only.

    A press or a submit is not of that kind: one that was on its way still arrives.
    """
    _active(person_in(world.workspace, body))
    user, channel, thread_ts = _who_where(world, body)
    if channel.is_archived:
        raise ControlError(field="channel", expected="a channel that is not archived")
    return user, channel, thread_ts


def _active(person: Person) -> Person:
    if person.deleted:
        raise ControlError(field="user", expected=f"an active account; {person.id} was deactivated")
    return person


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


def _visible_view(world: World, request: web.Request, body: Payload) -> tuple[UserId, Payload]:
    """A Home, or the topmost modal: what lies under another modal cannot be reached."""
    user, view = _view(world, request, body)
    stack = stack_of(world.workspace, user)
    if view["type"] == "modal" and view["id"] != stack[-1]["id"]:
        raise ControlError(field="view_id", expected="the modal on top", known=[stack[-1]["id"]])
    return user, view


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
