"""The conversations.* methods: what channels there are, who is in them, what was said.

Source: Slack's reference, conversations.*: arguments and Errors.
"""

from typing import Final

from bot.sandbox import events
from bot.sandbox.methods.method import Args, Method, Tier, flag, text
from bot.sandbox.methods.paging import PAGE_ARGS, page_of
from bot.sandbox.methods.places import (
    channel_at,
    joined_channel,
    need_channel_scope,
    person_at,
)
from bot.sandbox.publishing import publish_channel, tell_bot
from bot.sandbox.refusals import RefusedError, explained
from bot.sandbox.vocabulary import Payload, Ts
from bot.sandbox.workspace import Channel, Workspace, find_message, im_with, is_root, join, messages_of, thread_of
from bot.sandbox.world import World

_KINDS: Final = {"public_channel": "channel", "private_channel": "group", "im": "im"}


def open_conversation(world: World, args: Args) -> Payload:
    """conversations.open: the direct message with a person."""
    users = [one for one in args.get("users", "").split(",") if one]
    if "channel" in args:
        channel = channel_at(world.workspace, args["channel"])
    elif len(users) == 1:
        person = person_at(world.workspace, users[0])
        if person.deleted:
            raise RefusedError("user_disabled")
        found = im_with(world.workspace, person.id)
        if found is None:
            raise RefusedError("user_not_found")
        channel = found
    else:
        raise explained("invalid_arguments", "one user is needed: the sandbox has no group messages")
    shown = _record(world.workspace, channel) if args.get("return_im") else {"id": channel.id}
    return {"ok": True, "no_op": True, "already_open": True, "channel": shown}


def conversation_info(world: World, args: Args) -> Payload:
    """conversations.info: one channel."""
    channel = channel_at(world.workspace, args["channel"])
    need_channel_scope(world, channel, "read")
    record = _record(world.workspace, channel)
    if args.get("include_num_members"):
        record["num_members"] = len(channel.members)
    return {"ok": True, "channel": record}


def list_conversations(world: World, args: Args) -> Payload:
    """conversations.list: the channels of some kinds; private ones and direct messages only where the bot is in."""
    wanted = [_KINDS.get(one.strip(), "") for one in (args.get("types") or "public_channel").split(",")]
    bot = world.workspace.app.bot_user_id
    found = [
        channel
        for channel in world.workspace.channels.values()
        if channel.kind in wanted
        and (channel.kind == "channel" or bot in channel.members)
        and not (channel.is_archived and args.get("exclude_archived"))
    ]
    for channel in found:
        need_channel_scope(world, channel, "read")
    page, paging = page_of(found, args)
    return {"ok": True, "channels": [_record(world.workspace, channel) for channel in page], **paging}


def conversation_members(world: World, args: Args) -> Payload:
    """conversations.members: who is in a channel."""
    channel = channel_at(world.workspace, args["channel"])
    need_channel_scope(world, channel, "read")
    page, paging = page_of(channel.members, args)
    return {"ok": True, "members": page, **paging}


def conversation_history(world: World, args: Args) -> Payload:
    """conversations.history: what was said outside threads, newest first."""
    channel = joined_channel(world.workspace, args["channel"])
    need_channel_scope(world, channel, "history")
    said = [
        one
        for one in reversed(messages_of(world.workspace, channel.id))
        if (is_root(one) or one.get("subtype") == "thread_broadcast") and _within(one, args)
    ]
    page, paging = page_of(said, args)
    more = bool(paging["response_metadata"]["next_cursor"])
    messages = [_readable(one, args) for one in page]
    return {"ok": True, "messages": messages, "has_more": more, "pin_count": 0, **paging}


def conversation_replies(world: World, args: Args) -> Payload:
    """conversations.replies: a root and its replies, oldest first; of a reply's ts, that reply alone."""
    channel = joined_channel(world.workspace, args["channel"])
    need_channel_scope(world, channel, "history")
    message = find_message(world.workspace, channel.id, args["ts"])
    if message is None:
        raise RefusedError("thread_not_found")
    thread = thread_of(world.workspace, channel.id, Ts(message["ts"])) if is_root(message) else [message]
    said = [one for one in thread if one["ts"] == message["ts"] or _within(one, args)]
    page, paging = page_of(said, args, usual=1_000)
    more = bool(paging["response_metadata"]["next_cursor"])
    return {"ok": True, "messages": [_readable(one, args) for one in page], "has_more": more, **paging}


