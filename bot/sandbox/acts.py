"""What a person can do in the client: say, edit, delete, command, press, type, submit, close, open the app.

Each act changes the workspace, tells the pages, and delivers to the bot what Slack would. What the client itself
refuses (a command in a thread, an empty required field) is refused here and never reaches the bot.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.sandbox import events, interactivity
from bot.sandbox.blocks import checked_view
from bot.sandbox.delivery import Answer
from bot.sandbox.inputs import action_of, entry_for, interactive, is_empty, state_values
from bot.sandbox.manifest import Command
from bot.sandbox.permits import ReplyPermit, Trigger, new_reply, new_trigger
from bot.sandbox.publishing import (
    hide_views,
    publish_changed,
    publish_deleted,
    publish_posted,
    show_view,
    tell_bot,
)
from bot.sandbox.refusals import RefusedError
from bot.sandbox.replies import say as say_as_app
from bot.sandbox.typed_text import rich_text, stored_text
from bot.sandbox.views import changed_view, close_all, close_view, make_view, push_modal, replace_view, stack_of
from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId, as_object, objects_in
from bot.sandbox.workspace import (
    Channel,
    next_id,
    next_ts,
    post,
    remove,
    replace_message,
)
from bot.sandbox.world import World

TROUBLE: Final = "trouble_connecting"
"""The client's own word for: the app did not answer in time, or not in a way that can be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A block and the element in it that was pressed or changed, with the value chosen or typed."""

    block: Payload
    element: Payload
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """What became of a submit: whether the app acknowledged, its response_action, and errors by block_id."""

    acked: bool
    response_action: str | None = None
    errors: Mapping[str, str] | None = None
    error: str | None = None


def say(
    world: World,
    user: UserId,
    channel: Channel,
    typed: str,
    thread_ts: Ts | None = None,
    *,
    is_broadcast: bool = False,
) -> Payload:
    """The message as stored, after a person has sent it; a broadcast reply is shown in the channel too."""
    workspace = world.workspace
    message: Payload = {
        "type": "message",
        "user": user,
        "client_msg_id": str(uuid.uuid4()),
        "text": stored_text(workspace, typed),
        "team": workspace.people[user].team_id,
        **events.of_another_company(workspace, user),
        "blocks": [rich_text(workspace, typed, next_id(workspace, "r"))],
    }
    if thread_ts is not None:
        message["thread_ts"] = thread_ts
        if is_broadcast:
            message["subtype"] = "thread_broadcast"
    stored = post(workspace, channel.id, message, world.now())
    publish_posted(world, channel.id, stored)
    return stored


def say_as_other_app(
    world: World, kind: str, user: UserId, channel: Channel, typed: str, thread_ts: Ts | None = None
) -> Payload:
    """The message as stored, after an app that is not ours has posted it; see events.foreign_message for the kinds."""
    message = events.foreign_message(world.workspace, kind, user, stored_text(world.workspace, typed))
    if thread_ts is not None:
        message["thread_ts"] = thread_ts
    stored = post(world.workspace, channel.id, message, world.now())
    publish_posted(world, channel.id, stored)
    return stored


def edit(world: World, user: UserId, channel: Channel, old: Payload, typed: str) -> Payload:
    """The message as it reads after its author has edited it."""
    workspace = world.workspace
    new: Payload = {
        **old,
        "text": stored_text(workspace, typed),
        "blocks": [rich_text(workspace, typed, next_id(workspace, "r"))],
        "edited": {"user": user, "ts": next_ts(workspace, world.now())},
    }
    replace_message(workspace, channel.id, new)
    publish_changed(world, channel.id, old, new)
    return new


def delete(world: World, channel: Channel, old: Payload) -> None:
    """Take a message away, as its author can."""
    publish_deleted(world, channel.id, old, remove(world.workspace, channel.id, Ts(old["ts"])))


def open_app(world: World, user: UserId, channel: ChannelId, tab: str) -> None:
    """Open the app's Home or its messages."""
    tell_bot(world, events.app_home_opened(world.workspace, user, channel, tab, world.now()))


