"""The methods about the app itself: who am I, a socket, a status, a reaction, are these blocks right."""

import re
import secrets
from typing import Any, Final

from bot.sandbox.blocks import block_problems, view_problems
from bot.sandbox.methods.method import Args, Method, Tier, structure, text
from bot.sandbox.methods.places import joined_channel, message_at, thread_root
from bot.sandbox.publishing import publish_changed_quietly
from bot.sandbox.refusals import RefusedError, explained
from bot.sandbox.rules import Problem
from bot.sandbox.vocabulary import Payload, as_object, objects_in
from bot.sandbox.workspace import replace_message
from bot.sandbox.world import World

_SESSION_STATUSES: Final = ("active", "processing", "suspended", "closed")
_EMOJI_NAME: Final = re.compile(r"[a-z0-9_'+\-]+(::skin-tone-[2-6])?")


def auth_test(world: World, args: Args) -> Payload:
    """auth.test: whose token this is."""
    workspace = world.workspace
    return {
        "ok": True,
        "url": f"{world.origin}/",
        "team": workspace.team.name,
        "user": workspace.people[workspace.app.bot_user_id].name,
        "team_id": workspace.team.id,
        "user_id": workspace.app.bot_user_id,
        "bot_id": workspace.app.bot_id,
        "is_enterprise_install": False,
    }


def open_connection(world: World, args: Args) -> Payload:
    """apps.connections.open: an address for one Socket Mode connection."""
    ticket = secrets.token_urlsafe(16)
    world.tickets.add(ticket)
    address = world.origin.replace("http", "ws", 1)
    return {"ok": True, "url": f"{address}/socket?ticket={ticket}&app_id={world.workspace.app.id}"}


def set_session_status(world: World, args: Args) -> Payload:
    """agents.sessions.setStatus: what the agent is doing in a thread."""
    if args["status"] not in _SESSION_STATUSES:
        raise explained("invalid_arguments", f"must be one of {', '.join(_SESSION_STATUSES)} [json-pointer:/status]")
    channel = joined_channel(world.workspace, args["channel_id"])
    root = thread_root(world.workspace, channel, args["thread_ts"])
    old = world.workspace.sessions.get((channel.id, root), {})
    session: Payload = {**old, "status": args["status"], "agent_status": args["status"]}
    session.setdefault("title", args.get("title", ""))
    world.workspace.sessions[channel.id, root] = session
    world.feed.send({"type": "session", "channel": channel.id, "thread_ts": root, "session": session})
    if "agent_session_stopped" in world.manifest.bot_events:
        return {"ok": True, **session}
    return {"ok": True, **session, "warning": "missing_agent_session_stopped_event_subscription"}


def set_thread_status(world: World, args: Args) -> Payload:
    """assistant.threads.setStatus: a passing line under a thread."""
    channel = joined_channel(world.workspace, args["channel_id"])
    root = thread_root(world.workspace, channel, args["thread_ts"])
    world.feed.send({"type": "status", "channel": channel.id, "thread_ts": root, "status": args.get("status", "")})
    return {"ok": True}


def add_reaction(world: World, args: Args) -> Payload:
    """reactions.add: the bot's emoji on a message."""
    if not _EMOJI_NAME.fullmatch(args["name"]):
        raise RefusedError("invalid_name")
    workspace = world.workspace
    channel = joined_channel(workspace, args["channel"])
    if channel.is_archived:
        raise RefusedError("is_archived")
    message = message_at(workspace, channel, args["timestamp"])
    bot = workspace.app.bot_user_id
    reactions = objects_in(message.get("reactions"))
    own = next((one for one in reactions if one["name"] == args["name"]), None)
    if own is not None and bot in own["users"]:
        raise RefusedError("already_reacted")
    users = [*(own["users"] if own is not None else ()), bot]
    others = [one for one in reactions if one["name"] != args["name"]]
    reaction: Payload = {"name": args["name"], "users": users, "count": len(users)}
    changed = {**message, "reactions": [*others, reaction]}
    replace_message(workspace, channel.id, changed)
    publish_changed_quietly(world, channel.id, changed)
    return {"ok": True}


def validate_blocks(world: World, args: Args) -> Payload:
    """blocks.validate: whether blocks, a message or a view follow Block Kit."""
    found = _judged(args)
    if not found:
        return {"ok": True}
    return {"ok": False, "error": "invalid_blocks", "errors": [_reported(problem) for problem in found]}


def _judged(args: Args) -> list[Problem]:
    if "view" in args:
        return view_problems(args["view"])
    if "message" in args:
        return block_problems((as_object(args["message"]) or {}).get("blocks"), "message")
    if "blocks" in args:
        return block_problems(args["blocks"], "message")
    raise explained("invalid_arguments", "missing required field: blocks")


def _reported(problem: Problem) -> Payload:
    report: dict[str, Any] = {"pointer": problem.pointer, "code": problem.code, "message": problem.message}
    if problem.constraint is not None:
        kind, expected = problem.constraint
        report["constraint"] = {"type": kind, "expected": expected}
    return report


APP_METHODS: Final = (
    Method(name="auth.test", handler=auth_test, tier=Tier.SPECIAL),
    Method(name="apps.connections.open", handler=open_connection, tier=Tier.THREE, takes_app_token=True),
    Method(
        name="agents.sessions.setStatus",
        handler=set_session_status,
        tier=Tier.THREE,
        scopes=("assistant:write",),
        args=(
            text("channel_id", required=True),
            text("thread_ts", required=True),
            text("status", required=True),
            text("title"),
        ),
    ),
    Method(
        name="assistant.threads.setStatus",
        handler=set_thread_status,
        tier=Tier.THREE,
        scopes=("assistant:write", "chat:write"),
        args=(
            text("channel_id", required=True),
            text("thread_ts", required=True),
            text("status"),
            structure("loading_messages"),
        ),
    ),
    Method(
        name="reactions.add",
        handler=add_reaction,
        tier=Tier.THREE,
        scopes=("reactions:write",),
        args=(text("channel", required=True), text("timestamp", required=True), text("name", required=True)),
    ),
    Method(
        name="blocks.validate",
        handler=validate_blocks,
        tier=Tier.FOUR,
        args=(structure("blocks"), structure("message"), structure("view")),
    ),
)