def join_conversation(world: World, args: Args) -> Payload:
    """conversations.join: make the bot a member of a public channel."""
    workspace = world.workspace
    channel = channel_at(workspace, args["channel"])
    if channel.kind != "channel":
        raise RefusedError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise RefusedError("is_archived")
    bot = workspace.app.bot_user_id
    if not join(workspace, channel.id, bot):
        already = {"warning": "already_in_channel", "response_metadata": {"warnings": ["already_in_channel"]}}
        return {"ok": True, "channel": _record(workspace, channel), **already}
    joined = workspace.channels[channel.id]
    publish_channel(world, channel.id)
    tell_bot(world, events.member_joined(workspace, joined, bot, None, world.now()))
    return {"ok": True, "channel": _record(workspace, joined)}


def _record(workspace: Workspace, channel: Channel) -> Payload:
    common: Payload = {
        "id": channel.id,
        "created": channel.created,
        "is_im": channel.is_im,
        "is_org_shared": False,
        "context_team_id": workspace.team.id,
    }
    if channel.is_im:
        is_gone = channel.user is not None and workspace.people[channel.user].deleted
        return {**common, "is_archived": channel.is_archived, "user": channel.user, "is_user_deleted": is_gone}
    return {
        **common,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_general": channel.name == "general",
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_member": workspace.app.bot_user_id in channel.members,
        "num_members": len(channel.members),
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        **_shared_with(workspace, channel),
    }


def _shared_with(workspace: Workspace, channel: Channel) -> Payload:
    if not channel.is_ext_shared:
        return {}
    others = [team.id for team in workspace.connected]
    return {
        "shared_team_ids": [workspace.team.id, *others],
        "connected_team_ids": others,
        "is_pending_ext_shared": False,
    }


def _within(message: Payload, args: Args) -> bool:
    ts, oldest, latest = message["ts"], args.get("oldest"), args.get("latest")
    if args.get("inclusive") and ts in (oldest, latest):
        return True
    return (not oldest or float(ts) > float(oldest)) and (not latest or float(ts) < float(latest))


def _readable(message: Payload, args: Args) -> Payload:
    if args.get("include_all_metadata"):
        return message
    return {key: value for key, value in message.items() if key != "metadata"}


_CHANNEL: Final = text("channel", required=True)
_HISTORY_ARGS: Final = (text("oldest"), text("latest"), flag("inclusive"), flag("include_all_metadata"), *PAGE_ARGS)
_READ: Final = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY: Final = ("channels:history", "groups:history", "im:history", "mpim:history")

CONVERSATION_METHODS: Final = (
    Method(
        name="conversations.open",
        handler=open_conversation,
        tier=Tier.THREE,
        scopes=("im:write", "mpim:write"),
        args=(text("users"), text("channel"), flag("return_im")),
    ),
    Method(
        name="conversations.info",
        handler=conversation_info,
        tier=Tier.THREE,
        scopes=_READ,
        args=(_CHANNEL, flag("include_num_members")),
    ),
    Method(
        name="conversations.list",
        handler=list_conversations,
        tier=Tier.TWO,
        scopes=_READ,
        args=(text("types"), flag("exclude_archived"), *PAGE_ARGS),
    ),
    Method(
        name="conversations.members",
        handler=conversation_members,
        tier=Tier.FOUR,
        scopes=_READ,
        args=(_CHANNEL, *PAGE_ARGS),
    ),
    Method(
        name="conversations.history",
        handler=conversation_history,
        tier=Tier.THREE,
        scopes=_HISTORY,
        args=(_CHANNEL, *_HISTORY_ARGS),
    ),
    Method(
        name="conversations.replies",
        handler=conversation_replies,
        tier=Tier.THREE,
        scopes=_HISTORY,
        args=(_CHANNEL, text("ts", required=True), *_HISTORY_ARGS),
    ),
    Method(
        name="conversations.join",
        handler=join_conversation,
        tier=Tier.THREE,
        scopes=("channels:join",),
        args=(_CHANNEL,),
    ),
)