async def run_command(world: World, user: UserId, channel: Channel, command: Command, text: str) -> Answer:
    """Send a slash command; what the app says in its ack is shown as Slack shows it."""
    permit = ReplyPermit(user=user, channel=channel.id, given_at=world.clock.now())
    payload = interactivity.slash_command(
        world.workspace,
        user,
        channel,
        command,
        text,
        trigger_id=_trigger(world, user),
        response_url=_response_url(world, permit),
    )
    answer = await world.delivery.ask("slash_commands", payload, accepts_response_payload=True)
    if answer.payload is not None and (answer.payload.get("text") or answer.payload.get("blocks")):
        try:
            say_as_app(world, permit, answer.payload)
        except RefusedError:
            return Answer(acked=False, payload=answer.payload)
    return answer


async def press_in_message(
    world: World, user: UserId, channel: Channel, message: Payload, pressed: Pressed, *, is_ephemeral: bool
) -> Answer:
    """Press a button or change an input in a message or private note.

    Raises ChoiceError if the element takes no such value.
    """
    workspace = world.workspace
    action = action_of(pressed.block, pressed.element, pressed.value, next_ts(workspace, world.now()))
    typed = _remembered(world, user, f"{channel.id} {message['ts']}", pressed)
    thread_ts = message.get("thread_ts")
    permit = ReplyPermit(
        user=user,
        channel=channel.id,
        given_at=world.clock.now(),
        message_ts=Ts(message["ts"]),
        thread_ts=None if thread_ts is None else Ts(thread_ts),
        is_ephemeral=is_ephemeral,
    )
    payload = interactivity.message_actions(
        workspace,
        user,
        interactivity.MessageSource(channel=channel, message=message, is_ephemeral=is_ephemeral),
        action=action,
        state=state_values(objects_in(message.get("blocks")), typed),
        trigger_id=_trigger(world, user),
        response_url=_response_url(world, permit),
    )
    return await world.delivery.ask("interactive", payload, accepts_response_payload=False)


async def press_in_view(world: World, user: UserId, view: Payload, pressed: Pressed) -> Answer:
    """Press a button or change an input in a modal or Home.

    Raises ChoiceError if the element takes no such value.
    """
    action = action_of(pressed.block, pressed.element, pressed.value, next_ts(world.workspace, world.now()))
    typed = _remembered(world, user, view["id"], pressed)
    payload = interactivity.view_actions(
        world.workspace,
        user,
        view,
        action=action,
        state=state_values(objects_in(view["blocks"]), typed),
        trigger_id=_trigger(world, user, from_view=view["id"] if view["type"] == "modal" else None),
    )
    return await world.delivery.ask("interactive", payload, accepts_response_payload=False)


async def submit(world: World, user: UserId, view: Payload, values: Mapping[str, Mapping[str, Any]]) -> Submitted:
    """Submit a modal with these values (block_id -> action_id -> value) over what stands in it already.

    Raises ChoiceError if an input takes no such value.
    """
    blocks = objects_in(view["blocks"])
    typed = dict(world.workspace.typed.get((user, view["id"]), {}))
    for block, element in interactive(blocks):
        given = values.get(block["block_id"], {})
        if element["action_id"] in given:
            entry = entry_for(element, given[element["action_id"]])
            typed[block["block_id"]] = {**typed.get(block["block_id"], {}), element["action_id"]: entry}
    world.workspace.typed[user, view["id"]] = typed
    state = state_values(blocks, typed)
    empty = _faults_of_form(blocks, state)
    if empty:
        return Submitted(acked=False, response_action="errors", errors=empty)
    payload = interactivity.view_submission(
        world.workspace,
        user,
        view,
        state=state,
        trigger_id=_trigger(world, user, from_view=view["id"]),
    )
    answer = await world.delivery.ask("interactive", payload, accepts_response_payload=True)
    if not answer.acked:
        return Submitted(acked=False, error=TROUBLE)
    return _follow(world, user, view, answer.payload or {})


