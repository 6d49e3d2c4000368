"""Telling the pages and the bot what happened to a message, a private note or a view."""

from dataclasses import asdict

from bot.sandbox import events
from bot.sandbox.records import account_record
from bot.sandbox.typed_text import mentions
from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId
from bot.sandbox.workspace import PrivateNote, UserGroup, drop_note, find_message, put_note
from bot.sandbox.world import World


def publish_posted(world: World, channel_id: ChannelId, message: Payload) -> None:
    """A message is there: the pages show it, the bot hears of it, and of a mention besides."""
    _show(world, channel_id, message)
    workspace, channel = world.workspace, world.workspace.channels[channel_id]
    bot = workspace.app.bot_user_id
    told: list[Payload] = []
    # Slack sends both for one mention in a channel the bot is in: same ts, two event ids. In a direct message only one.
    if not channel.is_im and message.get("user") != bot and mentions(message["text"], bot):
        told.append(events.app_mentioned(channel, message))
    if bot in channel.members:
        told.append(events.message_posted(workspace, channel, message))
    tell_bot(world, *told)


def publish_changed(world: World, channel_id: ChannelId, old: Payload, new: Payload) -> None:
    """A message reads differently: the pages and the bot are told."""
    _show(world, channel_id, new)
    channel = world.workspace.channels[channel_id]
    tell_bot(world, events.message_changed(world.workspace, channel, old, new, world.now()))


def publish_changed_quietly(world: World, channel_id: ChannelId, new: Payload) -> None:
    """Something about a message has changed that is no edit, as a reaction: only the pages are told."""
    _show(world, channel_id, new)


def publish_deleted(world: World, channel_id: ChannelId, old: Payload, tombstone: Payload | None) -> None:
    """A message is gone, or is a tombstone now: the pages and the bot are told."""
    if tombstone is None:
        world.feed.send({"type": "message_deleted", "channel": channel_id, "ts": old["ts"]})
        _show_root_of(world, channel_id, old)
    else:
        _show(world, channel_id, tombstone)
    channel = world.workspace.channels[channel_id]
    tell_bot(world, events.message_deleted(world.workspace, channel, old, world.now()))


def publish_channel(world: World, channel_id: ChannelId) -> None:
    """A channel is new or has changed: the pages are told."""
    world.feed.send({"type": "channel", "channel": channel_record(world, channel_id)})


def publish_person(world: World, user: UserId) -> None:
    """An account has changed: the pages and the bot are told."""
    person = world.workspace.people[user]
    world.feed.send({"type": "user", "user": asdict(person)})
    record = account_record(person, has_email="users:read.email" in world.manifest.scopes, has_locale=True)
    tell_bot(world, events.user_changed(world.workspace, record, world.now()))


def publish_group(world: World, group: UserGroup, before: UserGroup | None) -> None:
    """A user group is new, or is not what it was before: the pages and the bot are told."""
    world.feed.send({"type": "usergroup", "usergroup": asdict(group)})
    workspace, now = world.workspace, world.now()
    if before is None:
        tell_bot(world, events.group_created(workspace, group, now))
        return
    if before.members != group.members:
        tell_bot(world, events.group_members_changed(workspace, before, group, now))
    tell_bot(world, events.group_updated(workspace, group, now))


def show_note(world: World, channel: ChannelId, user: UserId, message: Payload) -> None:
    """Put a private note before its one reader."""
    put_note(world.workspace, PrivateNote(channel=channel, user=user, message=message))
    shown = {**message, "ephemeral": True}
    world.feed.send({"type": "ephemeral", "channel": channel, "user": user, "message": shown})


def hide_note(world: World, channel: ChannelId, user: UserId, ts: str) -> bool:
    """Take a private note away; False when there was none."""
    gone = drop_note(world.workspace, channel, user, ts)
    if gone:
        world.feed.send({"type": "ephemeral_deleted", "channel": channel, "user": user, "ts": ts})
    return gone


def show_view(world: World, user: UserId, view: Payload) -> None:
    """A view is there or has changed: the pages are told."""
    world.feed.send({"type": "home" if view["type"] == "home" else "view", "user": user, "view": view})


def hide_views(world: World, user: UserId, views: list[Payload]) -> None:
    """Views are gone: the pages are told, topmost first."""
    for view in views:
        world.feed.send({"type": "view_closed", "user": user, "view_id": view["id"]})


def tell_bot(world: World, *happened: Payload) -> None:
    """Deliver the events the manifest asks for."""
    now = world.now()
    wanted = [event for event in happened if events.is_subscribed(world.manifest, event)]
    world.delivery.send_events(*(events.callback(world.workspace, event, now) for event in wanted))


def channel_record(world: World, channel_id: ChannelId) -> Payload:
    """A channel as the pages and the control API see it."""
    channel = world.workspace.channels[channel_id]
    record: Payload = {
        "id": channel.id,
        "name": channel.name,
        "is_im": channel.is_im,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "is_ext_shared": channel.is_ext_shared,
        "members": list(channel.members),
    }
    return {**record, "user": channel.user} if channel.user is not None else record


def _show(world: World, channel_id: ChannelId, message: Payload) -> None:
    world.feed.send({"type": "message", "channel": channel_id, "message": message})
    _show_root_of(world, channel_id, message)


def _show_root_of(world: World, channel_id: ChannelId, message: Payload) -> None:
    thread_ts = message.get("thread_ts")
    if thread_ts is None or thread_ts == message["ts"]:
        return
    root = find_message(world.workspace, channel_id, Ts(thread_ts))
    if root is not None:
        # Its reply count has changed.
        world.feed.send({"type": "message", "channel": channel_id, "message": root})
