"""What the app asks for: its scopes, its slash commands and its events, read from the manifest it ships.

Source: Slack's reference, "App manifest": oauth_config.scopes.bot, features.slash_commands,
settings.event_subscriptions.bot_events.
"""

from dataclasses import dataclass
from typing import Final

import yaml

from bot.sandbox.vocabulary import Payload, as_list, as_object, as_text, objects_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command as the manifest declares it."""

    command: str
    description: str = ""
    usage_hint: str = ""
    should_escape: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The part of an app manifest that the sandbox enforces."""

    scopes: frozenset[str]
    commands: tuple[Command, ...]
    bot_events: frozenset[str]


class ManifestError(ValueError):
    """The manifest cannot be read; `problem` says what is missing."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(f"The app manifest cannot be used: {problem}.")


DEFAULT_MANIFEST: Final = Manifest(
    scopes=frozenset(
        (
            "app_mentions:read",
            "assistant:write",
            "channels:history",
            "channels:join",
            "channels:read",
            "chat:write",
            "commands",
            "groups:history",
            "groups:read",
            "im:history",
            "im:read",
            "im:write",
            "metadata.message:read",
            "reactions:write",
            "team:read",
            "usergroups:read",
            "users:read",
            "users:read.email",
        )
    ),
    commands=(Command(command="/flows", description="Start, list and follow flows", usage_hint="start <flow>"),),
    bot_events=frozenset(
        (
            "agent_session_stopped",
            "app_home_opened",
            "app_mention",
            "channel_archive",
            "channel_unarchive",
            "group_archive",
            "group_unarchive",
            "member_joined_channel",
            "message.channels",
            "message.groups",
            "message.im",
            "subteam_created",
            "subteam_members_changed",
            "subteam_updated",
            "user_change",
        )
    ),
)
"""What the sandbox grants when it is given no manifest."""


def read_manifest(text: str) -> Manifest:
    """The manifest in this YAML (or JSON) text.

    Raises ManifestError when the text is no manifest or names no bot scopes.
    """
    try:
        root = as_object(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ManifestError(problem=f"it is no YAML ({error})") from error
    if root is None:
        raise ManifestError(problem="it is no mapping")
    scopes = as_list(_inside(root, "oauth_config", "scopes").get("bot"))
    if not scopes:
        raise ManifestError(problem="oauth_config.scopes.bot names no scope")
    events = as_list(_inside(root, "settings", "event_subscriptions").get("bot_events")) or []
    return Manifest(
        scopes=frozenset(str(scope) for scope in scopes),
        commands=tuple(_command(row) for row in objects_in(_inside(root, "features").get("slash_commands"))),
        bot_events=frozenset(str(event) for event in events),
    )


def _command(row: Payload) -> Command:
    return Command(
        command=as_text(row.get("command")),
        description=as_text(row.get("description")),
        usage_hint=as_text(row.get("usage_hint")),
        should_escape=row.get("should_escape") is True,
    )


def _inside(root: Payload, *path: str) -> Payload:
    found = root
    for name in path:
        found = as_object(found.get(name)) or {}
    return found
