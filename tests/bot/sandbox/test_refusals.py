"""Every way in which the Web API says no: one row each, asked with Slack's own client."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import APP_TOKEN, Command, Manifest
from bot.sandbox.refusals import REFUSALS

TEXT = {"type": "plain_text", "text": "Title"}
MODAL = {"type": "modal", "title": TEXT, "blocks": []}
HOME = {"type": "home", "blocks": []}
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}
ONE_SECTION = [{"type": "section", "block_id": "rt", "text": TEXT}]
RICH = [{"type": "rich_text", "block_id": "rt", "elements": []}]
LONG = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]
MUCH = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2_700}} for _ in range(5)]


@dataclass(frozen=True, kw_only=True)
class Case:
    """{names} in the arguments are filled from the scene; `first` are calls that go before and succeed."""

    code: str
    method: str
    args: dict[str, Any]
    first: tuple[tuple[str, dict[str, Any]], ...] = ()
    switch: str | None = None
    later: float = 0.0
    needs: dict[str, Any] = field(default_factory=dict)


def case(code: str, method: str, args: dict[str, Any] | None = None, /, *, why: str = "", **more: Any) -> Any:
    return pytest.param(
        Case(code=code, method=method, args=args or {}, **more), id=f"{code}: {method}{' ' if why else ''}{why}"
    )


def post(**args: Any) -> dict[str, Any]:
    return {"channel": "CGENERAL", "text": "hi", **args}


OPEN_MODAL = ("views.open", {"trigger_id": "{trigger}", "view": MODAL})

CASES = (
    case("unknown_method", "chat.shout"),
    case("invalid_arguments", "chat.postMessage", {"text": "hi"}, why="without channel"),
    case("invalid_arguments", "views.open", {"trigger_id": "{trigger}", "view": "{{"}, why="no JSON"),
    case(
        "invalid_arguments",
        "views.open",
        {"trigger_id": "{trigger}", "view": {**MODAL, "title": {**TEXT, "text": "x" * 25}}},
    ),
    case("invalid_arguments", "views.open", {"trigger_id": "{trigger}", "view": HOME}, why="a home"),
    case("invalid_arguments", "views.publish", {"user_id": "UANA", "view": MODAL}, why="a modal"),
    case("invalid_arguments", "views.update", {"view": MODAL}, why="without an id"),
    case("invalid_arguments", "conversations.open", {"users": "UANA,UBRUNO"}),
    case("invalid_arguments", "conversations.list", {"cursor": "zzz"}, why="bad cursor"),
    case("invalid_arguments", "conversations.history", {"channel": "CGENERAL", "limit": "many"}, why="no number"),
    case("invalid_arguments", "blocks.validate", {}),
    case(
        "invalid_arguments",
        "agents.sessions.setStatus",
        {"channel_id": "CGENERAL", "thread_ts": "{root}", "status": "asleep"},
    ),
    case("channel_not_found", "chat.postMessage", post(channel="CNOWHERE")),
    case("channel_not_found", "chat.postMessage", post(channel="{secret}"), why="private without the bot"),
    case("channel_not_found", "conversations.info", {"channel": "CNOWHERE"}),
    case("not_in_channel", "chat.postMessage", post(channel="{foreign}")),
    case("not_in_channel", "conversations.history", {"channel": "{foreign}"}),
    case("is_archived", "chat.postMessage", post(channel="{archived}")),
    case("is_archived", "conversations.join", {"channel": "{archived}"}),
    case("method_not_supported_for_channel_type", "conversations.join", {"channel": "DANA"}),
    case("no_text", "chat.postMessage", {"channel": "CGENERAL"}),
    case("no_text", "chat.postEphemeral", {"channel": "CGENERAL", "user": "UANA", "blocks": []}),
    case("msg_too_long", "chat.update", {"channel": "CGENERAL", "ts": "{card}", "text": "x" * 4_001}),
    case("msg_too_long", "chat.postMessage", {"channel": "CGENERAL", "markdown_text": "x" * 12_001}),
    case("invalid_blocks", "chat.postMessage", post(blocks=LONG)),
    case("invalid_blocks", "chat.update", {"channel": "CGENERAL", "ts": "{card}", "blocks": LONG}),
    case("invalid_blocks", "blocks.validate", {"blocks": LONG}),
    case("invalid_blocks_format", "chat.postMessage", post(blocks="[{"), why="no JSON"),
    case("invalid_blocks_format", "chat.postMessage", post(blocks={"type": "section"}), why="no array"),
    case("msg_blocks_too_long", "chat.postMessage", post(blocks=MUCH)),
    case("markdown_text_conflict", "chat.postMessage", post(markdown_text="*hi*")),
    case("invalid_metadata_format", "chat.postMessage", post(metadata="{{")),
    case("invalid_metadata_format", "chat.postMessage", post(metadata=[]), why="an array"),
    case("invalid_metadata_schema", "chat.postMessage", post(metadata={"event_type": "x"})),
    case(
        "metadata_too_large",
        "chat.postMessage",
        post(metadata={"event_type": "x", "event_payload": {"note": "y" * 8_000}}),
    ),
    case("thread_not_found", "chat.postMessage", post(thread_ts="1.000001")),
    case("thread_not_found", "conversations.replies", {"channel": "CGENERAL", "ts": "1.000001"}),
    case(
        "thread_not_found",
        "agents.sessions.setStatus",
        {"channel_id": "CGENERAL", "thread_ts": "1.000001", "status": "closed"},
    ),
    case("cannot_reply_to_message", "chat.postMessage", post(thread_ts="{reply}")),
    case(
        "duplicate_message_not_found",
        "chat.postMessage",
        post(client_msg_id="{card_id}"),
        first=(("chat.delete", {"channel": "CGENERAL", "ts": "{card}"}),),
    ),
    case("message_not_found", "chat.update", {"channel": "CGENERAL", "ts": "1.000001", "text": "x"}),
    case("message_not_found", "chat.delete", {"channel": "CGENERAL", "ts": "1.000001"}),
    case("message_not_found", "chat.getPermalink", {"channel": "CGENERAL", "message_ts": "1.000001"}),
    case("message_not_found", "chat.update", {"channel": "CGENERAL", "ts": "{note}", "text": "x"}, why="private note"),
    case("cant_update_message", "chat.update", {"channel": "CGENERAL", "ts": "{root}", "text": "x"}),
    case("cant_delete_message", "chat.delete", {"channel": "CGENERAL", "ts": "{root}"}),
    case(
        "edit_window_closed",
        "chat.update",
        {"channel": "CGENERAL", "ts": "{card}", "text": "x"},
        switch="edit_window_closed",
    ),
    case(
        "block_mismatch",
        "chat.update",
        {"channel": "CGENERAL", "ts": "{rich}", "blocks": ONE_SECTION},
    ),
    case("user_not_in_channel", "chat.postEphemeral", post(user="UOTHERBOT")),
    case("user_not_found", "chat.postEphemeral", post(user="UNOBODY")),
    case("user_not_found", "users.info", {"user": "UNOBODY"}),
    case("user_not_found", "views.publish", {"user_id": "UNOBODY", "view": HOME}),
    case("user_not_found", "conversations.open", {"users": "UNOBODY"}),
    case("user_not_found", "conversations.open", {"users": "UOTHERBOT"}, why="no direct message"),
    case("user_disabled", "conversations.open", {"users": "{gone}"}),
    case("users_not_found", "users.lookupByEmail", {"email": "nobody@example.test"}),
    case("users_not_found", "users.lookupByEmail", {"email": "gil@example.test"}, why="deactivated"),
    case("no_such_subteam", "usergroups.users.list", {"usergroup": "SNOBODY"}),
    case("no_such_subteam", "usergroups.users.list", {"usergroup": "{disabled}"}, why="disabled"),
    case("plan_upgrade_required", "usergroups.list", switch="plan_upgrade_required"),
    case(
        "plan_upgrade_required",
        "usergroups.users.list",
        {"usergroup": "SEDITORS"},
        switch="plan_upgrade_required",
    ),
    case("is_archived", "reactions.add", {"channel": "{closed}", "timestamp": "{left}", "name": "eyes"}),
    case("is_archived", "chat.update", {"channel": "{closed}", "ts": "{left}", "text": "x"}),
    case("bot_not_found", "bots.info", {"bot": "BNOBODY"}),
    case("invalid_trigger_id", "views.open", {"trigger_id": "1.2.three", "view": MODAL}),
    case("invalid_trigger_id", "views.push", {"trigger_id": "{trigger}", "view": MODAL}, why="not from a modal"),
    case("expired_trigger_id", "views.open", {"trigger_id": "{trigger}", "view": MODAL}, later=3.1),
    case("exchanged_trigger_id", "views.open", {"trigger_id": "{trigger}", "view": MODAL}, first=(OPEN_MODAL,)),
    case(
        "duplicate_external_id",
        "views.open",
        {"trigger_id": "{second_trigger}", "view": {**MODAL, "external_id": "one"}},
        first=(("views.open", {"trigger_id": "{trigger}", "view": {**MODAL, "external_id": "one"}}),),
    ),
    case("hash_conflict", "views.publish", {"user_id": "UANA", "view": HOME, "hash": "1.old"}),
    case(
        "hash_conflict",
        "views.update",
        {"external_id": "one", "view": MODAL, "hash": "1.old"},
        first=(("views.open", {"trigger_id": "{trigger}", "view": {**MODAL, "external_id": "one"}}),),
    ),
    case(
        "view_too_large",
        "views.open",
        {
            "trigger_id": "{trigger}",
            "view": {**MODAL, "blocks": [{**SECTION, "text": {"type": "mrkdwn", "text": "x" * 2_900}}] * 90},
        },
    ),
    case("not_found", "views.update", {"view_id": "V000", "view": MODAL}),
    case(
        "already_reacted",
        "reactions.add",
        {"channel": "CGENERAL", "timestamp": "{root}", "name": "eyes"},
        first=(("reactions.add", {"channel": "CGENERAL", "timestamp": "{root}", "name": "eyes"}),),
    ),
    case("invalid_name", "reactions.add", {"channel": "CGENERAL", "timestamp": "{root}", "name": "No Emoji"}),
)

ELSEWHERE = {
    "not_authed",
    "invalid_auth",
    "not_allowed_token_type",
    "invalid_json",
    "missing_scope",
    "ratelimited",
    "push_limit_reached",
    # those of a response_url
    "expired_url",
    "used_url",
    "invalid_payload",
}
"""Codes whose tests stand below or in test_replies.py and test_views.py."""


@pytest.fixture
async def scene(slack, control, card):
    """Ids and ts by name: a thread, a card, a rich text, a private note, two triggers, three odd channels."""
    root = await control.say("Ana", "general", "root")
    reply = await control.say("Bruno", "general", "reply", thread_ts=root)
    posted = await slack.chat_postMessage(channel="CGENERAL", text="card", blocks=card, client_msg_id="card-1")
    rich = await slack.chat_postMessage(channel="CGENERAL", text="rich", blocks=RICH)
    note = await slack.chat_postEphemeral(channel="CGENERAL", user="UANA", text="psst")
    closed = await control.put_channel("closed", members=["Ana", "flowreviews"])
    left = await slack.chat_postMessage(channel=closed["id"], text="the last word")
    await control.put_channel("closed", is_archived=True)
    await control.click("Ana", "general", posted["ts"], "approve")
    await control.click("Ana", "general", posted["ts"], "approve")
    clicks = await control.deliveries(kind="block_actions")
    return {
        "root": root,
        "reply": reply,
        "card": posted["ts"],
        "card_id": "card-1",
        "rich": rich["ts"],
        "note": note["message_ts"],
        "trigger": clicks[0]["payload"]["trigger_id"],
        "second_trigger": clicks[1]["payload"]["trigger_id"],
        "closed": closed["id"],
        "left": left["ts"],
        "gone": (await control.change_person("Gil", deleted=True))["id"],
        "disabled": (await control.put_group("former", members=["Ana"], is_disabled=True))["id"],
        "archived": (await control.put_channel("old", members=["Ana", "flowreviews"], is_archived=True))["id"],
        "foreign": (await control.put_channel("random", members=["Ana"]))["id"],
        "secret": (await control.put_channel("secret", members=["Ana"], is_private=True))["id"],
    }


def filled(args: dict[str, Any], scene: dict[str, str]) -> dict[str, Any]:
    return {
        name: scene.get(value[1:-1], value) if isinstance(value, str) and value[:1] == "{" else value
        for name, value in args.items()
    }


@pytest.mark.parametrize("case", CASES)
async def test_the_web_api_refuses(case: Case, slack, control, scene, clock):
    for method, args in case.first:
        await slack.api_call(method, json=filled(args, scene))
    await control.faults(**({"switch": case.switch, "on": True} if case.switch else {}))
    clock.advance(case.later)

    with pytest.raises(SlackApiError) as refused:
        await slack.api_call(case.method, json=filled(case.args, scene))

    assert refused.value.response["error"] == case.code


def test_every_refusal_of_the_table_has_a_case():
    assert {one.values[0].code for one in CASES} | ELSEWHERE == set(REFUSALS)


@pytest.mark.parametrize("row", REFUSALS.values(), ids=REFUSALS)
def test_every_refusal_says_when_and_where_slack_documents_it(row):
    assert row.when.endswith(".")
    assert ": " in row.source


@pytest.mark.parametrize(
    ("token", "method", "code"),
    [
        pytest.param("", "auth.test", "not_authed", id="no token"),
        pytest.param("xoxb-1-2-real", "auth.test", "invalid_auth", id="another workspace's token"),
        pytest.param(APP_TOKEN, "chat.postMessage", "not_allowed_token_type", id="app token for a bot's method"),
        pytest.param(
            "xoxb-sandbox-bot", "apps.connections.open", "not_allowed_token_type", id="bot token for a socket"
        ),
    ],
)
async def test_a_wrong_token_is_refused(http, sandbox, token, method, code):
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    async with http.post(f"{sandbox.api_url}{method}", headers=headers) as response:
        answer = await response.json()

    assert (response.status, answer) == (200, {"ok": False, "error": code})


async def test_a_body_that_is_no_json_is_refused(http, sandbox):
    headers = {"Content-Type": "application/json"}

    async with http.post(f"{sandbox.api_url}auth.test", headers=headers, data="{") as response:
        answer = await response.json()

    assert answer["error"] == "invalid_json"


async def test_invalid_blocks_are_explained_with_json_pointers(slack):
    with pytest.raises(SlackApiError) as refused:
        await slack.chat_postMessage(channel="CGENERAL", text="hi", blocks=LONG)

    expected = "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
    assert refused.value.response["errors"] == [expected]
    assert refused.value.response["response_metadata"]["messages"] == [f"[ERROR] {expected}"]


async def test_blocks_validate_names_pointer_and_constraint(slack):
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call("blocks.validate", json={"blocks": LONG})

    assert refused.value.response["errors"] == [
        {
            "pointer": "/0/text/text",
            "code": "failed_constraint",
            "message": "must be less than 3001 characters",
            "constraint": {"type": "max_length", "expected": 3_000},
        }
    ]


class TestScopes:
    """The shipped manifest decides what the bot may call."""

    @pytest.fixture
    def manifest(self) -> Manifest:
        return Manifest(
            scopes=frozenset(("commands", "channels:history")),
            commands=(Command(command="/flows"),),
            bot_events=frozenset(),
        )

    async def test_a_method_without_its_scope_is_refused(self, slack: AsyncWebClient):
        with pytest.raises(SlackApiError) as refused:
            await slack.chat_postMessage(channel="CGENERAL", text="hi")

        assert refused.value.response.data == {
            "ok": False,
            "error": "missing_scope",
            "needed": "chat:write",
            "provided": "channels:history,commands",
        }

    async def test_each_kind_of_channel_needs_its_own_scope(self, slack: AsyncWebClient):
        await slack.conversations_history(channel="CGENERAL")

        with pytest.raises(SlackApiError) as refused:
            await slack.conversations_history(channel="DANA")

        assert refused.value.response["needed"] == "im:history"

    async def test_what_the_bot_may_do_stands_in_a_header(self, slack: AsyncWebClient):
        response = await slack.auth_test()

        assert response.headers["x-oauth-scopes"] == "channels:history,commands"

    async def test_events_the_manifest_does_not_ask_for_are_not_sent(self, control):
        await control.say("Ana", "general", "@Flow reviews hello")

        assert await control.deliveries() == []


class TestRateLimits:
    """Off by default; on, a method takes as many calls a minute as its tier says."""

    async def test_they_are_off_by_default(self, slack):
        for _ in range(21):
            await slack.users_list()

    async def test_one_call_more_than_the_tier_allows_is_told_to_wait(self, slack, control, clock):
        await control.faults(switch="rate_limits", on=True)
        for _ in range(20):
            await slack.users_list()
        clock.advance(10)

        with pytest.raises(SlackApiError) as refused:
            await slack.users_list()

        response = refused.value.response
        assert (response.status_code, response["error"], response.headers["Retry-After"]) == (429, "ratelimited", "50")

    async def test_after_the_wait_it_goes_on(self, slack, control, clock):
        await control.faults(switch="rate_limits", on=True)
        for _ in range(20):
            await slack.users_list()

        clock.advance(60)

        assert (await slack.users_list())["ok"]

    async def test_posts_are_counted_for_each_channel_alone(self, slack, control):
        await control.faults(switch="rate_limits", on=True)
        for _ in range(60):
            await slack.chat_postMessage(channel="CGENERAL", text="hi")

        assert (await slack.chat_postMessage(channel="CREVIEWS", text="hi"))["ok"]
        with pytest.raises(SlackApiError):
            await slack.chat_postMessage(channel="CGENERAL", text="hi")
