"""The usergroups.* methods: which groups of people there are, and who is in one.

Source: Slack's reference, usergroups.list and usergroups.users.list: arguments and Errors.
"""

from typing import Final

from bot.sandbox.methods.method import Args, Method, Tier, flag, text
from bot.sandbox.records import group_record
from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import GroupId, Payload
from bot.sandbox.world import World


def list_groups(world: World, args: Args) -> Payload:
    """usergroups.list: every user group; disabled ones only when asked for."""
    _need_plan(world)
    shown = [
        group_record(
            world.workspace, group, has_users=bool(args.get("include_users")), has_count=bool(args.get("include_count"))
        )
        for group in world.workspace.groups.values()
        if args.get("include_disabled") or not group.is_disabled
    ]
    return {"ok": True, "usergroups": shown}


def list_members(world: World, args: Args) -> Payload:
    """usergroups.users.list: who is in a user group; one that is disabled is there only when asked for."""
    _need_plan(world)
    group = world.workspace.groups.get(GroupId(args["usergroup"]))
    if group is None or (group.is_disabled and not args.get("include_disabled")):
        raise RefusedError("no_such_subteam")
    return {"ok": True, "users": list(group.members)}


def _need_plan(world: World) -> None:
    if "plan_upgrade_required" in world.faults.switches:
        raise RefusedError("plan_upgrade_required")


_READ: Final = ("usergroups:read",)

USERGROUP_METHODS: Final = (
    Method(
        name="usergroups.list",
        handler=list_groups,
        tier=Tier.TWO,
        scopes=_READ,
        args=(flag("include_users"), flag("include_count"), flag("include_disabled")),
    ),
    Method(
        name="usergroups.users.list",
        handler=list_members,
        tier=Tier.TWO,
        scopes=_READ,
        args=(text("usergroup", required=True), flag("include_disabled")),
    ),
)
