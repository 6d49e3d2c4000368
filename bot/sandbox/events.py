"""What happened, as the Events API tells it: the event and the body around it.

Pure. The shapes are those of Slack's own samples: a key that is absent there is absent here.
"""

from bot.sandbox.manifest import Manifest
from bot.sandbox.records import group_record
from bot.sandbox.seed import OTHER_BOT
from bot.sandbox.vocabulary import ChannelId, Payload, UserId
from bot.sandbox.workspace import AppIdentity, Channel, UserGroup, Workspace, find_message, next_id, next_ts

VERIFICATION_TOKEN = "deprecated-verification-token"  # noqa: S105 - Slack still sends the field; nobody checks it

_OF_AUTHOR = ("user_team", "source_team", "user_profile")
"""What a message tells of an author who belongs to another company."""
_IN_MENTION = (
    *("user", "ts", "client_msg_id", "text", "team", "thread_ts", "parent_user_id", "blocks", "bot_id", "app_id"),
    *_OF_AUTHOR,
)
_MESSAGE_EVENTS = {"im": "message.im", "group": "message.groups", "channel": "message.channels"}


def is_subscribed(manifest: Manifest, event: Payload) -> bool:
    """Whether the manifest asks for this event."""
    if event["type"] == "message":
        return _MESSAGE_EVENTS[event["channel_type"]] in manifest.bot_events
    return event["type"] in manifest.bot_events


def callback(workspace: Workspace, event: Payload, now: float) -> Payload:
    """The body that carries an event, under an event_id of its own."""
    team_id = workspace.team.id
    channel = workspace.channels.get(ChannelId(str(event.get("channel"))))
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": team_id,
        "context_team_id": team_id,
        "context_enterprise_id": None,
        "api_app_id": workspace.app.id,
        "event": event,
        "type": "event_callback",
        "event_id": next_id(workspace, "Ev"),
        "event_time": int(now),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team_id,
                "user_id": workspace.app.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": channel is not None and channel.is_ext_shared,
        "event_context": f"4-{team_id}-{event.get('channel')}",
    }


def message_posted(workspace: Workspace, channel: Channel, message: Payload) -> Payload:
    """Somebody, or a bot, has posted; a reply that is shown in the channel too brings its root along."""
    event = {**message, "channel": channel.id, "event_ts": message["ts"], "channel_type": channel.kind}
    if message.get("subtype") == "thread_broadcast":
        event["root"] = find_message(workspace, channel.id, message["thread_ts"])
    return event


def app_mentioned(channel: Channel, message: Payload) -> Payload:
    """Somebody has mentioned the app in a channel: the same message again, without a channel_type."""
    mention: Payload = {"type": "app_mention", **{key: message[key] for key in _IN_MENTION if key in message}}
    return {**mention, "channel": channel.id, "event_ts": message["ts"]}


def message_changed(workspace: Workspace, channel: Channel, old: Payload, new: Payload, now: float) -> Payload:
    """A message reads differently now."""
    ts = next_ts(workspace, now)
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "message": {"source_team": workspace.team.id, "user_team": workspace.team.id, **new},
        "previous_message": old,
        "channel": channel.id,
        "ts": ts,
        "event_ts": ts,
        "channel_type": channel.kind,
    }


def message_deleted(workspace: Workspace, channel: Channel, old: Payload, now: float) -> Payload:
    """A message is gone."""
    ts = next_ts(workspace, now)
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "deleted_ts": old["ts"],
        "previous_message": old,
        "channel": channel.id,
        "ts": ts,
        "event_ts": ts,
        "channel_type": channel.kind,
    }


def app_home_opened(workspace: Workspace, user: UserId, channel: ChannelId, tab: str, now: float) -> Payload:
    """A person has opened the app: its Home (with the view, once there is one) or its messages."""
    event: Payload = {"type": "app_home_opened", "user": user, "channel": channel, "tab": tab}
    if tab == "home" and user in workspace.homes:
        event["view"] = workspace.homes[user]
    return {**event, "event_ts": next_ts(workspace, now)}


def member_joined(workspace: Workspace, channel: Channel, user: UserId, inviter: UserId | None, now: float) -> Payload:
    """An account has become a member of a channel."""
    event: Payload = {
        "type": "member_joined_channel",
        "user": user,
        "channel": channel.id,
        "channel_type": "G" if channel.is_private else "C",
        "team": workspace.people[user].team_id,
    }
    if inviter is not None:
        event["inviter"] = inviter
    return {**event, "event_ts": next_ts(workspace, now)}


