"""The control API: what people can do, what can be looked at, and how wrong input is answered."""

import asyncio

import pytest

from bot.sandbox import NothingHappenedError, SandboxError

SELECT = {
    "type": "static_select",
    "action_id": "reason",
    "options": [
        {"text": {"type": "plain_text", "text": "Duplicate"}, "value": "duplicate"},
        {"text": {"type": "plain_text", "text": "Fraud"}, "value": "fraud"},
    ],
}


async def test_the_state_lists_people_in_order_and_every_channel(control):
    state = await control.state()

    people = [(one["id"], one["name"], one["title"]) for one in state["users"] if not one["is_bot"]]
    assert people == [
        ("UANA", "ana", "author"),
        ("UBRUNO", "bruno", "reviewer"),
        ("UCARLA", "carla", "second reviewer"),
        ("UGIL", "gil", "guest"),
        ("UEVE", "eve", "other company"),
    ]
    rooms = [(one["id"], one["name"]) for one in state["channels"] if not one["is_im"]]
    assert rooms == [("CGENERAL", "general"), ("CREVIEWS", "content-reviews"), ("CPARTNERS", "partners")]
    assert [one["handle"] for one in state["usergroups"]] == ["editors"]
    assert [one["locale"] for one in state["users"][:3]] == ["pt-BR", "en-US", "ko-KR"]


@pytest.mark.parametrize("user", ["UANA", "ana", "Ana", "@Ana"])
@pytest.mark.parametrize("channel", ["CREVIEWS", "content-reviews", "#content-reviews"])
async def test_people_and_channels_are_found_by_id_and_name(control, user, channel):
    ts = await control.say(user, channel, "hi")

    assert [(one["user"], one["ts"]) for one in await control.messages("CREVIEWS")] == [("UANA", ts)]


@pytest.mark.parametrize("channel", ["DBRUNO", "@Bruno", "@Flow reviews"])
async def test_a_persons_direct_message_has_several_names(control, channel):
    await control.say("Bruno", channel, "hi")

    assert [one["text"] for one in await control.messages("DBRUNO")] == ["hi"]


async def test_what_people_type_is_stored_escaped(control):
    await control.say("Ana", "general", "a < b & <@UBRUNO> <b>")

    [message] = await control.messages("general")
    assert message["text"] == "a &lt; b &amp; <@UBRUNO> &lt;b&gt;"


async def test_a_reply_to_a_reply_goes_to_the_thread(control):
    root = await control.say("Ana", "general", "root")
    reply = await control.say("Bruno", "general", "reply", thread_ts=root)

    await control.say("Ana", "general", "again", thread_ts=reply)

    assert [one["text"] for one in await control.thread("general", root)] == ["root", "reply", "again"]


async def test_a_thread_is_found_by_any_of_its_messages(control):
    root = await control.say("Ana", "general", "root")
    reply = await control.say("Bruno", "general", "reply", thread_ts=root)

    assert await control.thread("general", reply) == await control.thread("general", root)


async def test_a_command_in_a_thread_is_refused_by_the_client(control):
    root = await control.say("Ana", "general", "root")

    with pytest.raises(SandboxError) as refused:
        await control.command("Ana", "general", "/flows", "status", thread_ts=root)

    assert (refused.value.status, refused.value.answer["error"]) == (400, "command_in_thread")
    assert refused.value.answer["message"].startswith("/flows")
    assert await control.deliveries(kind="/flows") == []


async def test_a_command_reaches_the_bot_with_its_text_escaped(control, bot):
    @bot.app.command("/flows")
    async def flows(ack):
        await ack()

    acked = await control.command("Ana", "general", "/flows", 'start topic="A & B"')

    body = await bot.next_body("/flows")
    assert (acked, body["text"]) == (True, 'start topic="A &amp; B"')


async def test_a_click_is_acknowledged_by_a_real_bot(control, bot, slack, card):
    @bot.app.action("approve")
    async def approve(ack):
        await ack()

    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)

    assert await control.click("Bruno", "CREVIEWS", posted["ts"], "approve") is True
    action = (await bot.next_body("block_actions"))["actions"][0]
    assert (action["action_id"], action["block_id"], action["value"]) == ("approve", "decide", "rv:1")


async def test_a_value_overrides_that_of_a_button(control, slack, card):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)

    await control.click("Bruno", "CREVIEWS", posted["ts"], "approve", value="rv:0")

    [click] = await control.deliveries(kind="block_actions")
    assert click["payload"]["actions"][0]["value"] == "rv:0"


async def test_what_stands_in_an_input_is_told_with_the_next_click(control, slack, card):
    blocks = [*card, {"type": "actions", "block_id": "pick", "elements": [SELECT]}]
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=blocks)
    await control.click("Bruno", "CREVIEWS", posted["ts"], "reason", value="fraud")

    await control.click("Bruno", "CREVIEWS", posted["ts"], "approve")
    await control.click("Carla", "CREVIEWS", posted["ts"], "approve")

    clicks = await control.deliveries(kind="block_actions")
    chosen = [one["payload"]["state"]["values"]["pick"]["reason"]["selected_option"] for one in clicks]
    assert [one and one["value"] for one in chosen] == ["fraud", "fraud", None]


