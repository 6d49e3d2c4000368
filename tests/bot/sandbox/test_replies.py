"""Answers through a response_url, and in the ack of a command."""

import asyncio

import pytest

from bot.sandbox.permits import REPLY_SECONDS, REPLY_USES


@pytest.fixture
async def clicked(control, slack, card):
    """The payload of a click on a card in a channel, and the card's ts."""
    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.click("Bruno", "CREVIEWS", ts, "approve")
    return (await control.deliveries(kind="block_actions"))[-1]["payload"], ts


@pytest.fixture
def reply(http, clicked):
    """Posts to the response_url; gives status and body."""

    async def send(**body):
        async with http.post(clicked[0]["response_url"], json=body) as response:
            return response.status, await response.json()

    return send


async def texts(control, user: str | None = None) -> list[str]:
    return [one["text"] for one in await control.messages("CREVIEWS", user=user)]


async def test_a_reply_is_private_by_default(reply, control):
    assert await reply(text="only you") == (200, {"ok": True})

    assert (await texts(control, "Bruno"), await texts(control)) == (["card", "only you"], ["card"])


async def test_a_reply_may_be_for_all(reply, control):
    await reply(text="for all", response_type="in_channel")

    assert await texts(control) == ["card", "for all"]


async def test_a_reply_stays_in_the_thread_it_names(reply, control, clicked):
    await reply(text="in the thread", thread_ts=clicked[1])

    assert [one["text"] for one in await control.thread("CREVIEWS", clicked[1], user="Bruno")][-1] == "in the thread"


async def test_a_reply_may_replace_the_message_it_came_from(reply, control):
    await reply(text="decided", replace_original=True)

    [message] = await control.messages("CREVIEWS")
    assert (message["text"], "blocks" in message) == ("decided", False)


async def test_a_reply_may_delete_the_message_it_came_from(reply, control):
    await reply(delete_original=True)

    assert await texts(control) == []


async def test_a_private_note_is_replaced_and_deleted_the_same_way(control, slack, http, card):
    note = await slack.chat_postEphemeral(channel="CREVIEWS", user="UBRUNO", text="sure?", blocks=card)
    await control.click("Bruno", "CREVIEWS", note["message_ts"], "approve")
    url = (await control.deliveries(kind="block_actions"))[-1]["payload"]["response_url"]

    async with http.post(url, json={"text": "thanks", "replace_original": True}) as response:
        assert response.status == 200
    replaced = await texts(control, "Bruno")
    async with http.post(url, json={"delete_original": True}) as response:
        assert response.status == 200

    assert (replaced, await texts(control, "Bruno")) == (["thanks"], [])


async def test_it_works_five_times(reply):
    answers = [await reply(text="again") for _ in range(REPLY_USES + 1)]

    assert [status for status, _ in answers] == [200] * REPLY_USES + [404]
    assert answers[-1][1]["error"] == "used_url"


async def test_it_works_for_half_an_hour(reply, clock):
    clock.advance(REPLY_SECONDS)
    in_time = await reply(text="just in time")

    clock.advance(1)

    assert (in_time[0], await reply(text="too late")) == (200, (404, {"ok": False, "error": "expired_url"}))


async def test_wrong_blocks_are_refused(reply):
    status, answer = await reply(blocks=[{"type": "alert", "text": {"type": "plain_text", "text": "x"}}])

    assert (status, answer["error"]) == (400, "invalid_blocks")


async def test_a_body_that_is_no_object_is_refused(http, clicked):
    async with http.post(clicked[0]["response_url"], data="[]") as response:
        assert (response.status, (await response.json())["error"]) == (400, "invalid_payload")


async def test_a_key_that_was_never_given_out_is_unknown(http, sandbox):
    async with http.post(f"{sandbox.url}/reply/nothing", json={"text": "x"}) as response:
        assert response.status == 404


async def test_the_ack_of_a_command_is_shown_to_its_author(control, make_socket):
    socket = await make_socket()
    command = asyncio.ensure_future(control.command("Ana", "content-reviews", "/flows", "list"))

    await socket.ack(await socket.next_frame(), {"text": "two flows"})

    assert await command is True
    assert (await texts(control, "Ana"), await texts(control)) == (["two flows"], [])


async def test_the_ack_of_a_command_may_be_for_all(control, make_socket):
    socket = await make_socket()
    command = asyncio.ensure_future(control.command("Ana", "content-reviews", "/flows", "list"))

    await socket.ack(await socket.next_frame(), {"text": "two flows", "response_type": "in_channel"})

    await command
    assert await texts(control) == ["two flows"]


async def test_a_real_bots_respond_reaches_the_reader(control, bot, slack, card):
    responded = asyncio.Event()

    @bot.app.action("approve")
    async def approve(ack, respond):
        await ack()
        await respond(text="noted", replace_original=False)
        responded.set()

    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.click("Bruno", "CREVIEWS", ts, "approve")
    await asyncio.wait_for(responded.wait(), 5)

    assert await texts(control, "Bruno") == ["card", "noted"]