def archived(workspace: Workspace, channel: Channel, user: UserId, now: float) -> Payload:
    """A channel was archived, or taken out of the archive again."""
    family = "group" if channel.is_private else "channel"
    return {
        "type": f"{family}_{'archive' if channel.is_archived else 'unarchive'}",
        "channel": channel.id,
        "user": user,
        "is_moved": 0,
        "event_ts": next_ts(workspace, now),
    }


def user_changed(workspace: Workspace, record: Payload, now: float) -> Payload:
    """An account reads differently now; `record` is what users.info says of it."""
    return {"type": "user_change", "user": record, "cache_ts": int(now), "event_ts": next_ts(workspace, now)}


def group_created(workspace: Workspace, group: UserGroup, now: float) -> Payload:
    """There is a new user group."""
    return _about_group(workspace, "subteam_created", group, now)


def group_updated(workspace: Workspace, group: UserGroup, now: float) -> Payload:
    """A user group reads differently now: its name, its members, whether it is disabled."""
    return _about_group(workspace, "subteam_updated", group, now)


def group_members_changed(workspace: Workspace, before: UserGroup, group: UserGroup, now: float) -> Payload:
    """Somebody came into a user group or left it."""
    added = [one for one in group.members if one not in before.members]
    removed = [one for one in before.members if one not in group.members]
    return {
        "type": "subteam_members_changed",
        "subteam_id": group.id,
        "team_id": workspace.team.id,
        "date_previous_update": before.updated,
        "date_update": group.updated,
        "added_users": added,
        "added_users_count": len(added),
        "removed_users": removed,
        "removed_users_count": len(removed),
        "event_ts": next_ts(workspace, now),
    }


def of_another_company(workspace: Workspace, user: UserId) -> Payload:
    """What a message tells of its author besides the id: nothing of our own people, their company and card of others.

    Source: slack payload shape `event-shared-channel-external-user`.
    """
    person = workspace.people[user]
    if person.team_id == workspace.team.id:
        return {}
    return {
        "user_team": person.team_id,
        "source_team": person.team_id,
        "user_profile": {
            "name": person.name,
            "display_name": person.real_name,
            "real_name": person.real_name,
            "team": person.team_id,
            "is_restricted": person.is_restricted,
            "is_ultra_restricted": person.is_ultra_restricted,
            "image_72": "https://example.test/72.png",
        },
    }


def bot_profile(workspace: Workspace, app: AppIdentity) -> Payload:
    """The name card that rides on every message of an app."""
    icon = "https://example.test/{size}.png"
    return {
        "id": app.bot_id,
        "deleted": False,
        "name": app.name,
        "updated": 1_780_000_000,
        "app_id": app.id,
        "user_id": app.bot_user_id,
        "icons": {f"image_{size}": icon.format(size=size) for size in (36, 48, 72)},
        "team_id": workspace.team.id,
    }


def app_message(workspace: Workspace, text: str, app: AppIdentity | None = None) -> Payload:
    """A message as an app with a bot user posts it, still without ts, blocks and thread."""
    author = workspace.app if app is None else app
    return {
        "type": "message",
        "user": author.bot_user_id,
        "bot_id": author.bot_id,
        "app_id": author.id,
        "bot_profile": bot_profile(workspace, author),
        "text": text,
        "team": workspace.team.id,
    }


def foreign_message(workspace: Workspace, kind: str, user: UserId, text: str) -> Payload:
    """A message of an app that is not ours, in one of the forms in which Slack delivers such.

    kind: app (a bot user), bot_message (the old form, without a user), workflow (a workflow step), as_user (an app
    that holds this person's token and speaks in their name).
    """
    card: Payload = {"bot_id": OTHER_BOT.bot_id, "app_id": OTHER_BOT.id, "team": workspace.team.id, "text": text}
    match kind:
        case "bot_message":
            return {"type": "message", "subtype": "bot_message", "username": OTHER_BOT.name, **card}
        case "workflow":
            profile = {**bot_profile(workspace, OTHER_BOT), "is_workflow_bot": True}
            return {"type": "message", "subtype": "bot_message", "username": "Workflow", **card, "bot_profile": profile}
        case "as_user":
            return {"type": "message", "user": user, **card, "bot_profile": bot_profile(workspace, OTHER_BOT)}
        case _:
            return app_message(workspace, text, OTHER_BOT)


def _about_group(workspace: Workspace, kind: str, group: UserGroup, now: float) -> Payload:
    record = group_record(workspace, group, has_users=True, has_count=True)
    return {"type": kind, "subteam": record, "event_ts": next_ts(workspace, now)}


FOREIGN_KINDS = ("app", "bot_message", "workflow", "as_user")
