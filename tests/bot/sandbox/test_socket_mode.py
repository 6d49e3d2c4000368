"""Delivery to a bot over Socket Mode: who is told what, when again, and what an ack does."""

import asyncio

import pytest

from bot.sandbox import ManualClock
from bot.sandbox.delivery import ACK_SECONDS, CONNECTION_LIMIT


async def test_ready_says_whether_a_bot_is_connected(control, sandbox, make_socket):
    before = await control.is_ready()

    await make_socket()

    assert (before, await control.is_ready()) == (False, True)


async def test_a_mention_in_a_channel_is_told_twice_with_one_ts_and_two_event_ids(control, bot):
    ts = await control.say("Ana", "content-reviews", "@Flow reviews start")

    mention = await bot.next_body("app_mention")
    message = await bot.next_body("message")
    assert mention["event"]["ts"] == message["event"]["ts"] == ts
    assert mention["event_id"] != message["event_id"]
    assert (message["event"]["channel_type"], "channel_type" in mention["event"]) == ("channel", False)


async def test_a_mention_token_counts_as_a_mention(control, bot):
    await control.say("Ana", "general", "<@UFLOWBOT> hello")

    assert (await bot.next_body("app_mention"))["event"]["text"] == "<@UFLOWBOT> hello"


async def test_a_direct_message_is_told_once_even_with_a_mention(control, bot):
    await control.say("Ana", "@Flow reviews", "@Flow reviews hello")
    await control.say("Ana", "DANA", "and again")

    first, second = await bot.next_body("message"), await bot.next_body("message")
    assert first["event"]["channel_type"] == "im"
    assert second["event"]["text"] == "and again"
    assert [one["type"] for one in await control.deliveries()] == ["message", "message"]


async def test_a_reply_carries_its_thread_and_the_author_of_the_root(control, bot):
    root = await control.say("Ana", "general", "a question")
    await control.say("Bruno", "general", "an answer", thread_ts=root)

    await bot.next_body("message")
    event = (await bot.next_body("message"))["event"]
    assert (event["thread_ts"], event["parent_user_id"]) == (root, "UANA")


async def test_an_edit_and_a_delete_by_a_person_are_told(control, bot):
    ts = await control.say("Ana", "general", "refund 42")
    await control.edit("Ana", "general", ts, "refund 43")
    await control.delete("Ana", "general", ts)

    events = [(await bot.next_body("message"))["event"] for _ in range(3)]
    assert [one.get("subtype") for one in events] == [None, "message_changed", "message_deleted"]
    assert events[1]["message"]["text"] == "refund 43"
    assert events[1]["previous_message"]["text"] == "refund 42"
    assert events[2]["deleted_ts"] == ts


async def test_the_bot_is_told_of_its_own_posts_and_updates(control, make_socket, slack):
    socket = await make_socket()
    posted = await slack.chat_postMessage(channel="CGENERAL", text="first")
    await slack.chat_update(channel="CGENERAL", ts=posted["ts"], text="second")

    own, changed = [(await socket.next_frame())["payload"]["event"] for _ in range(2)]
    assert (own["bot_id"], own["user"], own["text"]) == ("BFLOWBOT", "UFLOWBOT", "first")
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "second")


async def test_bolt_acknowledges_the_bots_own_messages_and_drops_them(control, bot):
    posted = await bot.client.chat_postMessage(channel="CGENERAL", text="first")
    await control.say("Ana", "general", "second")

    assert (await bot.next_body("message"))["event"]["text"] == "second"
    acked = await control.deliveries(kind="message", acked=True, wait_s=5)
    assert acked[0]["payload"]["event"]["ts"] == posted["ts"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param("app", {"user": "UOTHERBOT", "bot_id": "BOTHERBOT"}, id="an app's bot user"),
        pytest.param("bot_message", {"subtype": "bot_message", "user": None}, id="the old form without a user"),
        pytest.param("workflow", {"subtype": "bot_message", "username": "Workflow"}, id="a workflow step"),
        pytest.param("as_user", {"user": "UBRUNO", "bot_id": "BOTHERBOT"}, id="an app in a person's name"),
    ],
)
async def test_other_apps_post_in_every_form_slack_has(control, bot, kind, expected):
    await control.say("Bruno", "general", "approved", bot_kind=kind)

    event = (await bot.next_body("message"))["event"]
    assert {name: event.get(name) for name in expected} == expected


async def test_events_the_manifest_does_not_ask_for_are_not_sent(control, bot):
    opened_before = await control.deliveries()

    await control.open_home("Ana", "messages")

    assert opened_before == []
    assert (await bot.next_body("app_home_opened"))["event"]["tab"] == "messages"


