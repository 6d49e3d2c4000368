"""The chat.* methods: post, update, delete, private note, permalink."""

from typing import Final

from bot.sandbox.blocks import replaces_rich_text
from bot.sandbox.events import app_message
from bot.sandbox.methods.content import (
    CONTENT_ARGS,
    UPDATE_CHARACTERS,
    Content,
    read_content,
    truncation_warning,
)
from bot.sandbox.methods.method import Args, Method, Tier, flag, text
from bot.sandbox.methods.places import (
    channel_at,
    joined_channel,
    message_at,
    person_at,
    thread_root,
    writable_channel,
)
from bot.sandbox.publishing import publish_changed, publish_deleted, publish_posted, show_note
from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import Payload, Ts, objects_in
from bot.sandbox.workspace import find_message, next_ts, post, remove, replace_message
from bot.sandbox.world import World

NO_FALLBACK: Final = "This content can't be displayed."
"""What Slack keeps as the text of a message that was posted with blocks alone."""


def post_message(world: World, args: Args) -> Payload:
    """chat.postMessage: say something in a channel, a thread or a direct message."""
    workspace = world.workspace
    channel = writable_channel(workspace, args["channel"])
    again = _same_post(world, args)
    if again is not None:
        return again
    content = read_content(workspace, args)
    message: Payload = app_message(workspace, content.text or NO_FALLBACK)
    if args.get("thread_ts"):
        message["thread_ts"] = thread_root(workspace, channel, args["thread_ts"])
        if args.get("reply_broadcast"):
            message["subtype"] = "thread_broadcast"
    if args.get("client_msg_id"):
        message["client_msg_id"] = args["client_msg_id"]
    stored = post(workspace, channel.id, {**message, **_parts(content)}, world.now())
    publish_posted(world, channel.id, stored)
    return {
        "ok": True,
        "channel": channel.id,
        "ts": stored["ts"],
        "message": stored,
        **truncation_warning(content),
    }


def update_message(world: World, args: Args) -> Payload:
    """chat.update: let an own message read differently."""
    workspace = world.workspace
    channel = channel_at(workspace, args["channel"])
    old = message_at(workspace, channel, args["ts"])
    if old.get("bot_id") != workspace.app.bot_id:
        raise RefusedError("cant_update_message")
    if "edit_window_closed" in world.faults.switches:
        raise RefusedError("edit_window_closed")
    if channel.is_archived:
        raise RefusedError("is_archived")
    if len(args.get("text") or "") > UPDATE_CHARACTERS:
        raise RefusedError("msg_too_long")
    content = read_content(workspace, args)
    if content.blocks is not None and replaces_rich_text(objects_in(old.get("blocks")), content.blocks):
        raise RefusedError("block_mismatch")
    new = _updated(old, content)
    if content.blocks is None and new["text"] != old["text"]:
        # Only an update of plain text is marked as edited; one with blocks is not.
        new["edited"] = {"user": workspace.app.bot_user_id, "ts": next_ts(workspace, world.now())}
    replace_message(workspace, channel.id, new)
    publish_changed(world, channel.id, old, new)
    return {"ok": True, "channel": channel.id, "ts": new["ts"], "text": new["text"], "message": new}


def delete_message(world: World, args: Args) -> Payload:
    """chat.delete: take an own message away."""
    workspace = world.workspace
    channel = channel_at(workspace, args["channel"])
    old = message_at(workspace, channel, args["ts"])
    if old.get("bot_id") != workspace.app.bot_id:
        raise RefusedError("cant_delete_message")
    tombstone = remove(workspace, channel.id, Ts(old["ts"]))
    publish_deleted(world, channel.id, old, tombstone)
    return {"ok": True, "channel": channel.id, "ts": old["ts"]}


def post_ephemeral(world: World, args: Args) -> Payload:
    """chat.postEphemeral: a private note to one member."""
    workspace = world.workspace
    channel = writable_channel(workspace, args["channel"])
    reader = person_at(workspace, args["user"])
    if reader.id not in channel.members:
        raise RefusedError("user_not_in_channel")
    content = read_content(workspace, args)
    message: Payload = {
        **app_message(workspace, content.text or NO_FALLBACK),
        "ts": next_ts(workspace, world.now()),
        **({"thread_ts": thread_root(workspace, channel, args["thread_ts"])} if args.get("thread_ts") else {}),
        **_parts(content),
    }
    show_note(world, channel.id, reader.id, message)
    return {"ok": True, "message_ts": message["ts"], **truncation_warning(content)}


def get_permalink(world: World, args: Args) -> Payload:
    """chat.getPermalink: an address that shows the message."""
    channel = joined_channel(world.workspace, args["channel"])
    message = message_at(world.workspace, channel, args["message_ts"])
    permalink = f"{world.origin}/archives/{channel.id}/p{message['ts'].replace('.', '')}"
    thread_ts = message.get("thread_ts")
    if thread_ts is not None and thread_ts != message["ts"]:
        permalink += f"?thread_ts={thread_ts}&cid={channel.id}"
    return {"ok": True, "channel": channel.id, "permalink": permalink}


def _same_post(world: World, args: Args) -> Payload | None:
    """The answer of the first call with this client_msg_id, if there was one."""
    place = world.workspace.posted_as.get(args.get("client_msg_id", ""))
    if place is None:
        return None
    channel_id, ts = place
    message = find_message(world.workspace, channel_id, ts)
    if message is None or message.get("subtype") == "tombstone":
        raise RefusedError("duplicate_message_not_found")
    return {"ok": True, "channel": channel_id, "ts": ts, "message": message}


def _parts(content: Content) -> Payload:
    parts: Payload = {} if content.blocks is None else {"blocks": content.blocks}
    return {**parts, "metadata": content.metadata} if content.metadata else parts


def _updated(old: Payload, content: Content) -> Payload:
    """Text alone drops the old blocks; blocks alone keep the old text; metadata stays unless it is given."""
    new = {key: value for key, value in old.items() if key != "blocks"}
    if content.text is not None:
        new["text"] = content.text
    if content.blocks:
        new["blocks"] = content.blocks
    if content.metadata is not None:
        new.pop("metadata", None)
        if content.metadata:
            new["metadata"] = content.metadata
    return new


_WRITE: Final = ("chat:write",)

CHAT_METHODS: Final = (
    Method(
        name="chat.postMessage",
        handler=post_message,
        tier=Tier.SPECIAL,
        scopes=_WRITE,
        args=(
            text("channel", required=True),
            text("thread_ts"),
            text("client_msg_id"),
            flag("reply_broadcast"),
            *CONTENT_ARGS,
        ),
    ),
    Method(
        name="chat.update",
        handler=update_message,
        tier=Tier.THREE,
        scopes=_WRITE,
        args=(text("channel", required=True), text("ts", required=True), *CONTENT_ARGS),
    ),
    Method(
        name="chat.delete",
        handler=delete_message,
        tier=Tier.THREE,
        scopes=_WRITE,
        args=(text("channel", required=True), text("ts", required=True)),
    ),
    Method(
        name="chat.postEphemeral",
        handler=post_ephemeral,
        tier=Tier.FOUR,
        scopes=_WRITE,
        args=(text("channel", required=True), text("user", required=True), text("thread_ts"), *CONTENT_ARGS),
    ),
    Method(
        name="chat.getPermalink",
        handler=get_permalink,
        tier=Tier.SPECIAL,
        args=(text("channel", required=True), text("message_ts", required=True)),
    ),
)
