"""Which channel, thread or account a method means, and whether the bot may go there.

Source: Slack's reference, the error tables of chat.postMessage and conversations.info.
"""

from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId
from bot.sandbox.workspace import Channel, Person, Workspace, find_message, im_with, is_root
from bot.sandbox.world import World


def channel_at(workspace: Workspace, given: str) -> Channel:
    """The channel with this id, as far as the bot can see it.

    Raises RefusedError: channel_not_found. A private channel the bot is not in does not exist for it.
    """
    channel = workspace.channels.get(ChannelId(given))
    if channel is None or (channel.is_private and workspace.app.bot_user_id not in channel.members):
        raise RefusedError("channel_not_found")
    return channel


def joined_channel(workspace: Workspace, given: str) -> Channel:
    """The channel with this id, of which the bot is a member.

    Raises RefusedError: channel_not_found or not_in_channel.
    """
    channel = channel_at(workspace, given)
    if workspace.app.bot_user_id not in channel.members:
        raise RefusedError("not_in_channel")
    return channel


def writable_channel(workspace: Workspace, given: str) -> Channel:
    """Where a post goes: a channel's id or name, or a person's id for the direct message with them.

    Raises RefusedError: channel_not_found, is_archived or not_in_channel.
    """
    direct = im_with(workspace, UserId(given))
    name = given.removeprefix("#")
    named = next((one for one in workspace.channels.values() if one.name == name and not one.is_im), None)
    target = direct or named
    channel = channel_at(workspace, given if target is None else target.id)
    if channel.is_archived:
        raise RefusedError("is_archived")
    return joined_channel(workspace, channel.id)


def person_at(workspace: Workspace, given: str) -> Person:
    """The account with this id.

    Raises RefusedError: user_not_found.
    """
    person = workspace.people.get(UserId(given))
    if person is None:
        raise RefusedError("user_not_found")
    return person


def message_at(workspace: Workspace, channel: Channel, ts: str) -> Payload:
    """The stored message with this ts.

    Raises RefusedError: message_not_found.
    """
    message = find_message(workspace, channel.id, ts)
    if message is None or message.get("subtype") == "tombstone":
        raise RefusedError("message_not_found")
    return message


def thread_root(workspace: Workspace, channel: Channel, thread_ts: str) -> Ts:
    """The root of a thread that takes replies.

    Raises RefusedError: thread_not_found, or cannot_reply_to_message when the ts is a reply's own.
    """
    root = find_message(workspace, channel.id, thread_ts)
    if root is None:
        raise RefusedError("thread_not_found")
    if not is_root(root):
        raise RefusedError("cannot_reply_to_message")
    return Ts(root["ts"])


def need_scope(world: World, scope: str) -> None:
    """Go on only if the app's manifest asks for the scope.

    Raises RefusedError: missing_scope, with what is needed and what is granted.
    """
    if scope not in world.manifest.scopes:
        raise RefusedError("missing_scope", needed=scope, provided=",".join(sorted(world.manifest.scopes)))


def need_channel_scope(world: World, channel: Channel, right: str) -> None:
    """Go on only if the app may read (or see the history of) channels of this kind.

    Raises RefusedError: missing_scope.
    """
    family = {"im": "im", "group": "groups", "channel": "channels"}[channel.kind]
    need_scope(world, f"{family}:{right}")
