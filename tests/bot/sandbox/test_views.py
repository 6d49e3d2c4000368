"""Modals and Homes: opening, pushing, changing, submitting, closing."""

import asyncio
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.sandbox import SandboxError

FIELD = {
    "type": "input",
    "block_id": "note",
    "label": {"type": "plain_text", "text": "Note"},
    "element": {"type": "plain_text_input", "action_id": "text", "max_length": 20},
}


def modal(title: str = "One", **more: Any) -> dict[str, Any]:
    text = {"type": "plain_text", "text": title}
    submit = {"type": "plain_text", "text": "Send"}
    return {"type": "modal", "callback_id": "form", "title": text, "submit": submit, "blocks": [FIELD], **more}


@pytest.fixture
async def socket(make_socket):
    return await make_socket()


class Person:
    """Bruno, who presses things, and the bot's side of it."""

    def __init__(self, control, slack, socket, card) -> None:
        self.control, self.slack, self.socket, self.card = control, slack, socket, card

    async def trigger(self) -> str:
        """A trigger from a button in a message."""
        posted = await self.slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=self.card)
        await self.socket.ack(await self.socket.next_frame())
        act = self.control.click("Bruno", "CREVIEWS", posted["ts"], "approve")
        return (await self.acknowledged(act))["trigger_id"]

    async def acknowledged(self, act, response: dict[str, Any] | None = None) -> dict[str, Any]:
        """The payload of an act that the bot acknowledges with this response."""
        task = asyncio.ensure_future(act)
        frame = await self.socket.next_frame()
        await self.socket.ack(frame, response)
        await task
        return frame["payload"]

    async def submit(self, view_id: str, text: str, response: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the person is told after submitting."""
        task = asyncio.ensure_future(self.control.submit("Bruno", view_id, {"note": {"text": text}}))
        await self.socket.ack(await self.socket.next_frame(), response)
        return await task

    async def open(self, view: dict[str, Any] | None = None) -> dict[str, Any]:
        """A modal that is open."""
        trigger_id = await self.trigger()
        return (await self.slack.views_open(trigger_id=trigger_id, view=view or modal()))["view"]

    async def titles(self) -> list[str]:
        return [one["title"]["text"] for one in await self.control.views("Bruno")]


@pytest.fixture
def bruno(control, slack, socket, card) -> Person:
    return Person(control, slack, socket, card)


async def test_an_opened_modal_is_before_the_person_who_gave_the_trigger(bruno, control):
    view = await bruno.open()

    assert [one["id"] for one in await control.views("Bruno")] == [view["id"]]
    assert await control.views("Ana") == []


async def test_a_trigger_of_a_modal_pushes_onto_it(bruno, slack):
    button = {"type": "button", "action_id": "more", "text": {"type": "plain_text", "text": "More"}}
    first = await bruno.open(modal(blocks=[FIELD, {"type": "actions", "block_id": "b", "elements": [button]}]))
    pressed = await bruno.acknowledged(bruno.control.click_in_view("Bruno", first["id"], "more"))

    second = (await slack.views_push(trigger_id=pressed["trigger_id"], view=modal("Two")))["view"]

    assert await bruno.titles() == ["One", "Two"]
    assert (second["previous_view_id"], second["root_view_id"]) == (first["id"], first["id"])


async def test_a_fourth_modal_on_the_stack_is_refused(bruno, slack):
    for title in ("One", "Two", "Three"):
        await slack.views_open(trigger_id=await bruno.trigger(), view=modal(title))

    with pytest.raises(SlackApiError) as refused:
        await slack.views_open(trigger_id=await bruno.trigger(), view=modal("Four"))

    assert refused.value.response["error"] == "push_limit_reached"


async def test_an_update_with_the_right_hash_keeps_the_id_and_changes_the_hash(bruno, slack):
    view = await bruno.open()

    updated = (await slack.views_update(view_id=view["id"], hash=view["hash"], view=modal("New")))["view"]

    assert (updated["id"], await bruno.titles()) == (view["id"], ["New"])
    assert updated["hash"] != view["hash"]


async def test_an_update_finds_a_view_by_its_external_id(bruno, slack):
    await bruno.open(modal(external_id="mine"))

    await slack.views_update(external_id="mine", view=modal("New", external_id="mine"))

    assert await bruno.titles() == ["New"]


async def test_a_second_update_with_the_first_hash_is_a_conflict(bruno, slack):
    view = await bruno.open()
    await slack.views_update(view_id=view["id"], hash=view["hash"], view=modal("New"))

    with pytest.raises(SlackApiError) as refused:
        await slack.views_update(view_id=view["id"], hash=view["hash"], view=modal("Newer"))

    assert refused.value.response["error"] == "hash_conflict"


async def test_a_submit_without_a_response_closes_the_view(bruno):
    view = await bruno.open()

    told = await bruno.submit(view["id"], "fine")

    assert told == {"ok": True, "acked": True}
    assert await bruno.titles() == []


async def test_a_submit_with_errors_keeps_the_view_and_shows_them(bruno):
    view = await bruno.open()

    told = await bruno.submit(view["id"], "x", {"response_action": "errors", "errors": {"note": "Say why"}})

    assert told == {"ok": False, "acked": True, "response_action": "errors", "errors": {"note": "Say why"}}
    assert await bruno.titles() == ["One"]


async def test_a_submit_may_change_the_view(bruno):
    view = await bruno.open()

    told = await bruno.submit(view["id"], "x", {"response_action": "update", "view": modal("Thanks")})

    assert (told["ok"], await bruno.titles()) == (True, ["Thanks"])


async def test_a_submit_may_push_a_view_and_clear_the_stack(bruno, control):
    view = await bruno.open()
    await bruno.submit(view["id"], "x", {"response_action": "push", "view": modal("Sure?")})
    pushed = (await control.views("Bruno"))[-1]
    before = await bruno.titles()

    await bruno.submit(pushed["id"], "x", {"response_action": "clear"})

    assert (before, await bruno.titles()) == (["One", "Sure?"], [])


@pytest.mark.parametrize(
    "response",
    [
        pytest.param({"response_action": "errors", "errors": {"nothing": "x"}}, id="errors for a block there is not"),
        pytest.param({"response_action": "errors"}, id="errors without any"),
        pytest.param({"response_action": "update", "view": {"type": "modal"}}, id="a view that breaks the rules"),
        pytest.param({"response_action": "dance"}, id="an unknown action"),
    ],
)
async def test_a_response_that_cannot_be_followed_is_trouble(bruno, response):
    view = await bruno.open()

    told = await bruno.submit(view["id"], "x", response)

    assert (told["ok"], told["error"]) == (False, "trouble_connecting")
    assert await bruno.titles() == ["One"]


async def test_a_submit_that_is_not_answered_in_time_is_trouble(bruno, control, socket, clock):
    view = await bruno.open()
    task = asyncio.ensure_future(control.submit("Bruno", view["id"], {"note": {"text": "x"}}))
    await socket.next_frame()

    clock.advance(3)

    assert await task == {"ok": False, "acked": False, "error": "trouble_connecting"}
    assert await bruno.titles() == ["One"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param("", "Please complete this required field.", id="empty"),
        pytest.param("x" * 21, "Must be at most 20 characters.", id="too long"),
    ],
)
async def test_what_the_client_itself_refuses_never_reaches_the_bot(bruno, control, text, error):
    view = await bruno.open()

    told = await control.submit("Bruno", view["id"], {"note": {"text": text}})

    assert told == {"ok": False, "acked": False, "response_action": "errors", "errors": {"note": error}}
    assert await control.deliveries(kind="view_submission") == []


async def test_what_was_typed_stands_in_the_submission(bruno, socket, control):
    view = await bruno.open()

    payload = await bruno.acknowledged(control.submit("Bruno", view["id"], {"note": {"text": "seen"}}))

    assert payload["view"]["state"]["values"] == {"note": {"text": {"type": "plain_text_input", "value": "seen"}}}


async def test_a_close_is_told_only_when_the_view_asks_for_it(bruno, control):
    quiet = await bruno.open()
    await control.close("Bruno", quiet["id"])
    loud = await bruno.open(modal(notify_on_close=True))

    payload = await bruno.acknowledged(control.close("Bruno", loud["id"]))

    assert (payload["type"], payload["is_cleared"]) == ("view_closed", False)
    assert len(await control.deliveries(kind="view_closed")) == 1
    assert await bruno.titles() == []


async def test_clearing_closes_the_whole_stack(bruno, control):
    first = await bruno.open(modal(notify_on_close=True))
    await bruno.submit(first["id"], "x", {"response_action": "push", "view": modal("Two")})

    payload = await bruno.acknowledged(control.close("Bruno", first["id"], clear=True))

    assert (payload["is_cleared"], await bruno.titles()) == (True, [])


async def test_a_home_is_published_and_its_buttons_can_be_pressed(bruno, control, slack, card):
    view = {"type": "home", "blocks": card}
    await slack.views_publish(user_id="UBRUNO", view=view)
    [home] = await control.views("Bruno")

    payload = await bruno.acknowledged(control.click_in_view("Bruno", home["id"], "approve"))

    assert (payload["container"], payload["view"]["type"]) == ({"type": "view", "view_id": home["id"]}, "home")


async def test_a_home_published_again_keeps_its_id(slack):
    first = (await slack.views_publish(user_id="UBRUNO", view={"type": "home", "blocks": []}))["view"]
    again = await slack.views_publish(
        user_id="UBRUNO", view={"type": "home", "blocks": [{"type": "divider"}]}, hash=first["hash"]
    )

    assert again["view"]["id"] == first["id"]


async def test_opening_the_home_shows_the_bot_the_published_view(bot, control, slack):
    await control.open_home("Ana")
    await slack.views_publish(user_id="UANA", view={"type": "home", "blocks": []})
    await control.open_home("Ana")

    first, second = await bot.next_body("app_home_opened"), await bot.next_body("app_home_opened")
    assert ("view" in first["event"], "view" in second["event"]) == (False, True)


async def test_nobody_acts_in_a_view_of_somebody_else(bruno, control):
    view = await bruno.open()

    with pytest.raises(SandboxError) as refused:
        await control.submit("Carla", view["id"], {})

    assert (refused.value.status, refused.value.answer["error"]) == (404, "view_not_found")


async def test_what_lies_under_another_modal_cannot_be_reached(bruno, control):
    under = await bruno.open()
    await bruno.submit(under["id"], "x", {"response_action": "push", "view": modal("Two")})

    with pytest.raises(SandboxError) as refused:
        await control.submit("Bruno", under["id"], {"note": {"text": "x"}})

    assert (refused.value.status, refused.value.answer["field"]) == (400, "view_id")


async def test_views_without_an_external_id_are_not_found_by_an_empty_one(bruno, slack):
    await bruno.open()

    with pytest.raises(SlackApiError) as refused:
        await slack.api_call("views.update", json={"external_id": "", "view": modal("New")})

    assert refused.value.response["error"] == "not_found"


async def test_a_view_closed_while_the_app_was_thinking_takes_no_push(bruno, control, socket):
    view = await bruno.open()
    submit = asyncio.ensure_future(control.submit("Bruno", view["id"], {"note": {"text": "x"}}))
    frame = await socket.next_frame()
    await control.close("Bruno", view["id"])

    await socket.ack(frame, {"response_action": "push", "view": modal("Two")})

    assert (await submit)["error"] == "trouble_connecting"
    assert await bruno.titles() == []


@pytest.mark.parametrize("kind", ["rich_text_input", "file_input", "external_select", "users_select", "datepicker"])
async def test_every_kind_of_required_input_can_be_found_empty(bruno, control, kind):
    view = await bruno.open(modal(blocks=[{**FIELD, "element": {"type": kind, "action_id": "a"}}]))

    told = await control.submit("Bruno", view["id"], {})

    assert told["errors"] == {"note": "Please complete this required field."}
