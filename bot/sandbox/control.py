"""The control API: every route of it, the workspace's own switches, and how wrong input is answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from aiohttp import web

from bot.sandbox import control_acts, control_looks
from bot.sandbox.control_faults import change_faults
from bot.sandbox.control_input import (
    ControlError,
    body_of,
    flag_in,
    only_known,
    person_in,
    person_named,
    text_in,
    texts_in,
)
from bot.sandbox.events import member_joined
from bot.sandbox.inputs import ChoiceError
from bot.sandbox.publishing import channel_record, publish_channel, tell_bot
from bot.sandbox.vocabulary import ChannelId, Payload
from bot.sandbox.workspace import Channel, next_id, put_channel
from bot.sandbox.world import World, reset

Handler: TypeAlias = Callable[[World, web.Request, Payload], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row: where, by whom it is answered, and the fields it takes (in the body of a POST, in a GET's query)."""

    method: str
    path: str
    handler: Handler
    fields: tuple[str, ...]


async def answer_control(world: World, route: Route, request: web.Request) -> web.Response:
    """The handler's answer; what cannot be read comes back as 400 or 404 with the field and how to mend it."""
    try:
        if route.method == "GET":
            return await route.handler(world, request, dict(request.query))
        body = await body_of(request)
        only_known(body, route.fields)
        return await route.handler(world, request, body)
    except ControlError as error:
        return web.json_response(error.answer(), status=error.status)
    except ChoiceError as error:
        told = ControlError(field="value", expected=error.expected, known=error.known)
        return web.json_response(told.answer(), status=told.status)


async def faults(world: World, request: web.Request, body: Payload) -> web.Response:
    """Set, turn or clear faults; the answer lists what is set."""
    return web.json_response({"ok": True, "faults": change_faults(world, body)})


async def start_over(world: World, request: web.Request, body: Payload) -> web.Response:
    """Back to the seeded workspace; the bot stays connected."""
    reset(world)
    return web.json_response({"ok": True})


async def put_a_channel(world: World, request: web.Request, body: Payload) -> web.Response:
    """Create a channel, or change one: its members, whether it is private or archived."""
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


def _route(where: str, handler: Handler, fields: str = "") -> Route:
    method, path = where.split()
    return Route(method=method, path=path, handler=handler, fields=tuple(fields.split()))


ROUTES: Final = (
    _route("GET /sandbox/ready", control_looks.ready),
    _route("GET /sandbox/state", control_looks.state),
    _route("POST /sandbox/messages", control_acts.say, "user channel text thread_ts reply_broadcast as_bot bot_kind"),
    _route("POST /sandbox/messages/edit", control_acts.edit, "user channel ts text"),
    _route("POST /sandbox/messages/delete", control_acts.delete, "user channel ts"),
    _route("POST /sandbox/commands", control_acts.command, "user channel command text thread_ts"),
    _route("POST /sandbox/actions", control_acts.press, "user channel message_ts action_id block_id value"),
    _route("GET /sandbox/views", control_looks.views, "user"),
    _route("POST /sandbox/views/{view_id}/submit", control_acts.submit, "user values"),
    _route("POST /sandbox/views/{view_id}/close", control_acts.close, "user clear"),
    _route("POST /sandbox/views/{view_id}/actions", control_acts.press_in_view, "user action_id block_id value"),
    _route("POST /sandbox/home", control_acts.open_home, "user tab"),
    _route("POST /sandbox/channels", put_a_channel, "name members is_private is_archived user"),
    _route("GET /sandbox/channels/{channel}/messages", control_looks.messages, "user"),
    _route("GET /sandbox/channels/{channel}/threads/{ts}", control_looks.thread, "user"),
    _route("GET /sandbox/calls", control_looks.calls, "method after wait_s"),
    _route("GET /sandbox/deliveries", control_looks.deliveries, "type acked after wait_s"),
    _route("POST /sandbox/faults", faults, "method times fault retry_after delivery seconds only switch on clear"),
    _route("POST /sandbox/reset", start_over),
    _route("POST /sandbox/private_notes/dismiss", control_acts.dismiss, "user channel ts"),
)