async def test_an_unacknowledged_event_is_sent_again_at_once_after_a_minute_and_after_five(
    control, make_socket, clock: ManualClock
):
    socket = await make_socket()
    await control.say("Ana", "general", "hello")
    frames = [await socket.next_frame()]

    clock.advance(ACK_SECONDS)
    frames.append(await socket.next_frame())
    clock.advance(ACK_SECONDS + 60)
    frames.append(await socket.next_frame())
    clock.advance(ACK_SECONDS + 300)
    frames.append(await socket.next_frame())
    clock.advance(ACK_SECONDS + 3_600)

    assert [one["retry_attempt"] for one in frames] == [0, 1, 2, 3]
    assert [one["retry_reason"] for one in frames] == ["", "timeout", "timeout", "timeout"]
    assert len({one["payload"]["event_id"] for one in frames}) == 1
    assert len({one["envelope_id"] for one in frames}) == 4
    assert [one["acked"] for one in await control.deliveries()] == [False] * 4


async def test_an_acknowledged_event_is_not_sent_again(control, make_socket, clock: ManualClock):
    socket = await make_socket()
    await control.say("Ana", "general", "hello")
    await socket.ack(await socket.next_frame())
    await control.deliveries(acked=True, wait_s=5)

    clock.advance(3_600)

    assert [(one["attempt"], one["acked"]) for one in await control.deliveries()] == [(0, True)]


async def test_a_click_is_never_sent_again(control, slack, make_socket, card, clock: ManualClock):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    socket = await make_socket()
    await socket.ack(await socket.next_frame())
    click = asyncio.ensure_future(control.click("Bruno", "CREVIEWS", posted["ts"], "approve"))
    frame = await socket.next_frame()

    clock.advance(ACK_SECONDS)

    assert frame["payload"]["type"] == "block_actions"
    assert await click is False
    clock.advance(3_600)
    assert [one["type"] for one in await control.deliveries()] == ["message", "block_actions"]


async def test_a_late_ack_changes_nothing(control, slack, make_socket, card, clock: ManualClock):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    socket = await make_socket()
    await socket.ack(await socket.next_frame())
    click = asyncio.ensure_future(control.click("Bruno", "CREVIEWS", posted["ts"], "approve"))
    frame = await socket.next_frame()
    clock.advance(ACK_SECONDS)
    await click

    await socket.ack(frame)
    await control.say("Ana", "general", "the line is still up")
    await socket.next_frame()

    assert [one["acked"] for one in await control.deliveries(kind="block_actions")] == [False]


async def test_events_wait_for_a_bot_and_arrive_in_order(control, make_socket):
    await control.say("Ana", "general", "one")
    await control.say("Ana", "general", "two")

    socket = await make_socket()

    texts = [(await socket.next_frame())["payload"]["event"]["text"] for _ in range(2)]
    assert texts == ["one", "two"]


async def test_a_click_while_no_bot_is_connected_is_not_delivered_later(control, slack, card, make_socket):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)

    acked = await control.click("Bruno", "CREVIEWS", posted["ts"], "approve")

    socket = await make_socket()
    assert acked is False
    assert (await socket.next_frame())["payload"]["event"]["type"] == "message"
    assert [one["acked"] for one in await control.deliveries(kind="block_actions")] == [False]


async def test_each_frame_goes_to_exactly_one_connection_by_turns(control, make_socket):
    first, second = await make_socket(), await make_socket()

    await control.say("Ana", "general", "one")
    await control.say("Ana", "general", "two")

    texts = {(await one.next_frame())["payload"]["event"]["text"] for one in (first, second)}
    assert texts == {"one", "two"}


async def test_the_eleventh_connection_is_sent_away(make_socket, http, slack):
    for _ in range(CONNECTION_LIMIT):
        await make_socket()
    opened = await slack.apps_connections_open(app_token="xapp-1-sandbox")

    async with http.ws_connect(opened["url"]) as eleventh:
        frame = await eleventh.receive_json()

    assert (frame["type"], frame["reason"]) == ("disconnect", "too_many_websockets")


async def test_a_ticket_opens_one_connection(slack, http):
    opened = await slack.apps_connections_open(app_token="xapp-1-sandbox")
    async with http.ws_connect(opened["url"]):
        pass

    again = await http.get(opened["url"].replace("ws", "http", 1))

    assert again.status == 403


async def test_a_real_bot_comes_back_after_a_disconnect_frame(control, bot):
    await control.faults(delivery="disconnect")
    await control.say("Ana", "general", "after the disconnect")

    assert (await bot.next_body("message"))["event"]["text"] == "after the disconnect"


async def test_a_bot_that_starts_again_gets_what_was_said_while_it_was_away(control, make_bot):
    first = await make_bot()
    await first.disconnect()
    await control.say("Ana", "general", "while you were out")

    second = await make_bot()

    assert (await second.next_body("message"))["event"]["text"] == "while you were out"
