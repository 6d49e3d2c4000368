"""Every payload and answer has the keys and types of Slack's own: shapes.json lists them for each kind.

shapes.json holds key paths and JSON types only. `null` there says that the key is present and may hold anything.
Left out are `app_context` and `context`: they tell what else the person looks at, which nobody does here.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import DEFAULT_MANIFEST, Manifest
from bot.sandbox.delivery import ACK_SECONDS

SHAPES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "shapes.json").read_text())
TYPES = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null", dict: "object"}


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def option(text: str, value: str) -> dict[str, Any]:
    return {"text": plain(text), "value": value}


REASONS = [option("Duplicate", "duplicate"), option("Fraud", "fraud")]
DECIDE = [
    {"type": "section", "block_id": "body", "text": {"type": "mrkdwn", "text": "Refund *42*?"}},
    {
        "type": "actions",
        "block_id": "decide",
        "elements": [
            {"type": "button", "action_id": "approve", "text": plain("Yes"), "value": "rv:1", "style": "primary"},
            {"type": "button", "action_id": "reject", "text": plain("No"), "value": "rv:1", "style": "danger"},
        ],
    },
]
CONFIRM = [
    {
        "type": "actions",
        "block_id": "decide",
        "elements": [{"type": "button", "action_id": "confirm", "text": plain("Confirm"), "value": "rv:1"}],
    }
]
FORM = [
    {
        "type": "section",
        "block_id": "pick",
        "text": {"type": "mrkdwn", "text": "Reason"},
        "accessory": {
            "type": "static_select",
            "action_id": "reason",
            "placeholder": plain("Choose"),
            "options": REASONS,
        },
    },
    {
        "type": "actions",
        "block_id": "level",
        "elements": [
            {"type": "radio_buttons", "action_id": "risk", "options": [option("Low", "low"), option("High", "high")]}
        ],
    },
    {
        "type": "input",
        "block_id": "note",
        "label": plain("Note"),
        "optional": True,
        "dispatch_action": True,
        "element": {
            "type": "plain_text_input",
            "action_id": "text",
            "multiline": False,
            "dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]},
        },
    },
]
MODAL = {
    "type": "modal",
    "callback_id": "reject",
    "private_metadata": "rv",
    "title": plain("Reject"),
    "submit": plain("Send"),
    "close": plain("Back"),
    "notify_on_close": True,
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": plain("Reason"),
            "element": {"type": "static_select", "action_id": "code", "options": REASONS},
        },
        {
            "type": "input",
            "block_id": "note",
            "label": plain("Note"),
            "optional": True,
            "element": {"type": "plain_text_input", "action_id": "text", "multiline": True},
        },
    ],
}
METADATA = {"event_type": "flow_review", "event_payload": {"review_id": "rv"}}


def found_paths(value: Any, path: str = "") -> dict[str, set[str]]:
    """Every key path of a JSON value with the types found there."""
    found: dict[str, set[str]] = {path: {TYPES.get(type(value), "array")}}
    inside = value.items() if isinstance(value, dict) else ()
    steps = [(f"{path}.{key}" if path else key, one) for key, one in inside]
    steps += [(f"{path}[]", one) for one in value] if isinstance(value, list) else []
    for step, one in steps:
        for deeper, types in found_paths(one, step).items():
            found[deeper] = found.get(deeper, set()) | types
    return found


def differences(kind: str, payload: dict[str, Any]) -> list[str]:
    """What Slack's payload of this kind has and this one has not, or has with another type."""
    found = found_paths(payload)
    missing = [f"{path}: missing" for path in SHAPES[kind] if path not in found]
    other = [
        f"{path}: {sorted(found[path])}, not {types}"
        for path, types in SHAPES[kind].items()
        if path in found and "null" not in types and not found[path] <= set(types.split("|"))
    ]
    return missing + other


async def last_delivery(control, kind: str) -> dict[str, Any]:
    return (await control.deliveries(kind=kind, wait_s=5))[-1]["payload"]


async def posted(slack, **more: Any) -> str:
    return (await slack.chat_postMessage(channel="CREVIEWS", text="Refund?", metadata=METADATA, **more))["ts"]


async def mentioned(control, slack):
    await control.say("Ana", "content-reviews", "@Flow reviews refund 42")
    return await last_delivery(control, "app_mention")