async def close(world: World, user: UserId, view: Payload, *, is_cleared: bool) -> Answer | None:
    """Close a modal, or the whole stack; None when the app did not ask to be told."""
    gone = close_all(world.workspace, user) if is_cleared else close_view(world.workspace, user, view["id"])
    hide_views(world, user, gone)
    if not view["notify_on_close"]:
        return None
    payload = interactivity.view_closed(world.workspace, user, view, is_cleared=is_cleared)
    return await world.delivery.ask("interactive", payload, accepts_response_payload=False)


def _follow(world: World, user: UserId, view: Payload, response: Payload) -> Submitted:
    """Do with the stack what the app's response_action says; what cannot be followed is trouble, as in the client."""
    action = response.get("response_action")
    try:
        match action:
            case None:
                hide_views(world, user, close_view(world.workspace, user, view["id"]))
            case "clear":
                hide_views(world, user, close_all(world.workspace, user))
            case "errors":
                errors = as_object(response.get("errors")) or {}
                inputs = {one["block_id"] for one in objects_in(view["blocks"]) if one["type"] == "input"}
                if not errors or not inputs.issuperset(errors):
                    return Submitted(acked=True, response_action="errors", error=TROUBLE)
                return Submitted(acked=True, response_action="errors", errors=errors)
            case "update":
                given = checked_view(response.get("view"))
                changed = changed_view(world.workspace, view, given, world.now())
                replace_view(world.workspace, user, changed)
                show_view(world, user, changed)
            case "push":
                if view["id"] not in (one["id"] for one in stack_of(world.workspace, user)):
                    # Closed while the app was thinking: there is nothing to push onto.
                    return Submitted(acked=True, response_action="push", error=TROUBLE)
                given = checked_view(response.get("view"))
                pushed = make_view(world.workspace, given, world.now(), over=view)
                push_modal(world.workspace, user, pushed)
                show_view(world, user, pushed)
            case _:
                return Submitted(acked=True, response_action=str(action), error=TROUBLE)
    except RefusedError:
        return Submitted(acked=True, response_action=str(action), error=TROUBLE)
    return Submitted(acked=True, response_action=action)


def _faults_of_form(blocks: list[Payload], state: Payload) -> dict[str, str]:
    """What the client itself says under a field before it sends anything."""
    found: dict[str, str] = {}
    for block, element in interactive(blocks):
        if block["type"] != "input":
            continue
        entry = state[block["block_id"]][element["action_id"]]
        text = entry.get("value")
        if is_empty(entry):
            if not block.get("optional"):
                found[block["block_id"]] = "Please complete this required field."
        elif isinstance(text, str) and len(text) > element.get("max_length", 3_000):
            found[block["block_id"]] = f"Must be at most {element.get('max_length', 3_000)} characters."
        elif isinstance(text, str) and len(text) < element.get("min_length", 0):
            found[block["block_id"]] = f"Must be at least {element['min_length']} characters."
    return found


def _remembered(world: World, user: UserId, container: str, pressed: Pressed) -> dict[str, Payload]:
    """What stands in the inputs of a message or view after this act."""
    typed = dict(world.workspace.typed.get((user, container), {}))
    if pressed.element["type"] not in ("button", "icon_button", "feedback_buttons", "overflow"):
        entry = entry_for(pressed.element, pressed.value)
        block_id = pressed.block["block_id"]
        typed[block_id] = {**typed.get(block_id, {}), pressed.element["action_id"]: entry}
        world.workspace.typed[user, container] = typed
    return typed


def _trigger(world: World, user: UserId, from_view: str | None = None) -> str:
    return new_trigger(world.permits, Trigger(user=user, given_at=world.clock.now(), from_view=from_view))


def _response_url(world: World, permit: ReplyPermit) -> str:
    return f"{world.origin}/reply/{new_reply(world.permits, permit)}"
