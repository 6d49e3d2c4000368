"""Faults on purpose: each does what it says, as often as it says, and only that."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncServerErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import BOT_TOKEN
from bot.sandbox.delivery import ACK_SECONDS


async def post(http, sandbox, text: str = "hi", **more):
    headers = {"Authorization": f"Bearer {BOT_TOKEN}"}
    body = {"channel": "CGENERAL", "text": text}
    return await http.post(f"{sandbox.api_url}chat.postMessage", json=body, headers=headers, **more)


@pytest.mark.parametrize(
    ("fault", "status", "written"),
    [
        pytest.param("http_500", 500, 0, id="500 before the write"),
        pytest.param("http_500_after_write", 500, 1, id="500 after the write"),
        pytest.param("http_503", 503, 0, id="503"),
        pytest.param("ratelimited", 429, 0, id="429"),
    ],
)
async def test_a_call_fails_once_and_then_works(http, sandbox, control, fault, status, written):
    await control.faults(method="chat.postMessage", fault=fault)

    failed = await post(http, sandbox)
    there = len(await control.messages("general"))
    worked = await post(http, sandbox)

    assert (failed.status, there, worked.status) == (status, written, 200)
    assert [one["ok"] for one in await control.calls()] == [False, True]


async def test_a_retry_after_a_lost_answer_posts_once_with_a_client_msg_id(control, sandbox):
    handlers = [AsyncServerErrorRetryHandler(max_retry_count=1)]
    client = AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url, retry_handlers=handlers)
    await control.faults(method="chat.postMessage", fault="http_500_after_write")

    answer = await client.chat_postMessage(channel="CGENERAL", text="once", client_msg_id="one")

    assert [one["ts"] for one in await control.messages("general")] == [answer["ts"]]


async def test_a_rate_limit_says_how_long_to_wait(http, sandbox, control):
    await control.faults(method="chat.postMessage", fault="ratelimited", retry_after=7)

    response = await post(http, sandbox)

    assert response.headers["Retry-After"] == "7"
    assert await response.json() == {"ok": False, "error": "ratelimited"}


@pytest.mark.parametrize(("fault", "written"), [("timeout", 0), ("timeout_after_write", 1)])
async def test_a_call_that_times_out_is_never_answered(http, sandbox, control, clock, fault, written):
    await control.faults(method="chat.postMessage", fault=fault)
    calling = asyncio.ensure_future(post(http, sandbox))
    await control.wait_for_call("chat.postMessage")

    clock.advance(60)

    with pytest.raises(aiohttp.ClientError):
        await calling
    assert len(await control.messages("general")) == written


async def test_any_error_of_slacks_can_be_given(slack, control):
    await control.faults(method="chat.update", fault="restricted_action_thread_locked")

    with pytest.raises(SlackApiError) as refused:
        await slack.chat_update(channel="CGENERAL", ts="1.1", text="x")

    assert refused.value.response["error"] == "restricted_action_thread_locked"


async def test_a_fault_hits_its_method_alone(slack, control):
    await control.faults(method="chat.update", fault="http_500")

    assert (await slack.auth_test())["ok"]


async def test_a_fault_of_any_method_hits_the_next_call(slack, control):
    await control.faults(method="*", fault="fatal_error")

    with pytest.raises(SlackApiError):
        await slack.auth_test()


async def test_a_fault_lasts_as_often_as_it_says(slack, control):
    await control.faults(method="auth.test", fault="fatal_error", times=2)
    listed = (await control.faults())["methods"]

    errors = []
    for _ in range(2):
        with pytest.raises(SlackApiError) as refused:
            await slack.auth_test()
        errors.append(refused.value.response["error"])

    assert listed == [{"method": "auth.test", "fault": "fatal_error", "times": 2}]
    assert (await slack.auth_test())["ok"]
    assert errors == ["fatal_error"] * 2


async def test_clear_ends_all_faults(control):
    await control.faults(method="auth.test", fault="http_500")
    await control.faults(delivery="drop_ack")
    await control.faults(switch="edit_window_closed", on=True)

    left = await control.faults(clear=True)

    assert left == {
        "methods": [],
        "deliveries": [],
        "switches": {"edit_window_closed": False, "rate_limits": False, "plan_upgrade_required": False},
    }


async def test_a_switch_is_turned_on_and_off(control):
    on = await control.faults(switch="edit_window_closed", on=True)
    off = await control.faults(switch="edit_window_closed", on=False)

    assert [one["switches"]["edit_window_closed"] for one in (on, off)] == [True, False]


async def test_a_duplicate_has_the_same_event_id_in_another_envelope(control, make_socket):
    socket = await make_socket()
    await control.faults(delivery="duplicate")

    await control.say("Ana", "general", "once")

    first, second = await socket.next_frame(), await socket.next_frame()
    assert first["payload"]["event_id"] == second["payload"]["event_id"]
    assert first["envelope_id"] != second["envelope_id"]


async def test_twins_come_in_the_other_order(control, make_socket):
    socket = await make_socket()
    await control.faults(delivery="swap_twins")

    await control.say("Ana", "general", "@Flow reviews one")
    await control.say("Ana", "general", "@Flow reviews two")

    kinds = [(await socket.next_frame())["payload"]["event"]["type"] for _ in range(4)]
    assert kinds == ["message", "app_mention", "app_mention", "message"]


async def test_a_dropped_ack_brings_the_event_again(control, make_socket, clock):
    socket = await make_socket()
    await control.faults(delivery="drop_ack")
    await control.say("Ana", "general", "hello")
    await socket.ack(await socket.next_frame())
    await control.say("Ana", "general", "the ack has arrived by now")
    await socket.ack(await socket.next_frame())
    await control.deliveries(acked=True, wait_s=5)

    clock.advance(ACK_SECONDS)

    again = await socket.next_frame()
    assert (again["retry_attempt"], again["payload"]["event"]["text"]) == (1, "hello")


async def test_a_dropped_ack_of_a_click_is_no_ack(control, make_socket, slack, card, clock):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    socket = await make_socket()
    await socket.ack(await socket.next_frame())
    await control.faults(delivery="drop_ack", only="block_actions")
    click = asyncio.ensure_future(control.click("Bruno", "CREVIEWS", posted["ts"], "approve"))
    await socket.ack(await socket.next_frame())

    clock.advance(ACK_SECONDS)

    assert await click is False


@pytest.mark.parametrize(("seconds", "acked"), [(2.0, True), (4.0, False)], ids=["in time", "too late"])
async def test_a_delayed_ack_counts_when_it_comes(control, make_socket, slack, card, clock, seconds, acked):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    socket = await make_socket()
    await socket.ack(await socket.next_frame())
    await control.faults(delivery="delay_ack", seconds=seconds, only="block_actions")
    click = asyncio.ensure_future(control.click("Bruno", "CREVIEWS", posted["ts"], "approve"))
    await socket.ack(await socket.next_frame())
    command = asyncio.ensure_future(control.command("Ana", "general", "/flows"))
    await socket.ack(await socket.next_frame())
    await command

    clock.advance(5)

    assert await click is acked


async def test_a_fault_for_one_kind_waits_for_that_kind(control, make_socket):
    await make_socket()
    await control.faults(delivery="drop_ack", only="view_submission")

    await control.say("Ana", "general", "hello")

    assert (await control.faults())["deliveries"] == [{"delivery": "drop_ack", "times": 1, "only": "view_submission"}]


async def test_a_cut_line_still_carried_the_frame(control, make_socket):
    socket = await make_socket()
    await control.faults(delivery="close_socket")

    await control.say("Ana", "general", "hello")

    assert (await socket.next_frame())["payload"]["event"]["text"] == "hello"
    assert (await socket.socket.receive()).type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)


async def test_what_was_on_a_cut_line_is_sent_again_over_the_next(control, make_socket, clock):
    first = await make_socket()
    await control.faults(delivery="close_socket")
    await control.say("Ana", "general", "hello")
    await first.next_frame()
    await first.socket.receive()
    second = await make_socket()

    clock.advance(ACK_SECONDS)

    assert (await second.next_frame())["retry_attempt"] == 1


async def test_a_real_bot_comes_back_after_a_cut_line(control, bot):
    await control.faults(delivery="close_socket")
    await control.say("Ana", "general", "first")
    await control.say("Ana", "general", "second")

    texts = [(await bot.next_body("message"))["event"]["text"] for _ in range(2)]
    assert texts == ["first", "second"]


async def test_a_line_cut_under_a_duplicate_does_not_hang(control, make_socket):
    socket = await make_socket()
    await control.faults(delivery="close_socket")
    await control.faults(delivery="duplicate")

    await control.say("Ana", "general", "hello")

    assert (await socket.next_frame())["payload"]["event"]["text"] == "hello"


async def test_a_disconnect_frame_moves_deliveries_to_the_other_connection(control, make_socket):
    first = await make_socket()
    await control.faults(delivery="disconnect")
    second = await make_socket()

    await control.say("Ana", "general", "hello")

    assert (await first.next_frame())["type"] == "disconnect"
    assert (await second.next_frame())["payload"]["event"]["text"] == "hello"
