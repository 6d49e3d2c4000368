"""The page's files and its feed of changes."""

import asyncio
from typing import Any

import pytest
from yarl import URL


class Page:
    """A page's feed."""

    def __init__(self, socket) -> None:
        self.socket = socket

    async def next(self, *kinds: str) -> dict[str, Any]:
        """The next frame of one of these kinds; others are passed over."""
        async with asyncio.timeout(5):
            while True:
                frame = await self.socket.receive_json()
                if frame["type"] in kinds:
                    return frame


@pytest.fixture
async def page(http, sandbox):
    async with http.ws_connect(f"{sandbox.url}/ui/ws") as socket:
        opened = Page(socket)
        await opened.next("snapshot")
        yield opened


async def snapshot_of(http, sandbox) -> dict[str, Any]:
    async with http.ws_connect(f"{sandbox.url}/ui/ws") as socket:
        return await Page(socket).next("snapshot")


async def test_the_page_and_its_files_are_served(http, sandbox):
    async with http.get(sandbox.url) as index, http.get(f"{sandbox.url}/ui/main.js") as script:
        assert (index.content_type, script.content_type) == ("text/html", "text/javascript")


@pytest.mark.parametrize("path", ["/ui/nothing.js", "/ui/..%2fserver.py", "/ui/%2e%2e/server.py", "/ui/.."])
async def test_nothing_outside_the_pages_directory_is_served(http, sandbox, path):
    async with http.get(URL(sandbox.url + path, encoded=True)) as response:
        assert response.status == 404


async def test_a_snapshot_holds_all_there_is(http, sandbox, control, slack):
    root = await control.say("Ana", "general", "root")
    await control.say("Bruno", "general", "reply", thread_ts=root)
    await slack.chat_postEphemeral(channel="CGENERAL", user="UANA", text="psst")
    await slack.views_publish(user_id="UANA", view={"type": "home", "blocks": []})

    snapshot = await snapshot_of(http, sandbox)

    assert [one["text"] for one in snapshot["messages"]["CGENERAL"]] == ["root", "reply"]
    assert [(one["user"], one["message"]["text"]) for one in snapshot["ephemerals"]] == [("UANA", "psst")]
    assert snapshot["homes"]["UANA"]["type"] == "home"
    assert snapshot["bot"] == {"connected": False, "last_event_at": None, "ever_connected": False}
    assert snapshot["app"]["commands"][0]["command"] == "/flows"
    assert [one["id"] for one in snapshot["channels"]] == [
        *("CGENERAL", "CREVIEWS", "CPARTNERS"),
        *("DANA", "DBRUNO", "DCARLA", "DGIL"),
    ]
    assert [one["id"] for one in snapshot["usergroups"]] == ["SEDITORS"]
    assert (snapshot["team"]["id"], snapshot["app"]["bot_user_id"]) == ("TSANDBOX", "UFLOWBOT")


async def test_a_reply_is_shown_and_so_is_its_root(page, control):
    root = await control.say("Ana", "general", "root")
    await control.say("Bruno", "general", "reply", thread_ts=root)

    frames = [(await page.next("message"))["message"] for _ in range(3)]
    assert [(one["text"], one.get("reply_count")) for one in frames] == [("root", None), ("reply", None), ("root", 1)]


async def test_an_update_a_reaction_and_a_delete_are_shown(page, slack):
    ts = (await slack.chat_postMessage(channel="CGENERAL", text="one"))["ts"]
    await slack.chat_update(channel="CGENERAL", ts=ts, text="two")
    await slack.reactions_add(channel="CGENERAL", timestamp=ts, name="eyes")
    await slack.chat_delete(channel="CGENERAL", ts=ts)

    shown = [(await page.next("message"))["message"] for _ in range(3)]
    assert [one["text"] for one in shown] == ["one", "two", "two"]
    assert shown[-1]["reactions"][0]["name"] == "eyes"
    assert await page.next("message_deleted") == {"type": "message_deleted", "channel": "CGENERAL", "ts": ts}


async def test_a_private_note_comes_and_goes(page, control, slack):
    note = await slack.chat_postEphemeral(channel="CGENERAL", user="UANA", text="psst")
    await control.dismiss("Ana", "general", note["message_ts"])

    shown = await page.next("ephemeral")
    assert (shown["user"], shown["message"]["ephemeral"]) == ("UANA", True)
    assert (await page.next("ephemeral_deleted"))["ts"] == note["message_ts"]


async def test_a_modal_comes_and_goes(page, control, slack, card):
    posted = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card)
    await control.click("Bruno", "CREVIEWS", posted["ts"], "approve")
    [click] = await control.deliveries(kind="block_actions")
    view = {"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": []}
    opened = await slack.views_open(trigger_id=click["payload"]["trigger_id"], view=view)
    await control.close("Bruno", opened["view"]["id"])

    assert (await page.next("view"))["view"]["id"] == opened["view"]["id"]
    closed = {"type": "view_closed", "user": "UBRUNO", "view_id": opened["view"]["id"]}
    assert await page.next("view_closed") == closed


async def test_a_home_is_shown(page, slack):
    await slack.views_publish(user_id="UANA", view={"type": "home", "blocks": []})

    assert (await page.next("home"))["user"] == "UANA"


async def test_a_new_channel_is_shown(page, control):
    await control.put_channel("random", members=["Ana"])

    assert (await page.next("channel"))["channel"]["name"] == "random"


async def test_the_bot_comes_and_goes(page, make_socket):
    socket = await make_socket()
    await socket.socket.close()

    assert [(await page.next("bot"))["connected"] for _ in range(2)] == [True, False]


async def test_a_bot_that_is_to_reconnect_is_away_until_it_has(page, control, make_socket):
    await make_socket()
    await control.faults(delivery="disconnect")
    await make_socket()

    assert [(await page.next("bot"))["connected"] for _ in range(3)] == [True, False, True]


async def test_a_delivery_is_shown_when_sent_and_when_acknowledged(page, control, make_socket):
    socket = await make_socket()
    await control.say("Ana", "general", "hi")
    await socket.ack(await socket.next_frame())

    sent, acknowledged = (await page.next("delivery"))["delivery"], (await page.next("delivery"))["delivery"]
    assert (sent["n"], sent["acked"], sent["attempt"]) == (acknowledged["n"], None, 0)
    assert (acknowledged["acked"], acknowledged["kind"]) == (True, "events_api")


async def test_a_call_is_shown(page, slack):
    await slack.auth_test()

    assert (await page.next("call"))["call"]["method"] == "auth.test"


async def test_a_session_status_is_shown(page, control, slack):
    root = await control.say("Ana", "general", "root")
    place = {"channel_id": "CGENERAL", "thread_ts": root}
    await slack.api_call("agents.sessions.setStatus", json={**place, "status": "suspended"})

    assert (await page.next("session"))["session"]["status"] == "suspended"


async def test_after_a_reset_there_is_a_new_snapshot(page, control):
    await control.say("Ana", "general", "hi")
    await control.reset()

    await page.next("reset")
    assert (await page.next("snapshot"))["messages"]["CGENERAL"] == []


async def test_a_page_that_leaves_holds_up_nobody(http, sandbox, control):
    async with http.ws_connect(f"{sandbox.url}/ui/ws") as socket:
        await socket.receive_json()

    assert await control.say("Ana", "general", "hi")
