import pytest

from bot.slack import inbound
from bot.slack.inbound import Ignored
from bot.types import MessageRef, UserId, UserMessage

BOT = UserId("UBOT")


def event(**fields):
    base = {"type": "message", "user": "UANA", "ts": "5.1", "channel": "C1", "text": "hello", "channel_type": "channel"}
    return {"type": "event_callback", "team_id": "T1", "event": {**base, **fields}}


def test_a_message_in_a_thread_belongs_to_its_root() -> None:
    heard = inbound.message(event(thread_ts="1.0"), BOT)

    assert isinstance(heard, UserMessage)
    assert (heard.thread.ts, heard.ts, heard.in_thread, heard.addressed) == ("1.0", "5.1", True, False)


def test_a_message_outside_a_thread_is_the_root_of_its_own() -> None:
    heard = inbound.message(event(), BOT)

    assert isinstance(heard, UserMessage)
    assert (heard.thread.ts, heard.in_thread) == ("5.1", False)


def test_both_twins_of_a_mention_are_the_same_message() -> None:
    mention = event(type="app_mention", text="<@UBOT> status")
    del mention["event"]["channel_type"]

    assert inbound.message(mention, BOT) == inbound.message(event(text="<@UBOT> status"), BOT)


def test_the_mention_is_cut_off_and_entities_are_undone() -> None:
    heard = inbound.message(event(text="<@UBOT|flows> start x a=&lt;b&gt; &amp;amp;"), BOT)

    assert isinstance(heard, UserMessage)
    assert (heard.text, heard.addressed) == ("start x a=<b> &amp;", True)


def test_every_direct_message_is_addressed() -> None:
    heard = inbound.message(event(channel="D1", channel_type="im"), BOT)

    assert isinstance(heard, UserMessage)
    assert heard.addressed


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"bot_id": "B1"}, id="bot"),
        pytest.param({"bot_id": "B1", "subtype": "bot_message", "user": None}, id="bot-message"),
        pytest.param({"app_id": "A1"}, id="an-app-in-a-persons-name"),
        pytest.param({"user": "UBOT"}, id="own"),
        pytest.param({"user": None}, id="nobody"),
        pytest.param({"subtype": "message_changed"}, id="an-edit"),
        pytest.param({"subtype": "message_deleted"}, id="a-deletion"),
        pytest.param({"subtype": "channel_join"}, id="a-join"),
        pytest.param({"type": "reaction_added"}, id="another-event"),
        pytest.param({"ts": ""}, id="no-ts"),
    ],
)
def test_what_no_person_said_is_ignored(fields) -> None:
    assert isinstance(inbound.message(event(**fields), BOT), Ignored)


def click_body(**action):
    return {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": "UBRUNO", "team_id": "T1"},
        "trigger_id": "t",
        "channel": {"id": "C1"},
        "container": {"type": "message", "message_ts": "9.9", "channel_id": "C1", "thread_ts": "1.0"},
        "actions": [{"action_id": "decide:1:rejected", "value": "rv1:3", **action}],
    }


def test_a_click_carries_review_version_choice_and_card() -> None:
    click = inbound.click(click_body())

    assert not isinstance(click, Ignored)
    decision = click.decision
    assert (decision.review, decision.version, decision.choice, decision.skip) == ("rv1", 3, 1, False)
    assert (decision.card, click.thread_ts) == (MessageRef(channel="C1", ts="9.9"), "1.0")


def test_a_choice_from_a_menu_is_the_same_click() -> None:
    click = inbound.click(click_body(action_id="decide", value=None, selected_option={"value": "rv1:3:1"}))

    assert not isinstance(click, Ignored)
    assert (click.decision.version, click.decision.choice) == (3, 1)


@pytest.mark.parametrize(
    "action",
    [
        {"action_id": "skip"},
        {"action_id": "decide", "value": None, "selected_option": {"value": "rv1:3:skip"}},
    ],
    ids=["button", "menu"],
)
def test_a_skip_is_a_skip_and_no_choice(action) -> None:
    click = inbound.click(click_body(**action))

    assert not isinstance(click, Ignored)
    assert (click.decision.skip, click.decision.choice) == (True, None)


@pytest.mark.parametrize("value", ["", "rv1", "rv1:", "rv1:x", ":3", None], ids=repr)
def test_a_value_that_names_no_review_is_ignored(value) -> None:
    assert isinstance(inbound.click(click_body(value=value)), Ignored)
