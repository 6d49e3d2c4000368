"""The good path of every Web API method, and what it leaves behind."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.methods import METHODS

METADATA = {"event_type": "flow_review", "event_payload": {"review_id": "rv-1"}}


@pytest.fixture
async def root(control) -> str:
    return await control.say("Ana", "content-reviews", "please review")


@pytest.fixture
async def posted(slack, card) -> str:
    answer = await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card, metadata=METADATA)
    return answer["ts"]


async def last_message(control, channel: str = "CREVIEWS"):
    return (await control.messages(channel))[-1]


async def test_auth_test_says_who_the_bot_is(slack):
    answer = await slack.auth_test()

    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("UFLOWBOT", "BFLOWBOT", "TSANDBOX")


async def test_a_connection_is_opened_with_the_app_token(slack, sandbox):
    answer = await slack.apps_connections_open(app_token="xapp-1-sandbox")

    assert answer["url"].startswith(sandbox.url.replace("http", "ws") + "/socket?ticket=")


@pytest.mark.parametrize(
    ("given", "channel"),
    [
        pytest.param("CREVIEWS", "CREVIEWS", id="by id"),
        pytest.param("#content-reviews", "CREVIEWS", id="by name"),
        pytest.param("UANA", "DANA", id="by a person's id"),
    ],
)
async def test_a_post_finds_its_channel(slack, control, given, channel):
    answer = await slack.chat_postMessage(channel=given, text="hi")

    assert answer["channel"] == channel
    assert (await last_message(control, channel))["ts"] == answer["ts"]


async def test_a_reply_counts_on_its_root(slack, control, root):
    first = await slack.chat_postMessage(channel="CREVIEWS", text="one", thread_ts=root)
    second = await slack.chat_postMessage(channel="CREVIEWS", text="two", thread_ts=root)

    counted, *replies = await control.thread("CREVIEWS", root)
    assert (counted["reply_count"], counted["latest_reply"]) == (2, second["ts"])
    assert counted["reply_users"] == ["UFLOWBOT"]
    assert [one["ts"] for one in replies] == [first["ts"], second["ts"]]
    assert replies[0]["parent_user_id"] == "UANA"


async def test_the_same_client_msg_id_gives_the_same_message(slack, control):
    first = await slack.chat_postMessage(channel="CREVIEWS", text="once", client_msg_id="one")

    again = await slack.chat_postMessage(channel="CREVIEWS", text="once", client_msg_id="one")

    assert (again["ts"], again["message"]["text"]) == (first["ts"], "once")
    assert len(await control.messages("CREVIEWS")) == 1


async def test_markdown_text_becomes_a_markdown_block(slack):
    answer = await slack.chat_postMessage(channel="CREVIEWS", markdown_text="**bold**")

    assert [block["type"] for block in answer["message"]["blocks"]] == ["markdown"]


async def test_blocks_without_text_get_slacks_fallback(slack, card):
    answer = await slack.api_call("chat.postMessage", json={"channel": "CREVIEWS", "blocks": card})

    assert answer["message"]["text"] == "This content can't be displayed."


async def test_missing_block_and_action_ids_are_given(slack):
    button = {"type": "button", "text": {"type": "plain_text", "text": "Go"}}

    answer = await slack.chat_postMessage(
        channel="CREVIEWS", text="x", blocks=[{"type": "actions", "elements": [button]}]
    )

    block = answer["message"]["blocks"][0]
    assert block["block_id"]
    assert block["elements"][0]["action_id"]


class TestUpdate:
    """chat.update keeps and drops what Slack keeps and drops."""

    async def test_text_alone_removes_the_blocks(self, slack, control, posted):
        await slack.chat_update(channel="CREVIEWS", ts=posted, text="done")

        message = await last_message(control)
        assert (message["text"], "blocks" in message) == ("done", False)

    async def test_blocks_alone_keep_the_text(self, slack, control, posted, card):
        fewer = [{**card[0], "block_id": "other"}]

        await slack.api_call("chat.update", json={"channel": "CREVIEWS", "ts": posted, "blocks": fewer})

        message = await last_message(control)
        assert (message["text"], message["blocks"][0]["block_id"]) == ("card", "other")

    async def test_metadata_is_kept(self, slack, control, posted):
        await slack.chat_update(channel="CREVIEWS", ts=posted, text="done")

        assert (await last_message(control))["metadata"] == METADATA

    async def test_empty_metadata_removes_it(self, slack, control, posted):
        await slack.chat_update(channel="CREVIEWS", ts=posted, text="done", metadata={})

        assert "metadata" not in await last_message(control)

    async def test_changed_text_is_marked_as_edited_and_changed_blocks_are_not(self, slack, control, posted, card):
        await slack.chat_update(channel="CREVIEWS", ts=posted, text="card 2", blocks=card)
        unmarked = await last_message(control)
        await slack.chat_update(channel="CREVIEWS", ts=posted, text="card 3")

        assert "edited" not in unmarked
        assert (await last_message(control))["edited"]["user"] == "UFLOWBOT"

    async def test_the_message_keeps_its_ts_and_its_thread(self, slack, control, root):
        reply = await slack.chat_postMessage(channel="CREVIEWS", text="one", thread_ts=root)

        await slack.chat_update(channel="CREVIEWS", ts=reply["ts"], text="two")

        assert [one["text"] for one in await control.thread("CREVIEWS", root)] == ["please review", "two"]


async def test_a_deleted_message_is_gone(slack, control, posted):
    await slack.chat_delete(channel="CREVIEWS", ts=posted)

    assert await control.messages("CREVIEWS") == []


async def test_a_deleted_root_with_replies_leaves_a_tombstone(slack, control, posted):
    await control.say("Ana", "content-reviews", "a reply", thread_ts=posted)

    await slack.chat_delete(channel="CREVIEWS", ts=posted)

    tombstone, reply = await control.thread("CREVIEWS", posted)
    assert (tombstone["subtype"], reply["text"]) == ("tombstone", "a reply")


async def test_a_private_note_is_seen_by_its_reader_alone(slack, control):
    await slack.chat_postEphemeral(channel="CREVIEWS", user="UBRUNO", text="psst")

    assert [one["text"] for one in await control.messages("CREVIEWS", user="Bruno")] == ["psst"]
    assert await control.messages("CREVIEWS", user="Carla") == []
    assert await control.messages("CREVIEWS") == []


async def test_a_private_note_in_a_thread_is_seen_in_that_thread(slack, control, root):
    await slack.chat_postEphemeral(channel="CREVIEWS", user="UBRUNO", text="psst", thread_ts=root)

    there = await control.thread("CREVIEWS", root, user="Bruno")
    assert [(one["text"], one.get("ephemeral")) for one in there] == [("please review", None), ("psst", True)]


async def test_a_permalink_leads_to_the_page(slack, sandbox, http, root):
    reply = await slack.chat_postMessage(channel="CREVIEWS", text="one", thread_ts=root)

    answer = await slack.chat_getPermalink(channel="CREVIEWS", message_ts=reply["ts"])

    assert answer["permalink"].startswith(f"{sandbox.url}/archives/CREVIEWS/p")
    async with http.get(answer["permalink"], allow_redirects=False) as response:
        assert response.headers["Location"] == f"/?channel=CREVIEWS&ts={reply['ts']}&thread_ts={root}"


class TestConversations:
    """What the bot can find out about channels."""

    async def test_a_person_has_a_direct_message(self, slack):
        assert (await slack.conversations_open(users="UANA"))["channel"]["id"] == "DANA"

    async def test_info_of_a_channel(self, slack):
        channel = (await slack.conversations_info(channel="CREVIEWS"))["channel"]

        assert (channel["name"], channel["is_member"], channel["is_archived"]) == ("content-reviews", True, False)

    async def test_info_of_a_direct_message_names_its_person(self, slack):
        channel = (await slack.conversations_info(channel="DBRUNO"))["channel"]

        assert (channel["is_im"], channel["user"], "name" in channel) == (True, "UBRUNO", False)

    async def test_a_list_holds_the_wanted_kinds(self, slack):
        public = await slack.conversations_list()
        direct = await slack.conversations_list(types="im")

        assert [one["id"] for one in public["channels"]] == ["CGENERAL", "CREVIEWS", "CPARTNERS"]
        assert [one["id"] for one in direct["channels"]] == ["DANA", "DBRUNO", "DCARLA", "DGIL"]

    async def test_a_list_may_leave_out_archived_channels(self, slack, control):
        await control.put_channel("old", is_archived=True)

        left = await slack.conversations_list(exclude_archived=True)

        assert [one["id"] for one in left["channels"]] == ["CGENERAL", "CREVIEWS", "CPARTNERS"]

    async def test_members_come_in_pages(self, slack: AsyncWebClient):
        pages = [page["members"] async for page in await slack.conversations_members(channel="CGENERAL", limit=3)]

        assert pages == [["UANA", "UBRUNO", "UCARLA"], ["UFLOWBOT"]]

    async def test_history_is_newest_first_and_without_replies(self, slack, control, root):
        await control.say("Ana", "content-reviews", "a reply", thread_ts=root)
        await control.say("Ana", "content-reviews", "later")

        history = await slack.conversations_history(channel="CREVIEWS")

        assert [one["text"] for one in history["messages"]] == ["later", "please review"]

    async def test_history_within_bounds(self, slack, control, root):
        middle = await control.say("Ana", "content-reviews", "middle")
        await control.say("Ana", "content-reviews", "later")

        inside = await slack.conversations_history(channel="CREVIEWS", oldest=root, latest=middle, inclusive=True)
        outside = await slack.conversations_history(channel="CREVIEWS", oldest=root, latest=middle)

        assert [one["text"] for one in inside["messages"]] == ["middle", "please review"]
        assert outside["messages"] == []

    async def test_replies_of_a_root_are_oldest_first(self, slack, control, root):
        await control.say("Bruno", "content-reviews", "a reply", thread_ts=root)

        replies = await slack.conversations_replies(channel="CREVIEWS", ts=root)

        assert [one["text"] for one in replies["messages"]] == ["please review", "a reply"]

    async def test_replies_of_a_reply_are_that_reply_alone(self, slack, control, root):
        reply = await control.say("Bruno", "content-reviews", "a reply", thread_ts=root)

        replies = await slack.conversations_replies(channel="CREVIEWS", ts=reply)

        assert [one["text"] for one in replies["messages"]] == ["a reply"]

    @pytest.mark.parametrize(("asked", "told"), [(True, METADATA), (False, None)], ids=["asked for", "not asked for"])
    async def test_metadata_is_told_when_asked_for(self, slack, posted, asked, told):
        history = await slack.conversations_history(channel="CREVIEWS", include_all_metadata=asked)
        replies = await slack.conversations_replies(channel="CREVIEWS", ts=posted, include_all_metadata=asked)

        assert [history["messages"][0].get("metadata"), replies["messages"][0].get("metadata")] == [told, told]

    async def test_the_bot_joins_and_is_told(self, slack, control, bot):
        channel = (await control.put_channel("random", members=["Ana"]))["id"]

        joined = await slack.conversations_join(channel=channel)

        assert joined["channel"]["is_member"]
        assert (await bot.next_body("member_joined_channel"))["event"]["user"] == "UFLOWBOT"
        assert (await slack.chat_postMessage(channel=channel, text="hi"))["ok"]

    async def test_joining_again_is_a_warning(self, slack):
        assert (await slack.conversations_join(channel="CGENERAL"))["warning"] == "already_in_channel"


class TestPeople:
    """What the bot can find out about accounts."""

    async def test_a_person_with_locale(self, slack):
        user = (await slack.users_info(user="UCARLA", include_locale=True))["user"]

        assert (user["locale"], user["tz"], user["is_bot"]) == ("ko-KR", "Asia/Seoul", False)

    async def test_a_person_without_locale(self, slack):
        user = (await slack.users_info(user="UCARLA"))["user"]

        assert ("locale" in user, user["profile"]["email"]) == (False, "carla@example.test")

    async def test_everybody(self, slack):
        members = (await slack.users_list())["members"]

        assert [one["id"] for one in members if not one["is_bot"]] == ["UANA", "UBRUNO", "UCARLA", "UGIL", "UEVE"]

    async def test_the_bot_itself(self, slack):
        assert (await slack.bots_info(bot="BFLOWBOT"))["bot"]["user_id"] == "UFLOWBOT"

    async def test_the_team(self, slack):
        assert (await slack.team_info())["team"]["domain"] == "sandbox"


async def test_a_reaction_is_on_the_message(slack, control, root):
    await slack.reactions_add(channel="CREVIEWS", timestamp=root, name="eyes")

    assert (await last_message(control))["reactions"] == [{"name": "eyes", "users": ["UFLOWBOT"], "count": 1}]


async def test_a_thread_status_is_taken(slack, root):
    answer = await slack.assistant_threads_setStatus(channel_id="CREVIEWS", thread_ts=root, status="is thinking")

    assert answer["ok"]


async def test_a_session_keeps_the_title_it_was_created_with(slack, root):
    place = {"channel_id": "CREVIEWS", "thread_ts": root}
    await slack.api_call("agents.sessions.setStatus", json={**place, "status": "processing", "title": "Review"})

    answer = await slack.api_call("agents.sessions.setStatus", json={**place, "status": "closed", "title": "Other"})

    assert (answer["status"], answer["title"]) == ("closed", "Review")


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"blocks": [{"type": "divider"}]}, id="blocks"),
        pytest.param({"message": {"blocks": [{"type": "divider"}]}}, id="a message"),
        pytest.param({"view": {"type": "home", "blocks": [{"type": "divider"}]}}, id="a view"),
    ],
)
async def test_blocks_validate_accepts_what_is_right(slack, given):
    assert (await slack.api_call("blocks.validate", json=given))["ok"]


@pytest.mark.parametrize(
    "send",
    [
        pytest.param({"params": {"channel": "CREVIEWS", "limit": "1"}, "http_verb": "GET"}, id="GET with a query"),
        pytest.param({"params": {"channel": "CREVIEWS", "limit": "1"}}, id="POST with a query"),
        pytest.param({"data": {"channel": "CREVIEWS", "limit": "1"}}, id="POST with a form"),
        pytest.param({"json": {"channel": "CREVIEWS", "limit": 1}}, id="POST with JSON"),
    ],
)
async def test_arguments_are_read_wherever_they_stand(slack, root, send):
    answer = await slack.api_call("conversations.history", **send)

    assert [one["ts"] for one in answer["messages"]] == [root]


async def test_nested_arguments_may_be_json_in_a_form(http, sandbox, control):
    form = {"token": sandbox.bot_token, "channel": "CREVIEWS", "text": "x", "blocks": '[{"type": "divider"}]'}

    async with http.post(f"{sandbox.api_url}chat.postMessage", data=form) as response:
        answer = await response.json()

    assert answer["message"]["blocks"][0]["type"] == "divider"


async def test_calls_are_recorded_without_the_token(http, sandbox, control):
    form = {"token": sandbox.bot_token, "channel": "CREVIEWS", "text": "x"}
    async with http.post(f"{sandbox.api_url}chat.postMessage", data=form) as response:
        await response.read()

    call = await control.wait_for_call("chat.postMessage")
    assert (call["args"], call["ok"], call["error"]) == ({"channel": "CREVIEWS", "text": "x"}, True, None)


def test_every_method_names_its_arguments_once():
    names = [[argument.name for argument in method.args] for method in METHODS.values()]

    assert names == [list(dict.fromkeys(one)) for one in names]