async def test_a_dismissed_note_is_gone(control, slack):
    note = await slack.chat_postEphemeral(channel="CGENERAL", user="UANA", text="psst")

    await control.dismiss("Ana", "general", note["message_ts"])

    assert await control.messages("general", user="Ana") == []


async def test_calls_are_numbered_and_can_be_waited_for(control, slack):
    await slack.auth_test()
    after = await control.last_call()
    waiting = asyncio.ensure_future(control.wait_for_call("chat.postMessage", after=after))
    await slack.users_list()

    await slack.chat_postMessage(channel="CGENERAL", text="hi")

    call = await waiting
    assert (call["n"], call["args"]["text"]) == (after + 2, "hi")


async def test_a_call_that_never_comes_is_told_with_what_came_instead(control, slack):
    await slack.auth_test()

    with pytest.raises(NothingHappenedError) as nothing:
        await control.wait_for_call("chat.update", within=0)

    assert nothing.value.seen == ["auth.test"]


async def test_a_refused_call_is_recorded_with_its_error(control, http, sandbox):
    async with http.get(f"{sandbox.api_url}chat.shout"):
        pass

    [call] = await control.calls()
    assert (call["method"], call["ok"], call["error"]) == ("chat.shout", False, "unknown_method")


async def test_reset_brings_back_the_seed_and_keeps_the_bot_and_the_numbers(control, slack, make_socket):
    await make_socket()
    ts = await control.say("Ana", "general", "hi")
    await slack.auth_test()
    await control.put_channel("random")
    await control.faults(method="chat.update", fault="http_500")
    before = await control.last_call()

    await control.reset()

    assert await control.messages("general") == []
    assert "random" not in [one["name"] for one in (await control.state())["channels"]]
    assert (await control.calls(), (await control.faults())["methods"]) == ([], [])
    assert await control.is_ready()
    await slack.auth_test()
    assert await control.last_call() == before + 1
    assert await control.say("Ana", "general", "again") > ts


@pytest.mark.parametrize(
    ("path", "body", "field", "expected", "known"),
    [
        pytest.param(
            "messages", {"user": "Zoe", "channel": "general", "text": "x"}, "user", "Zoe", "UANA (Ana)", id="person"
        ),
        pytest.param(
            "messages", {"user": "Ana", "channel": "x", "text": "x"}, "channel", "'x'", "CGENERAL", id="channel"
        ),
        pytest.param(
            "messages", {"user": "Ana", "channel": "DBRUNO", "text": "x"}, "channel", "UANA is in", "DANA", id="not in"
        ),
        pytest.param("messages", {"user": "Ana", "channel": "general"}, "text", "a string", "", id="no text"),
        pytest.param("messages", {"user": "Ana", "channel": "general", "text": " "}, "text", "say", "", id="empty"),
        pytest.param(
            "messages",
            {"user": "Ana", "channel": "general", "text": "x", "tread_ts": "1"},
            "tread_ts",
            "no such field",
            "thread_ts",
            id="unknown field",
        ),
        pytest.param(
            "messages",
            {"user": "Ana", "channel": "general", "text": "x", "thread_ts": "1.1"},
            "thread_ts",
            "a message in CGENERAL",
            "",
            id="thread",
        ),
        pytest.param(
            "messages",
            {"user": "Ana", "channel": "general", "text": "x", "as_bot": True, "bot_kind": "robot"},
            "bot_kind",
            "known values",
            "workflow",
            id="kind of app",
        ),
        pytest.param(
            "commands",
            {"user": "Ana", "channel": "general", "command": "/dance"},
            "command",
            "the app declares",
            "/flows",
            id="command",
        ),
        pytest.param("home", {"user": "Ana", "tab": "files"}, "tab", "known values", "messages", id="tab"),
        pytest.param(
            "faults", {"method": "chat.x", "fault": "http_500"}, "method", "known", "chat.update", id="method"
        ),
        pytest.param("faults", {"method": "*", "fault": "http_502"}, "fault", "known fault", "http_503", id="fault"),
        pytest.param("faults", {"delivery": "lost"}, "delivery", "known", "drop_ack", id="delivery"),
        pytest.param("faults", {"switch": "light", "on": True}, "switch", "known", "rate_limits", id="switch"),
        pytest.param("faults", {"switch": "rate_limits"}, "on", "true or false", "", id="switch without on"),
        pytest.param("faults", {"method": "*", "fault": "http_500", "times": 0}, "times", "from 1 on", "", id="times"),
        pytest.param("channels", {"name": "x", "members": "Ana"}, "members", "array of strings", "", id="members"),
    ],
)
async def test_wrong_input_is_told_by_field_expectation_and_known_values(
    http, sandbox, path, body, field, expected, known
):
    async with http.post(f"{sandbox.url}/sandbox/{path}", json=body) as response:
        answer = await response.json()

    assert (response.status, answer["ok"], answer["field"]) == (400, False, field)
    assert expected in answer["expected"]
    assert known in ", ".join(answer.get("known", []))


