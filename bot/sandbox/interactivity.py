"""What a person did to a message, a view or the command line, as Slack tells the app.

Pure. The shapes are those of Slack's own samples: a click on a private note has no `message`; a root message has no
thread_ts; a view submission has no channel.
"""

from dataclasses import dataclass

from bot.sandbox.events import VERIFICATION_TOKEN
from bot.sandbox.manifest import Command
from bot.sandbox.typed_text import escaped
from bot.sandbox.vocabulary import Payload, UserId
from bot.sandbox.workspace import Channel, Workspace, team_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSource:
    """The message that was acted on, and whether only its reader sees it."""

    channel: Channel
    message: Payload
    is_ephemeral: bool


def message_actions(
    workspace: Workspace,
    user: UserId,
    source: MessageSource,
    *,
    action: Payload,
    state: Payload,
    trigger_id: str,
    response_url: str,
) -> Payload:
    """A block_actions payload from a message or a private note."""
    message = source.message
    container: Payload = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": source.channel.id,
        "is_ephemeral": source.is_ephemeral,
    }
    thread_ts = message.get("thread_ts")
    # A root that has replies carries its own ts as thread_ts; only what hangs in a thread is told to do so.
    if thread_ts is not None and thread_ts != message["ts"]:
        container["thread_ts"] = thread_ts
    payload: Payload = {
        "type": "block_actions",
        **_who_and_where(workspace, user),
        "container": container,
        "trigger_id": trigger_id,
        "channel": _channel(source.channel),
        "state": {"values": state},
        "response_url": response_url,
        "actions": [action],
    }
    return payload if source.is_ephemeral else {**payload, "message": message}


def view_actions(
    workspace: Workspace, user: UserId, view: Payload, *, action: Payload, state: Payload, trigger_id: str
) -> Payload:
    """A block_actions payload from a modal or a Home."""
    return {
        "type": "block_actions",
        **_who_and_where(workspace, user),
        "team": _own_team(workspace, user),
        "container": {"type": "view", "view_id": view["id"]},
        "trigger_id": trigger_id,
        "view": {**view, "state": {"values": state}},
        "actions": [action],
    }


def view_submission(workspace: Workspace, user: UserId, view: Payload, *, state: Payload, trigger_id: str) -> Payload:
    """A modal was submitted."""
    return {
        "type": "view_submission",
        **_who_and_where(workspace, user),
        "team": _own_team(workspace, user),
        "trigger_id": trigger_id,
        "view": {**view, "state": {"values": state}},
        "response_urls": [],
    }


def view_closed(workspace: Workspace, user: UserId, view: Payload, *, is_cleared: bool) -> Payload:
    """A modal was closed without a submit."""
    who = {**_who_and_where(workspace, user), "team": _own_team(workspace, user)}
    return {"type": "view_closed", **who, "view": view, "is_cleared": is_cleared}


def slash_command(
    workspace: Workspace,
    user: UserId,
    channel: Channel,
    command: Command,
    text: str,
    *,
    trigger_id: str,
    response_url: str,
) -> Payload:
    """A command as its form's fields. Slack says true and false here as strings, and gives no thread."""
    person = workspace.people[user]
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": workspace.team.id,
        "team_domain": workspace.team.domain,
        "channel_id": channel.id,
        "channel_name": "directmessage" if channel.is_im else channel.name,
        "user_id": user,
        "user_name": person.name,
        "command": command.command,
        # Slack escapes the three control characters here as everywhere; should_escape only adds mention tokens.
        "text": _with_named_mentions(workspace, text) if command.should_escape else escaped(text),
        "api_app_id": workspace.app.id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger_id,
    }


def _with_named_mentions(workspace: Workspace, text: str) -> str:
    marked = escaped(text)
    for person in workspace.people.values():
        for name in (person.name, person.real_name):
            marked = marked.replace(f"@{escaped(name)}", f"<@{person.id}|{person.name}>")
    for group in workspace.groups.values():
        marked = marked.replace(f"@{escaped(group.handle)}", f"<!subteam^{group.id}|@{group.handle}>")
    return marked


def _who_and_where(workspace: Workspace, user: UserId) -> Payload:
    person = workspace.people[user]
    return {
        "user": {"id": user, "username": person.name, "name": person.name, "team_id": person.team_id},
        "api_app_id": workspace.app.id,
        "token": VERIFICATION_TOKEN,
        "team": {"id": workspace.team.id, "domain": workspace.team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _own_team(workspace: Workspace, user: UserId) -> Payload:
    """The team of what happens in a view: the person's, whose app is told apart by `view.app_installed_team_id`."""
    team = team_of(workspace, user)
    return {"id": team.id, "domain": team.domain}


def _channel(channel: Channel) -> Payload:
    return {"id": channel.id, "name": "directmessage" if channel.is_im else channel.name}
