"""Time that is moved by hand: what goes by it, what goes by real time, and how another process learns of it."""

import json

import pytest

from bot.sandbox import ManualClock, Sandbox, SandboxClient, SandboxError
from bot.sandbox.clock_offset import FARTHEST_S

NOW = 1_780_000_000.0
HOUR = 3_600.0


async def test_messages_of_people_and_bot_are_stamped_with_the_moved_time(slack, control):
    moved = await control.advance_clock(HOUR)

    said = await control.say("Ana", "general", "hi")
    posted = await slack.chat_postMessage(channel="CGENERAL", text="hi")

    assert moved == NOW + HOUR
    assert [round(float(ts)) for ts in (said, posted["ts"])] == [NOW + HOUR] * 2


async def test_steps_add_up(control):
    await control.advance_clock(HOUR)

    await control.advance_clock(0.5)

    state = await control.state()
    assert (state["offset_s"], state["now"]) == (HOUR + 0.5, NOW + HOUR + 0.5)


@pytest.mark.usefixtures("willing_socket")
async def test_events_and_presses_carry_the_moved_time(slack, control, card):
    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.advance_clock(HOUR)

    await control.say("Ana", "general", "hi")
    await control.click("Bruno", "content-reviews", ts, "approve")

    events = await control.deliveries(kind="message")
    [press] = await control.deliveries(kind="block_actions")
    assert [one["payload"]["event_time"] for one in events] == [NOW, NOW + HOUR]
    assert round(float(press["payload"]["actions"][0]["action_ts"])) == NOW + HOUR


@pytest.mark.usefixtures("willing_socket")
async def test_a_trigger_does_not_age_by_it(slack, control, card):
    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.click("Bruno", "content-reviews", ts, "approve")
    trigger = (await control.deliveries(kind="block_actions"))[-1]["payload"]["trigger_id"]
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Why"}, "blocks": []}

    await control.advance_clock(HOUR)

    assert (await slack.views_open(trigger_id=trigger, view=view))["ok"]


@pytest.mark.usefixtures("willing_socket")
async def test_a_response_url_does_not_age_by_it(control, slack, card, http):
    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.click("Bruno", "content-reviews", ts, "approve")
    url = (await control.deliveries(kind="block_actions"))[-1]["payload"]["response_url"]

    await control.advance_clock(HOUR)

    async with http.post(url, json={"text": "late", "response_type": "in_channel"}) as response:
        assert response.status == 200
    assert round(float((await control.messages("content-reviews"))[-1]["ts"])) == NOW + HOUR


async def test_nothing_is_delivered_again_because_of_it(control, make_socket):
    socket = await make_socket()
    await control.say("Ana", "general", "hi")
    frame = await socket.next_frame()

    await control.advance_clock(HOUR)
    await socket.ack(frame)

    [delivery] = await control.deliveries(acked=True, wait_s=5)
    assert delivery["attempt"] == 0


async def test_the_bot_is_not_said_to_have_been_silent_for_it(control, make_socket):
    socket = await make_socket()
    await control.say("Ana", "general", "hi")
    await socket.ack(await socket.next_frame())
    await control.deliveries(acked=True, wait_s=5)

    await control.advance_clock(HOUR)

    state = await control.state()
    assert state["bot"]["last_event_at"] == state["now"]


async def test_back_to_real_time_no_ts_is_given_twice(control):
    await control.advance_clock(HOUR)
    late = await control.say("Ana", "general", "late")

    real = await control.reset_clock()

    assert real == NOW
    assert float(await control.say("Ana", "general", "now")) > float(late)


async def test_starting_over_leaves_the_time_where_it_is(control):
    await control.advance_clock(HOUR)

    await control.reset()

    assert (await control.state())["offset_s"] == HOUR


@pytest.mark.parametrize(
    "seconds",
    [0, -1, FARTHEST_S + 1, float("nan"), "60", True, None],
    ids=["none", "back", "too far", "no number", "a text", "a flag", "left out"],
)
async def test_a_step_that_makes_no_sense_is_refused(control, http, sandbox, seconds):
    async with http.post(f"{sandbox.url}/sandbox/clock", json={"advance_s": seconds}) as response:
        answer = await response.json()

    assert (response.status, answer["field"]) == (400, "advance_s")
    assert (await control.state())["offset_s"] == 0


async def test_steps_that_lead_too_far_are_refused(control):
    await control.advance_clock(FARTHEST_S - 1)

    with pytest.raises(SandboxError):
        await control.advance_clock(2)


async def test_pages_are_told(control, http, sandbox):
    async with http.ws_connect(f"{sandbox.url}/ui/ws") as feed:
        assert (await feed.receive_json(timeout=5))["offset_s"] == 0

        await control.advance_clock(HOUR)

        frames = [await feed.receive_json(timeout=5) for _ in range(2)]
    assert frames[0] == {"type": "clock", "now": NOW + HOUR, "offset_s": HOUR}
    assert frames[1]["type"] == "bot"


class TestTheFile:
    """How a bot in another process learns of it."""

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "clock.json"

    async def test_it_is_there_before_anybody_can_connect(self, path):
        path.write_text('{"offset_s": 99}', "utf-8")

        async with Sandbox(clock=ManualClock(), clock_file=path):
            assert json.loads(path.read_text("utf-8")) == {"offset_s": 0}

    async def test_it_says_how_far_the_time_was_moved(self, path):
        async with Sandbox(clock=ManualClock(), clock_file=path) as sandbox, SandboxClient(sandbox.url) as control:
            await control.advance_clock(HOUR)
            moved = json.loads(path.read_text("utf-8"))
            await control.reset_clock()

        assert [moved, json.loads(path.read_text("utf-8"))] == [{"offset_s": HOUR}, {"offset_s": 0}]

    async def test_it_is_replaced_and_never_written_over(self, path):
        async with Sandbox(clock=ManualClock(), clock_file=path) as sandbox, SandboxClient(sandbox.url) as control:
            with path.open("rb") as opened_before:
                await control.advance_clock(HOUR)

                assert json.loads(opened_before.read()) == {"offset_s": 0}
        assert [one.name for one in path.parent.iterdir()] == ["clock.json"]
