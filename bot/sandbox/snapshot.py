"""All that a page needs to draw the workspace at once."""

from dataclasses import asdict

from bot.sandbox.publishing import channel_record
from bot.sandbox.vocabulary import Payload
from bot.sandbox.workspace import messages_of
from bot.sandbox.world import World, bot_state


def people_records(world: World) -> list[Payload]:
    """Everybody, people first and in the order in which they are shown."""
    return [asdict(person) for person in world.workspace.people.values()]


def group_records(world: World) -> list[Payload]:
    """Every user group, disabled ones too."""
    return [asdict(group) for group in world.workspace.groups.values()]


def snapshot(world: World) -> Payload:
    """The first frame of a page's feed."""
    workspace, app = world.workspace, world.workspace.app
    commands = [
        {"command": one.command, "description": one.description, "usage_hint": one.usage_hint}
        for one in world.manifest.commands
    ]
    return {
        "type": "snapshot",
        "team": asdict(workspace.team),
        "app": {
            "id": app.id,
            "name": app.name,
            "bot_user_id": app.bot_user_id,
            "bot_id": app.bot_id,
            "commands": commands,
        },
        "users": people_records(world),
        "usergroups": group_records(world),
        "channels": [channel_record(world, channel_id) for channel_id in workspace.channels],
        "messages": {channel_id: messages_of(workspace, channel_id) for channel_id in workspace.channels},
        "ephemerals": [
            {"channel": one.channel, "user": one.user, "message": {**one.message, "ephemeral": True}}
            for one in workspace.notes
        ],
        "views": [{"user": user, "view": view} for user, stack in workspace.modals.items() for view in stack],
        "homes": dict(workspace.homes),
        "bot": bot_state(world),
        "now": world.now(),
        "offset_s": world.offset_s,
    }
