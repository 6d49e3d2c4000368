"""Inputs: what a choice makes of each kind of element, in `state` and in `actions`."""

from typing import Any

import pytest

from bot.sandbox.inputs import ChoiceError, action_of, entry_for, initial_entry, interactive, is_empty, state_values

OPTIONS = [{"text": {"type": "plain_text", "text": name.title()}, "value": name} for name in ("low", "high")]
GROUPS = [{"label": {"type": "plain_text", "text": "Levels"}, "options": OPTIONS}]


def element(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "action_id": "a", **more}


CHOICES = (
    pytest.param(element("plain_text_input"), "why", {"value": "why"}, id="text"),
    pytest.param(element("plain_text_input"), "", {"value": None}, id="empty text"),
    pytest.param(element("number_input"), "42", {"value": "42"}, id="number"),
    pytest.param(element("static_select", options=OPTIONS), "high", {"selected_option": OPTIONS[1]}, id="select"),
    pytest.param(element("static_select", option_groups=GROUPS), "low", {"selected_option": OPTIONS[0]}, id="groups"),
    pytest.param(element("static_select", options=OPTIONS), None, {"selected_option": None}, id="nothing selected"),
    pytest.param(element("radio_buttons", options=OPTIONS), "low", {"selected_option": OPTIONS[0]}, id="radio"),
    pytest.param(element("checkboxes", options=OPTIONS), ["high"], {"selected_options": [OPTIONS[1]]}, id="checkboxes"),
    pytest.param(element("checkboxes", options=OPTIONS), [], {"selected_options": []}, id="none checked"),
    pytest.param(element("datepicker"), "2026-12-01", {"selected_date": "2026-12-01"}, id="date"),
    pytest.param(element("timepicker"), "14:07", {"selected_time": "14:07"}, id="time"),
    pytest.param(element("datetimepicker"), 1_780_000_000, {"selected_date_time": 1_780_000_000}, id="moment"),
    pytest.param(element("users_select"), "UANA", {"selected_user": "UANA"}, id="person"),
    pytest.param(element("multi_users_select"), ["UANA"], {"selected_users": ["UANA"]}, id="people"),
    pytest.param(element("conversations_select"), "CX", {"selected_conversation": "CX"}, id="conversation"),
)


@pytest.mark.parametrize(("chosen", "value", "expected"), CHOICES)
def test_a_choice_stands_in_the_state_and_in_the_action(chosen, value, expected):
    action = action_of({"type": "actions", "block_id": "b"}, chosen, value, "1.1")

    assert entry_for(chosen, value) == {"type": chosen["type"], **expected}
    assert {**action, **expected} == action
    assert (action["block_id"], action["action_id"], action["action_ts"]) == ("b", "a", "1.1")


@pytest.mark.parametrize(
    ("chosen", "value", "known"),
    [
        pytest.param(element("static_select", options=OPTIONS), "none", ("low", "high"), id="no such option"),
        pytest.param(element("checkboxes", options=OPTIONS), ["low", "x"], ("low", "high"), id="one of many"),
        pytest.param(element("checkboxes", options=OPTIONS), "low", (), id="no array"),
        pytest.param(element("plain_text_input"), 5, (), id="no string"),
        pytest.param(element("datetimepicker"), "noon", (), id="no moment"),
        pytest.param(element("multi_users_select"), "UANA", (), id="no ids"),
        pytest.param(element("button"), "x", (), id="no input"),
    ],
)
def test_a_choice_there_is_not_is_refused(chosen, value, known):
    with pytest.raises(ChoiceError) as refused:
        entry_for(chosen, value)

    assert (refused.value.element, refused.value.known) == (chosen["type"], known)


def test_an_overflow_is_told_in_the_action_and_not_in_the_state():
    overflow = element("overflow", options=OPTIONS)
    block = {"type": "actions", "block_id": "b", "elements": [overflow]}

    assert action_of(block, overflow, "low", "1.1")["selected_option"] == OPTIONS[0]
    assert state_values([block], {}) == {}


def test_feedback_takes_the_value_of_one_of_its_buttons():
    up = {"text": {"type": "plain_text", "text": "Good"}, "value": "up"}
    feedback = element("feedback_buttons", positive_button=up, negative_button={**up, "value": "down"})
    block = {"type": "context_actions", "block_id": "b"}

    assert action_of(block, feedback, "up", "1.1")["value"] == "up"
    with pytest.raises(ChoiceError):
        action_of(block, feedback, "sideways", "1.1")


def test_inputs_nobody_touched_start_with_their_initial_value():
    start = element("static_select", options=OPTIONS, initial_option=OPTIONS[0])

    assert initial_entry(start)["selected_option"] == OPTIONS[0]
    assert initial_entry(element("plain_text_input")) == {"type": "plain_text_input", "value": None}


@pytest.mark.parametrize(("chosen", "value", "_"), CHOICES)
def test_only_an_input_without_a_value_is_empty(chosen, value, _):
    assert is_empty(entry_for(chosen, value)) is (value in (None, "", []))


def test_everything_a_person_can_act_on_is_found_wherever_it_stands():
    blocks = [
        {"type": "section", "block_id": "1", "accessory": element("button")},
        {"type": "actions", "block_id": "2", "elements": [element("button")]},
        {"type": "input", "block_id": "3", "element": element("plain_text_input")},
        {"type": "context", "block_id": "4", "elements": [{"type": "mrkdwn", "text": "x"}]},
        {"type": "card", "block_id": "5", "actions": [element("button")]},
        {
            "type": "container",
            "block_id": "6",
            "child_blocks": [{"type": "actions", "block_id": "7", "elements": [element("button")]}],
        },
    ]

    assert [block["block_id"] for block, _ in interactive(blocks)] == ["1", "2", "3", "5", "7"]
