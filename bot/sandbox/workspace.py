"""What is in the workspace, and what changes when something is said, edited, deleted or shown.

Pure: no clock, no network; the present is an argument. Messages and views are Slack's own JSON objects and are
replaced, never altered in place, so that a reader may keep one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.sandbox.vocabulary import ChannelId, GroupId, Payload, Ts, UserId

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A workspace's name card: our own, or that of a company that shares a channel with us."""

    id: str
    name: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """The installed app: its ids and the name people see."""

    id: str
    name: str
    bot_user_id: UserId
    bot_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One account, of a person or of a bot."""

    id: UserId
    name: str
    real_name: str
    title: str = ""
    locale: str = "en-US"
    tz: str = "Etc/UTC"
    tz_offset: int = 0
    color: str = "4a154b"
    email: str = ""
    team_id: str
    is_bot: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel, or a person's direct message with the app (`user` is then that person)."""

    id: ChannelId
    name: str
    members: tuple[UserId, ...]
    is_im: bool = False
    is_private: bool = False
    is_archived: bool = False
    is_ext_shared: bool = False
    """Whether another company's people can be in it (Slack Connect)."""
    user: UserId | None = None
    created: int = 0

    @property
    def kind(self) -> str:
        """The channel's kind as events name it: im, group or channel."""
        if self.is_im:
            return "im"
        return "group" if self.is_private else "channel"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserGroup:
    """People who are mentioned and asked together, under one handle."""

    id: GroupId
    handle: str
    """Without the @."""
    name: str
    members: tuple[UserId, ...] = ()
    is_disabled: bool = False
    created: int = 0
    updated: int = 0
    """When its members or its state last changed, in Unix seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateNote:
    """An ephemeral message: one reader, one place, never part of the history."""

    channel: ChannelId
    user: UserId
    message: Payload


@dataclass(slots=True, kw_only=True)
class Workspace:
    """All that a workspace remembers; the one mutable record, changed only by the functions below and in views.py."""

    team: Team
    app: AppIdentity
    connected: tuple[Team, ...] = ()
    """Other companies whose people may be in a shared channel."""
    people: dict[UserId, Person] = field(default_factory=dict[UserId, Person])
    channels: dict[ChannelId, Channel] = field(default_factory=dict[ChannelId, Channel])
    groups: dict[GroupId, UserGroup] = field(default_factory=dict[GroupId, UserGroup])
    messages: dict[ChannelId, dict[Ts, Payload]] = field(default_factory=dict[ChannelId, dict[Ts, Payload]])
    notes: list[PrivateNote] = field(default_factory=list[PrivateNote])
    modals: dict[UserId, list[Payload]] = field(default_factory=dict[UserId, list[Payload]])
    homes: dict[UserId, Payload] = field(default_factory=dict[UserId, Payload])
    sessions: dict[tuple[ChannelId, Ts], Payload] = field(default_factory=dict[tuple[ChannelId, Ts], Payload])
    posted_as: dict[str, tuple[ChannelId, Ts]] = field(default_factory=dict[str, tuple[ChannelId, Ts]])
    """client_msg_id -> where that message went; kept after a delete, so that a replay is told."""
    former: dict[tuple[ChannelId, Ts], list[Payload]] = field(default_factory=dict[tuple[ChannelId, Ts], list[Payload]])
    """What a changed message showed before, oldest first: a client that is behind can still press what it shows."""
    typed: dict[tuple[UserId, str], dict[str, Payload]] = field(
        default_factory=dict[tuple[UserId, str], dict[str, Payload]]
    )
    """(person, message or view) -> block_id -> action_id -> state entry: what stands in the inputs before a submit."""
    serial: int = 0
    last_tick: int = 0


def next_id(workspace: Workspace, prefix: str) -> str:
    """A fresh id in Slack's look: the prefix, then ten capitals and digits."""
    workspace.serial += 1
    number, digits = workspace.serial, ""
    while number:
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return f"{prefix}0{digits.rjust(9, '0')}"


def next_ts(workspace: Workspace, now: float) -> Ts:
    """A ts that is later than every one given before, whatever the clock says."""
    workspace.last_tick = max(int(now * 1_000_000), workspace.last_tick + 1)
    seconds, micros = divmod(workspace.last_tick, 1_000_000)
    return Ts(f"{seconds}.{micros:06d}")


def put_person(workspace: Workspace, person: Person) -> None:
    """Put an account into the workspace, or replace what is known of it."""
    workspace.people[person.id] = person


def put_group(workspace: Workspace, group: UserGroup) -> None:
    """Create a user group, or replace what is known of it."""
    workspace.groups[group.id] = group


def team_of(workspace: Workspace, user: UserId) -> Team:
    """The workspace the account belongs to: ours, or another company's."""
    team_id = workspace.people[user].team_id
    return next((team for team in workspace.connected if team.id == team_id), workspace.team)


def put_channel(workspace: Workspace, channel: Channel) -> None:
    """Create a channel, or replace what is known of it; its messages stay."""
    workspace.channels[channel.id] = channel
    workspace.messages.setdefault(channel.id, {})


def join(workspace: Workspace, channel_id: ChannelId, user: UserId) -> bool:
    """Make the account a member; False when it already was."""
    channel = workspace.channels[channel_id]
    if user in channel.members:
        return False
    workspace.channels[channel_id] = replace(channel, members=(*channel.members, user))
    return True