@pytest.mark.parametrize("data", ["{", "[]"], ids=["no JSON", "no object"])
@pytest.mark.parametrize("path", ["messages", "reset"])
async def test_a_body_that_is_no_object_is_told(http, sandbox, path, data):
    async with http.post(f"{sandbox.url}/sandbox/{path}", data=data) as response:
        assert (response.status, (await response.json())["field"]) == (400, "body")


async def test_null_is_the_same_as_left_out(http, sandbox, control):
    body = {"user": "Ana", "channel": "general", "text": "hi", "thread_ts": None, "as_bot": None}

    async with http.post(f"{sandbox.url}/sandbox/messages", json=body) as response:
        assert response.status == 200

    assert len(await control.messages("general")) == 1


@pytest.mark.parametrize("query", ["after=x", "wait_s=soon"])
async def test_a_query_that_is_no_number_is_told(http, sandbox, query):
    async with http.get(f"{sandbox.url}/sandbox/calls?{query}") as response:
        assert (response.status, (await response.json())["field"]) == (400, query.split("=")[0])


async def test_an_action_there_is_not_is_told_with_those_there_are(control, slack, card):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)

    with pytest.raises(SandboxError) as refused:
        await control.click("Bruno", "CREVIEWS", posted["ts"], "reject")

    assert (refused.value.status, refused.value.answer["error"]) == (404, "action_not_found")
    assert refused.value.answer["known"] == ["decide.approve"]


async def test_a_client_that_is_behind_can_press_what_it_still_shows(control, slack, card):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    await slack.chat_update(channel="CREVIEWS", ts=posted["ts"], text="decided")

    await control.click("Bruno", "CREVIEWS", posted["ts"], "approve")

    [click] = await control.deliveries(kind="block_actions")
    assert click["payload"]["message"]["text"] == "card"
    assert click["payload"]["actions"][0]["value"] == "rv:1"


async def test_an_action_in_another_block_is_not_there(control, slack, card):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)

    with pytest.raises(SandboxError) as refused:
        await control.click("Bruno", "CREVIEWS", posted["ts"], "approve", block_id="other")

    assert refused.value.status == 404


async def test_a_message_there_is_not_cannot_be_acted_on(control):
    ts = await control.say("Ana", "general", "hi")

    with pytest.raises(SandboxError) as refused:
        await control.click("Bruno", "general", "1.000001", "approve")

    assert (refused.value.status, refused.value.answer["known"]) == (404, [ts])


async def test_an_option_there_is_not_cannot_be_chosen(control, slack):
    blocks = [{"type": "actions", "block_id": "pick", "elements": [SELECT]}]
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=blocks)

    with pytest.raises(SandboxError) as refused:
        await control.click("Bruno", "CREVIEWS", posted["ts"], "reason", value="greed")

    assert (refused.value.status, refused.value.answer["known"]) == (400, ["duplicate", "fraud"])


async def test_a_submit_of_an_input_there_is_not_is_told(control, slack, card, bot):
    opened = asyncio.Event()

    @bot.app.action("approve")
    async def approve(ack, body, client):
        await ack()
        title = {"type": "plain_text", "text": "T"}
        element = {"type": "plain_text_input", "action_id": "text"}
        block = {"type": "input", "block_id": "note", "label": title, "element": element}
        view = {"type": "modal", "title": title, "submit": title, "blocks": [block]}
        await client.views_open(trigger_id=body["trigger_id"], view=view)
        opened.set()

    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    await control.click("Bruno", "CREVIEWS", posted["ts"], "approve")
    await asyncio.wait_for(opened.wait(), 5)
    [view] = await control.views("Bruno")

    with pytest.raises(SandboxError) as refused:
        await control.submit("Bruno", view["id"], {"note": {"words": "x"}})

    assert refused.value.answer["known"] == ["note.text"]


@pytest.mark.parametrize("act", ["edit", "delete"])
async def test_only_the_author_edits_and_deletes(control, act):
    ts = await control.say("Ana", "general", "hi")
    text = {"edit": ("other",), "delete": ()}[act]

    with pytest.raises(SandboxError) as refused:
        await getattr(control, act)("Bruno", "general", ts, *text)

    assert (refused.value.answer["field"], "UANA" in refused.value.answer["expected"]) == ("user", True)


async def test_nobody_speaks_in_an_archived_channel(control):
    await control.put_channel("old", members=["Ana"], is_archived=True)

    with pytest.raises(SandboxError) as refused:
        await control.say("Ana", "old", "hi")

    assert "archived" in refused.value.answer["expected"]


async def test_a_changed_channel_keeps_its_members_and_messages(control):
    first = await control.put_channel("random", members=["Ana"])
    await control.say("Ana", "random", "hi")

    again = await control.put_channel("random", is_archived=True)

    assert (again["id"], again["members"], again["is_archived"]) == (first["id"], ["UANA"], True)
    assert len(await control.messages("random")) == 1