async def replied(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    await control.say("Ana", "content-reviews", "the amount should be 40", thread_ts=root)
    return await last_delivery(control, "message")


async def told_directly(control, slack):
    await control.say("Ana", "DANA", "refund 42")
    return await last_delivery(control, "message")


async def told_directly_in_thread(control, slack):
    root = await control.say("Ana", "DANA", "refund 42")
    await control.say("Ana", "DANA", "the second one", thread_ts=root)
    return await last_delivery(control, "message")


async def posted_by_the_bot(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    await posted(slack, thread_ts=root, blocks=DECIDE)
    return await last_delivery(control, "message")


async def broadcast(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    await control.say("Ana", "content-reviews", "for everyone", thread_ts=root, reply_broadcast=True)
    return await last_delivery(control, "message")


async def edited(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    ts = await control.say("Ana", "content-reviews", "refund 42", thread_ts=root)
    await control.edit("Ana", "content-reviews", ts, "refund 43")
    return await last_delivery(control, "message")


async def deleted(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    ts = await control.say("Ana", "content-reviews", "refund 42", thread_ts=root)
    await control.delete("Ana", "content-reviews", ts)
    return await last_delivery(control, "message")


async def opened_home(control, slack):
    await slack.views_publish(user_id="UANA", view={"type": "home", "blocks": [{"type": "divider"}]})
    await control.open_home("Ana")
    return await last_delivery(control, "app_home_opened")


async def opened_messages(control, slack):
    await control.open_home("Ana", "messages")
    return await last_delivery(control, "app_home_opened")


async def joined(control, slack):
    await control.put_channel("random", members=["Ana"])
    await control.put_channel("random", members=["Ana", "flowreviews"], user="Ana")
    return await last_delivery(control, "member_joined_channel")


async def said_by_an_outsider(control, slack):
    root = await control.say("Ana", "partners", "root")
    await control.say("Eve", "partners", "approve please", thread_ts=root)
    return await last_delivery(control, "message")


async def regrouped(control, slack):
    await control.put_group("editors", members=["Bruno", "Ana"])
    return await last_delivery(control, "subteam_members_changed")


async def pressed_on_root(control, slack):
    await control.click("Bruno", "content-reviews", await posted(slack, blocks=DECIDE), "approve")
    return await last_delivery(control, "block_actions")


async def pressed_in_thread(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    await control.click("Bruno", "content-reviews", await posted(slack, thread_ts=root, blocks=DECIDE), "approve")
    return await last_delivery(control, "block_actions")


async def pressed_on_note(control, slack):
    root = await control.say("Ana", "content-reviews", "root")
    note = await slack.chat_postEphemeral(
        channel="CREVIEWS", user="UBRUNO", text="sure?", thread_ts=root, blocks=CONFIRM
    )
    await control.click("Bruno", "content-reviews", note["message_ts"], "confirm")
    return await last_delivery(control, "block_actions")


async def form_in_thread(control, slack) -> str:
    root = await control.say("Ana", "content-reviews", "root")
    ts = await posted(slack, thread_ts=root, blocks=FORM)
    await control.click("Bruno", "content-reviews", ts, "text", value="seen twice")
    return ts


async def chose_option(control, slack):
    ts = await form_in_thread(control, slack)
    await control.click("Bruno", "content-reviews", ts, "reason", value="fraud")
    return await last_delivery(control, "block_actions")


async def chose_radio(control, slack):
    ts = await form_in_thread(control, slack)
    await control.click("Bruno", "content-reviews", ts, "reason", value="fraud")
    await control.click("Bruno", "content-reviews", ts, "risk", value="high")
    return await last_delivery(control, "block_actions")


async def typed_text(control, slack):
    ts = await form_in_thread(control, slack)
    await control.click("Bruno", "content-reviews", ts, "reason", value="fraud")
    await control.click("Bruno", "content-reviews", ts, "text", value="seen twice")
    return await last_delivery(control, "block_actions")


async def modal_open(control, slack) -> str:
    await control.click("Bruno", "content-reviews", await posted(slack, blocks=DECIDE), "reject")
    click = await last_delivery(control, "block_actions")
    return (await slack.views_open(trigger_id=click["trigger_id"], view=MODAL))["view"]["id"]


async def chose_in_modal(control, slack):
    view_id = await modal_open(control, slack)
    await control.click_in_view("Bruno", view_id, "code", value="fraud")
    return await last_delivery(control, "block_actions")


async def submitted(control, slack):
    view_id = await modal_open(control, slack)
    await control.submit("Bruno", view_id, {"reason": {"code": "fraud"}})
    return await last_delivery(control, "view_submission")


async def closed(control, slack):
    view_id = await modal_open(control, slack)
    await control.close("Bruno", view_id)
    return await last_delivery(control, "view_closed")


async def commanded(control, slack):
    await control.command("Ana", "content-reviews", "/flows", "status rv")
    return await last_delivery(control, "/flows")


DELIVERED = {
    "event-app-mention": mentioned,
    "event-message-channel-thread": replied,
    "event-message-im": told_directly,
    "event-message-im-thread": told_directly_in_thread,
    "event-message-own-bot": posted_by_the_bot,
    "event-message-thread-broadcast": broadcast,
    "event-message-changed": edited,
    "event-message-deleted": deleted,
    "event-app-home-opened-home": opened_home,
    "event-app-home-opened-messages": opened_messages,
    "event-member-joined-channel": joined,
    "event-shared-channel-external-user": said_by_an_outsider,
    "event-subteam-members-changed": regrouped,
    "block-actions-button-in-root-message": pressed_on_root,
    "block-actions-button-in-thread": pressed_in_thread,
    "block-actions-button-in-ephemeral": pressed_on_note,
    "block-actions-static-select-in-message": chose_option,
    "block-actions-radio-in-message": chose_radio,
    "block-actions-plain-text-in-message": typed_text,
    "block-actions-in-modal": chose_in_modal,
    "view-submission": submitted,
    "view-closed": closed,
    "slash-command-form": commanded,
}


@pytest.mark.usefixtures("willing_socket")
@pytest.mark.parametrize(("kind", "act"), DELIVERED.items(), ids=DELIVERED)
async def test_what_the_bot_is_sent_has_slacks_shape(kind, act, control, slack):
    payload = await act(control, slack)

    assert differences(kind, payload) == []


@pytest.mark.usefixtures("willing_socket")
@pytest.mark.parametrize(
    ("act", "absent"),
    [
        pytest.param(mentioned, ("event.channel_type",), id="a mention has no channel_type"),
        pytest.param(pressed_on_root, ("container.thread_ts", "message.thread_ts"), id="a root has no thread_ts"),
        pytest.param(pressed_on_note, ("message",), id="a private note has no message"),
        pytest.param(submitted, ("channel", "message", "response_url"), id="a submit has no place"),
        pytest.param(chose_in_modal, ("channel", "message", "response_url"), id="a modal's action has no place"),
        pytest.param(commanded, ("thread_ts",), id="a command has no thread"),
        pytest.param(opened_messages, ("event.view",), id="the messages tab has no view"),
    ],
)
async def test_what_slack_leaves_out_is_left_out(act, absent, control, slack):
    payload = await act(control, slack)

    assert set(absent) & set(found_paths(payload)) == set()


async def frame_of_event(control, slack, socket, clock):
    await control.say("Ana", "content-reviews", "@Flow reviews refund 42")
    return await socket.next_frame()


async def frame_of_retry(control, slack, socket, clock):
    await control.say("Ana", "content-reviews", "@Flow reviews refund 42")
    await socket.ack(await socket.next_frame())
    await socket.next_frame()
    await control.deliveries(acked=True, wait_s=5)
    clock.advance(ACK_SECONDS)
    return await socket.next_frame()


async def frame_of_click(control, slack, socket, clock):
    root = await control.say("Ana", "content-reviews", "root")
    ts = await posted(slack, thread_ts=root, blocks=DECIDE)
    frames = [await socket.next_frame(), await socket.next_frame()]
    click = asyncio.ensure_future(control.click("Bruno", "content-reviews", ts, "approve"))
    frames.append(await socket.next_frame())
    await socket.ack(frames[-1])
    await click
    return frames[-1]


async def frame_of_submit(control, slack, socket, clock):
    frame = await frame_of_click(control, slack, socket, clock)
    opened = await slack.views_open(trigger_id=frame["payload"]["trigger_id"], view=MODAL)
    values = {"reason": {"code": "fraud"}}
    submit = asyncio.ensure_future(control.submit("Bruno", opened["view"]["id"], values))
    sent = await socket.next_frame()
    await socket.ack(sent)
    await submit
    return sent


async def frame_of_command(control, slack, socket, clock):
    command = asyncio.ensure_future(control.command("Ana", "content-reviews", "/flows", "status"))
    sent = await socket.next_frame()
    await socket.ack(sent)
    await command
    return sent


async def frame_of_disconnect(control, slack, socket, clock):
    await control.faults(delivery="disconnect")
    return await socket.next_frame()


FRAMES = {
    "socket-events-api": frame_of_event,
    "socket-interactive": frame_of_click,
    "socket-interactive-view-submission": frame_of_submit,
    "socket-slash-commands": frame_of_command,
    "socket-disconnect": frame_of_disconnect,
}


@pytest.mark.parametrize(("kind", "act"), FRAMES.items(), ids=FRAMES)
async def test_frames_have_slacks_shape(kind, act, control, slack, make_socket, clock):
    frame = await act(control, slack, await make_socket(), clock)

    assert differences(kind, frame) == []


async def test_the_greeting_has_slacks_shape(slack, http):
    opened = await slack.apps_connections_open(app_token="xapp-1-sandbox")

    async with http.ws_connect(opened["url"]) as socket:
        frame = await socket.receive_json()

    assert differences("socket-hello", frame) == []


class TestAnswers:
    """What the Web API answers."""

    @pytest.fixture
    def manifest(self) -> Manifest:
        return Manifest(
            scopes=DEFAULT_MANIFEST.scopes | {"users:read.email"},
            commands=DEFAULT_MANIFEST.commands,
            bot_events=DEFAULT_MANIFEST.bot_events,
        )

    async def answer(self, slack, method: str, **args: Any) -> dict[str, Any]:
        return (await slack.api_call(method, json=args)).data

    async def test_auth_test(self, slack):
        assert differences("answer auth.test (bot)", await self.answer(slack, "auth.test")) == []

    async def test_a_post_in_a_thread(self, slack, control):
        root = await control.say("Ana", "general", "root")

        answer = await self.answer(
            slack, "chat.postMessage", channel="CGENERAL", text="?", thread_ts=root, blocks=DECIDE, metadata=METADATA
        )

        assert differences("answer chat.postMessage", answer) == []

    async def test_a_post_that_was_cut(self, slack):
        answer = await self.answer(slack, "chat.postMessage", channel="CGENERAL", text="x" * 40_001)

        assert differences("answer chat.postMessage truncated", answer) == []
        assert len(answer["message"]["text"]) == 40_000

    async def test_a_private_note(self, slack):
        answer = await self.answer(slack, "chat.postEphemeral", channel="CGENERAL", user="UANA", text="psst")

        assert differences("answer chat.postEphemeral", answer) == []

    async def test_an_update(self, slack):
        ts = await posted(slack)

        answer = await self.answer(slack, "chat.update", channel="CREVIEWS", ts=ts, text="done")

        assert differences("answer chat.update", answer) == []

    async def test_an_opened_view(self, slack, control):
        await control.click("Bruno", "content-reviews", await posted(slack, blocks=DECIDE), "reject")
        trigger_id = (await last_delivery(control, "block_actions"))["trigger_id"]

        answer = await self.answer(slack, "views.open", trigger_id=trigger_id, view=MODAL)

        assert differences("answer views.open", answer) == []

    async def test_a_thread(self, slack, control):
        root = await control.say("Ana", "content-reviews", "root")
        await posted(slack, thread_ts=root, blocks=DECIDE)

        answer = await self.answer(
            slack, "conversations.replies", channel="CREVIEWS", ts=root, include_all_metadata=True
        )

        assert differences("answer conversations.replies", answer) == []

    async def test_a_person(self, slack):
        answer = await self.answer(slack, "users.info", user="UBRUNO", include_locale=True)

        assert differences("answer users.info", answer) == []

    async def test_the_members_of_a_user_group(self, slack):
        answer = await self.answer(slack, "usergroups.users.list", usergroup="SEDITORS")

        assert differences("answer usergroups.users.list", answer) == []

    async def test_a_session_status(self, slack, control):
        root = await control.say("Ana", "general", "root")

        answer = await self.answer(
            slack, "agents.sessions.setStatus", channel_id="CGENERAL", thread_ts=root, status="suspended", title="42"
        )

        assert differences("answer agents.sessions.setStatus", answer) == []