def im_with(workspace: Workspace, user: UserId) -> Channel | None:
    """The direct message between the app and this person, if there is one."""
    return next((one for one in workspace.channels.values() if one.is_im and one.user == user), None)


def find_message(workspace: Workspace, channel: ChannelId, ts: str) -> Payload | None:
    """The stored message, or None; private notes are not stored messages."""
    return workspace.messages.get(channel, {}).get(Ts(ts))


def is_root(message: Mapping[str, Any]) -> bool:
    """Whether replies may hang on this message: it is no reply itself."""
    return message.get("thread_ts") in (None, message["ts"])


def post(workspace: Workspace, channel: ChannelId, message: Payload, now: float) -> Payload:
    """The message as stored: with its ts, and counted on its thread's root."""
    ts = next_ts(workspace, now)
    stored: Payload = {**message, "ts": ts}
    thread_ts = stored.get("thread_ts")
    root = None if thread_ts is None else find_message(workspace, channel, thread_ts)
    if root is not None:
        stored["parent_user_id"] = root.get("user", "")
    workspace.messages[channel][ts] = stored
    if root is not None:
        _count_replies(workspace, channel, Ts(root["ts"]))
    client_msg_id = stored.get("client_msg_id")
    if isinstance(client_msg_id, str):
        workspace.posted_as[client_msg_id] = (channel, ts)
    return stored


def replace_message(workspace: Workspace, channel: ChannelId, message: Payload) -> None:
    """Put a changed message in the place of the one with its ts; what it showed before is remembered."""
    ts = Ts(message["ts"])
    workspace.former.setdefault((channel, ts), []).append(workspace.messages[channel][ts])
    workspace.messages[channel][ts] = message


def remove(workspace: Workspace, channel: ChannelId, ts: Ts) -> Payload | None:
    """Take a message away; a root with replies leaves a tombstone, which is returned."""
    gone = workspace.messages[channel].pop(ts)
    if gone.get("reply_count"):
        tombstone: Payload = {
            **{key: gone[key] for key in ("type", "ts", "thread_ts", "reply_count", "reply_users", "latest_reply")},
            "reply_users_count": gone["reply_users_count"],
            "subtype": "tombstone",
            "user": "USLACKBOT",
            "text": "This message was deleted.",
            "hidden": True,
        }
        workspace.messages[channel][ts] = tombstone
        _in_order(workspace, channel)
        return tombstone
    if not is_root(gone):
        _count_replies(workspace, channel, Ts(gone["thread_ts"]))
    return None


def messages_of(workspace: Workspace, channel: ChannelId) -> list[Payload]:
    """All messages of a channel, replies too, oldest first."""
    return list(workspace.messages[channel].values())


def thread_of(workspace: Workspace, channel: ChannelId, root: Ts) -> list[Payload]:
    """A root and its replies, oldest first; empty when there is no such root."""
    return [one for one in messages_of(workspace, channel) if one["ts"] == root or one.get("thread_ts") == root]


def put_note(workspace: Workspace, note: PrivateNote) -> None:
    """Show a private note, in the place of an earlier one with the same ts if there is one."""
    drop_note(workspace, note.channel, note.user, note.message["ts"])
    workspace.notes.append(note)


def find_note(workspace: Workspace, channel: ChannelId, user: UserId, ts: str) -> PrivateNote | None:
    """The private note this person sees there under that ts, or None."""
    return next(
        (one for one in workspace.notes if (one.channel, one.user, one.message["ts"]) == (channel, user, ts)), None
    )


def drop_note(workspace: Workspace, channel: ChannelId, user: UserId, ts: str) -> bool:
    """Take a private note away; False when there was none."""
    found = find_note(workspace, channel, user, ts)
    if found is None:
        return False
    workspace.notes.remove(found)
    return True


def notes_for(workspace: Workspace, channel: ChannelId, user: UserId) -> list[Payload]:
    """The private notes this person sees in this channel, marked as ephemeral, oldest first."""
    return [{**one.message, "ephemeral": True} for one in workspace.notes if (one.channel, one.user) == (channel, user)]


def _count_replies(workspace: Workspace, channel: ChannelId, root_ts: Ts) -> None:
    root = find_message(workspace, channel, root_ts)
    if root is None:
        return
    replies = [one for one in thread_of(workspace, channel, root_ts) if one["ts"] != root_ts]
    kept = {key: value for key, value in root.items() if key not in _ROOT_FIELDS}
    if replies:
        users = list(dict.fromkeys(str(one.get("user") or one.get("bot_id", "")) for one in replies))
        kept |= {
            "thread_ts": root_ts,
            "reply_count": len(replies),
            "reply_users_count": len(users),
            "latest_reply": replies[-1]["ts"],
            "reply_users": users,
            "is_locked": False,
            "subscribed": True,
        }
    workspace.messages[channel][root_ts] = kept


def _in_order(workspace: Workspace, channel: ChannelId) -> None:
    workspace.messages[channel] = dict(sorted(workspace.messages[channel].items()))


_ROOT_FIELDS = frozenset(
    ("thread_ts", "reply_count", "reply_users_count", "latest_reply", "reply_users", "is_locked", "subscribed")
)
