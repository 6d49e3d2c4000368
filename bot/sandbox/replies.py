"""What the bot says through a response_url or in the ack of a command.

Source: Slack's reference, "Handling user interaction": response_url; "Slash commands": responding.
"""

from aiohttp import web

from bot.sandbox.events import app_message
from bot.sandbox.methods.chat import NO_FALLBACK
from bot.sandbox.methods.content import CONTENT_ARGS, Content, read_content
from bot.sandbox.methods.method import read_args, text
from bot.sandbox.permits import ReplyPermit, use_reply
from bot.sandbox.publishing import hide_note, publish_changed, publish_deleted, publish_posted, show_note
from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import Payload, Ts, as_object
from bot.sandbox.workspace import find_message, find_note, next_ts, post, remove, replace_message
from bot.sandbox.world import World

_ARGS = (text("thread_ts"), text("response_type"), *CONTENT_ARGS)


async def answer_reply(world: World, request: web.Request) -> web.Response:
    """Answer a POST to `/reply/{key}`."""
    try:
        permit = use_reply(world.permits, request.match_info["key"], world.clock.now())
        if permit is None:
            raise web.HTTPNotFound(text="No such response_url.")
        body = as_object(await request.json())
    except RefusedError as refused:
        return web.json_response(refused.answer(), status=404)
    except ValueError:
        return web.json_response(RefusedError("invalid_payload").answer(), status=400)
    if body is None:
        return web.json_response(RefusedError("invalid_payload").answer(), status=400)
    try:
        say(world, permit, body)
    except RefusedError as refused:
        return web.json_response(refused.answer(), status=400)
    return web.json_response({"ok": True})


def say(world: World, permit: ReplyPermit, body: Payload) -> None:
    """Post, replace or delete what the permit allows.

    Raises RefusedError: what a post's content may be refused for.
    """
    if body.get("delete_original") is True:
        _delete_original(world, permit)
        return
    args = read_args(_ARGS, body)
    content = read_content(world.workspace, args)
    if body.get("replace_original") is True and permit.message_ts is not None:
        _replace_original(world, permit, permit.message_ts, content)
        return
    message: Payload = {**app_message(world.workspace, content.text or NO_FALLBACK)}
    if content.blocks:
        message["blocks"] = content.blocks
    thread_ts = args.get("thread_ts")
    if thread_ts is not None and find_message(world.workspace, permit.channel, thread_ts) is not None:
        message["thread_ts"] = thread_ts
    if args.get("response_type") == "in_channel":
        publish_posted(world, permit.channel, post(world.workspace, permit.channel, message, world.now()))
    else:
        note = {**message, "ts": next_ts(world.workspace, world.now())}
        show_note(world, permit.channel, permit.user, note)


def _replace_original(world: World, permit: ReplyPermit, ts: Ts, content: Content) -> None:
    workspace = world.workspace
    note = find_note(workspace, permit.channel, permit.user, ts)
    old = find_message(workspace, permit.channel, ts) if note is None else note.message
    if old is None:
        return
    new = {key: value for key, value in old.items() if key != "blocks"}
    new["text"] = content.text or old["text"]
    if content.blocks:
        new["blocks"] = content.blocks
    if note is not None:
        show_note(world, permit.channel, permit.user, new)
    else:
        replace_message(workspace, permit.channel, new)
        publish_changed(world, permit.channel, old, new)


def _delete_original(world: World, permit: ReplyPermit) -> None:
    if permit.message_ts is None or hide_note(world, permit.channel, permit.user, permit.message_ts):
        return
    old = find_message(world.workspace, permit.channel, permit.message_ts)
    if old is not None:
        publish_deleted(world, permit.channel, old, remove(world.workspace, permit.channel, permit.message_ts))
