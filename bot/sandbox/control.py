"""The control API: every route of it, the workspace's own switches, and how wrong input is answered."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from aiohttp import web

from bot.sandbox import control_acts, control_looks
from bot.sandbox.control_faults import change_faults
from bot.sandbox.control_input import ControlError, body_of, flag_in, person_in, person_named, text_in, texts_in
from bot.sandbox.events import member_joined
from bot.sandbox.inputs import ChoiceError
from bot.sandbox.publishing import channel_record, publish_channel, tell_bot
from bot.sandbox.vocabulary import ChannelId
from bot.sandbox.workspace import Channel, next_id, put_channel
from bot.sandbox.world import World, reset

Handler: TypeAlias = Callable[[World, web.Request], Awaitable[web.Response]]


async def answer_control(world: World, handler: Handler, request: web.Request) -> web.Response:
    """The handler's answer; what it cannot read comes back as 400 or 404 with the field and how to mend it."""
    try:
        return await handler(world, request)
    except ControlError as error:
        return web.json_response(error.answer(), status=error.status)
    except ChoiceError as error:
        told = ControlError(field="value", expected=error.expected, known=error.known)
        return web.json_response(told.answer(), status=told.status)


async def faults(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/faults: set, turn or clear faults; the answer lists what is set."""
    allowed = ("method", "times", "fault", "retry_after", "delivery", "seconds", "only", "switch", "on", "clear")
    body = await body_of(request, allowed=allowed)
    return web.json_response({"ok": True, "faults": change_faults(world, body)})


async def start_over(world: World, request: web.Request) -> web.Response:
    """POST /sandbox/reset: back to the seeded workspace; the bot stays connected."""
    reset(world)
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


ROUTES: Final[tuple[tuple[str, str, Handler], ...]] = (
    ("GET", "/sandbox/ready", control_looks.ready),
    ("GET", "/sandbox/state", control_looks.state),
    ("POST", "/sandbox/messages", control_acts.say),
    ("POST", "/sandbox/messages/edit", control_acts.edit),
    ("POST", "/sandbox/messages/delete", control_acts.delete),
    ("POST", "/sandbox/commands", control_acts.command),
    ("POST", "/sandbox/actions", control_acts.press),
    ("GET", "/sandbox/views", control_looks.views),
    ("POST", "/sandbox/views/{view_id}/submit", control_acts.submit),
    ("POST", "/sandbox/views/{view_id}/close", control_acts.close),
    ("POST", "/sandbox/views/{view_id}/actions", control_acts.press_in_view),
    ("POST", "/sandbox/home", control_acts.open_home),
    ("POST", "/sandbox/channels", put_a_channel),
    ("GET", "/sandbox/channels/{channel}/messages", control_looks.messages),
    ("GET", "/sandbox/channels/{channel}/threads/{ts}", control_looks.thread),
    ("GET", "/sandbox/calls", control_looks.calls),
    ("GET", "/sandbox/deliveries", control_looks.deliveries),
    ("POST", "/sandbox/faults", faults),
    ("POST", "/sandbox/reset", start_over),
    ("POST", "/sandbox/private_notes/dismiss", control_acts.dismiss),
)
