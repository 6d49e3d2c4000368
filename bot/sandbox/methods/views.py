"""The views.* methods: open, push, update and publish.

Source: Slack's reference, views.open, views.push, views.update, views.publish: Errors.
"""

from typing import Final

from bot.sandbox.blocks import checked_view
from bot.sandbox.methods.method import Args, Method, Tier, structure, text
from bot.sandbox.methods.places import person_at
from bot.sandbox.permits import checked_trigger
from bot.sandbox.publishing import show_view
from bot.sandbox.refusals import RefusedError, explained
from bot.sandbox.views import (
    STACK_LIMIT,
    changed_view,
    find_external,
    find_view,
    make_view,
    push_modal,
    replace_view,
    stack_of,
)
from bot.sandbox.vocabulary import Payload, UserId
from bot.sandbox.world import World


def open_view(world: World, args: Args) -> Payload:
    """views.open: show a modal to the person who gave the trigger."""
    trigger = checked_trigger(world.permits, args["trigger_id"], world.clock.now())
    given = _modal(world, args)
    if len(stack_of(world.workspace, trigger.user)) >= STACK_LIMIT:
        raise RefusedError("push_limit_reached")
    trigger.is_spent = True
    view = make_view(world.workspace, given, world.now())
    return _shown(world, trigger.user, view)


def push_view(world: World, args: Args) -> Payload:
    """views.push: lay a modal on the one that gave the trigger."""
    trigger = checked_trigger(world.permits, args["trigger_id"], world.clock.now())
    stack = stack_of(world.workspace, trigger.user)
    # Only something done inside a modal can push another one onto it.
    if trigger.from_view is None or not any(one["id"] == trigger.from_view for one in stack):
        raise RefusedError("invalid_trigger_id")
    given = _modal(world, args)
    if len(stack) >= STACK_LIMIT:
        raise RefusedError("push_limit_reached")
    trigger.is_spent = True
    view = make_view(world.workspace, given, world.now(), over=stack[-1])
    return _shown(world, trigger.user, view)


def update_view(world: World, args: Args) -> Payload:
    """views.update: let an open view read differently."""
    if "view_id" not in args and "external_id" not in args:
        raise explained("invalid_arguments", "missing required field: view_id")
    found = (
        find_view(world.workspace, args["view_id"])
        if "view_id" in args
        else find_external(world.workspace, args["external_id"])
    )
    if found is None:
        raise RefusedError("not_found")
    user, old = found
    if args.get("hash") and args["hash"] != old["hash"]:
        raise RefusedError("hash_conflict")
    given = checked_view(args["view"])
    _no_twin(world, given, but=old["id"])
    new = changed_view(world.workspace, old, given, world.now())
    replace_view(world.workspace, user, new)
    show_view(world, user, new)
    return {"ok": True, "view": new}


def publish_view(world: World, args: Args) -> Payload:
    """views.publish: what a person's Home shows."""
    person = person_at(world.workspace, args["user_id"])
    given = checked_view(args["view"])
    if given["type"] != "home":
        raise explained("invalid_arguments", "must be a home view [json-pointer:/view/type]")
    old = world.workspace.homes.get(person.id)
    if args.get("hash") and (old is None or args["hash"] != old["hash"]):
        raise RefusedError("hash_conflict")
    _no_twin(world, given, but="" if old is None else old["id"])
    now = world.now()
    new = make_view(world.workspace, given, now) if old is None else changed_view(world.workspace, old, given, now)
    world.workspace.homes[person.id] = new
    show_view(world, person.id, new)
    return {"ok": True, "view": new}


def _modal(world: World, args: Args) -> Payload:
    given = checked_view(args["view"])
    if given["type"] != "modal":
        raise explained("invalid_arguments", "must be a modal [json-pointer:/view/type]")
    _no_twin(world, given)
    return given


def _no_twin(world: World, given: Payload, *, but: str = "") -> None:
    twin = find_external(world.workspace, given.get("external_id") or "")
    if twin is not None and twin[1]["id"] != but:
        raise RefusedError("duplicate_external_id")


def _shown(world: World, user: UserId, view: Payload) -> Payload:
    push_modal(world.workspace, user, view)
    show_view(world, user, view)
    return {"ok": True, "view": view}


_VIEW: Final = structure("view", required=True)

VIEW_METHODS: Final = (
    Method(name="views.open", handler=open_view, tier=Tier.FOUR, args=(text("trigger_id", required=True), _VIEW)),
    Method(name="views.push", handler=push_view, tier=Tier.FOUR, args=(text("trigger_id", required=True), _VIEW)),
    Method(
        name="views.update",
        handler=update_view,
        tier=Tier.FOUR,
        args=(text("view_id"), text("external_id"), text("hash"), _VIEW),
    ),
    Method(
        name="views.publish",
        handler=publish_view,
        tier=Tier.FOUR,
        args=(text("user_id", required=True), text("hash"), _VIEW),
    ),
)
