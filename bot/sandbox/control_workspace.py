"""The control API, changing who and what there is: people, user groups, channels, the time, faults, all of it anew."""

import math
from dataclasses import replace
from typing import Final

from aiohttp import web

from bot.sandbox.clock_offset import FARTHEST_S, set_offset
from bot.sandbox.control_faults import change_faults
from bot.sandbox.control_input import ControlError, flag_in, person_in, person_named, text_in, texts_in
from bot.sandbox.events import archived, member_joined
from bot.sandbox.publishing import channel_record, publish_channel, publish_group, publish_person, tell_bot
from bot.sandbox.vocabulary import ChannelId, GroupId, Payload, UserId
from bot.sandbox.workspace import Channel, Person, UserGroup, next_id, put_channel, put_group, put_person
from bot.sandbox.world import World, reset

_TEXTS: Final = ("title", "locale", "email")
_FLAGS: Final = ("deleted", "is_restricted", "is_ultra_restricted", "is_stranger")


async def change_a_person(world: World, request: web.Request, body: Payload) -> web.Response:
    """Change somebody: deactivate them, make them a guest or a stranger, give them another language."""
    old = person_in(world.workspace, body)
    if old.is_bot:
        raise ControlError(field="user", expected="a person, not an app")
    new = _changed(old, body)
    if new != old:
        put_person(world.workspace, new)
        publish_person(world, new.id)
    return web.json_response({"ok": True, "user": _person_shown(new)})


async def put_a_group(world: World, request: web.Request, body: Payload) -> web.Response:
    """Create a user group, or change one: its members, its name, whether it is disabled."""
    workspace = world.workspace
    handle = text_in(body, "handle").removeprefix("@").casefold()
    if not handle:
        raise ControlError(field="handle", expected="a handle")
    before = next((one for one in workspace.groups.values() if one.handle == handle), None)
    named = dict.fromkeys(person_named(workspace, one, "members").id for one in texts_in(body, "members"))
    now = int(world.now())
    old = before or UserGroup(id=GroupId(next_id(workspace, "S")), handle=handle, name=handle, created=now, updated=now)
    new = replace(
        old,
        name=text_in(body, "name", old.name),
        members=tuple(named) if "members" in body else old.members,
        is_disabled=flag_in(body, "is_disabled", default=old.is_disabled),
    )
    if before is None or new != old:
        new = replace(new, updated=now)
        put_group(workspace, new)
        publish_group(world, new, before)
    shown = {"id": new.id, "handle": new.handle, "name": new.name, "members": list(new.members)}
    return web.json_response({"ok": True, "usergroup": {**shown, "is_disabled": new.is_disabled}})


async def put_a_channel(world: World, request: web.Request, body: Payload) -> web.Response:
    """Create a channel, or change one: its members, whether it is private, archived or shared with another company."""
    workspace = world.workspace
    inviter = None if body.get("user") is None else person_in(workspace, body).id
    name = text_in(body, "name").lstrip("#")
    before = next((one for one in workspace.channels.values() if one.name == name and not one.is_im), None)
    named = tuple(person_named(workspace, one, "members").id for one in texts_in(body, "members"))
    old = before or Channel(id=ChannelId(next_id(workspace, "C")), name=name, members=named, created=int(world.now()))
    flags = {field: flag_in(body, field, default=bool(getattr(old, field))) for field in _CHANNEL_FLAGS}
    channel = replace(old, members=named if "members" in body else old.members, **flags)
    put_channel(workspace, channel)
    publish_channel(world, channel.id)
    _tell_of_channel(world, channel, before, inviter)
    return web.json_response({"ok": True, "channel": channel_record(world, channel.id)})


async def move_clock(world: World, request: web.Request, body: Payload) -> web.Response:
    """Move the sandbox's time, and the bot's with it, forward by advance_s; with reset, back to real time first."""
    is_reset = flag_in(body, "reset", default=False)
    offset = 0.0 if is_reset else world.offset_s
    if "advance_s" in body or not is_reset:
        offset += _seconds_forward(body)
    if offset > FARTHEST_S:
        raise ControlError(field="advance_s", expected=f"no more than {FARTHEST_S} seconds in all")
    set_offset(world, offset)
    return web.json_response({"ok": True, "now": world.now(), "offset_s": world.offset_s})


async def faults(world: World, request: web.Request, body: Payload) -> web.Response:
    """Set, turn or clear faults; the answer lists what is set."""
    return web.json_response({"ok": True, "faults": change_faults(world, body)})


async def start_over(world: World, request: web.Request, body: Payload) -> web.Response:
    """Back to the seeded workspace; the bot stays connected, and the time stays where it was moved."""
    reset(world)
    return web.json_response({"ok": True})


def _changed(old: Person, body: Payload) -> Person:
    texts = {field: text_in(body, field) for field in _TEXTS if field in body}
    flags = {field: flag_in(body, field) for field in _FLAGS if field in body}
    # A single-channel guest is a guest: what is not said about the other flag follows from that.
    if flags.get("is_ultra_restricted"):
        flags.setdefault("is_restricted", True)
    if flags.get("is_restricted") is False:
        flags.setdefault("is_ultra_restricted", False)
    new = replace(old, **texts, **flags)
    if new.is_ultra_restricted and not new.is_restricted:
        raise ControlError(field="is_restricted", expected="true for a single-channel guest (is_ultra_restricted)")
    return new


def _person_shown(person: Person) -> Payload:
    return {"id": person.id, **{field: getattr(person, field) for field in (*_TEXTS, *_FLAGS)}}


def _tell_of_channel(world: World, channel: Channel, before: Channel | None, actor: UserId | None) -> None:
    workspace = world.workspace
    has_bot = workspace.app.bot_user_id in channel.members
    for user in channel.members:
        if has_bot and (before is None or user not in before.members):
            tell_bot(world, member_joined(workspace, channel, user, actor, world.now()))
    # Of public channels everybody hears, of private ones their members.
    if before is not None and before.is_archived != channel.is_archived and (has_bot or not channel.is_private):
        tell_bot(world, archived(workspace, channel, actor or next(iter(workspace.people)), world.now()))


def _seconds_forward(body: Payload) -> float:
    value = body.get("advance_s")
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or value <= 0:
        raise ControlError(field="advance_s", expected="seconds, more than 0")
    return float(value)


_CHANNEL_FLAGS: Final = ("is_private", "is_archived", "is_ext_shared")
