"""Block Kit's rules: what passes, and what each broken rule is told as."""

from typing import Any

import pytest
from slack_sdk.models import blocks as sdk

from bot.sandbox.block_rules import BLOCKS, ELEMENTS
from bot.sandbox.blocks import block_problems, characters_in, view_problems


def plain(text: str = "x") -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str = "x") -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": "a", "text": plain(), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def options(count: int) -> list[dict[str, Any]]:
    return [{"text": plain(), "value": str(place)} for place in range(count)]


def field(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "input", "label": plain(), "element": element}


SECTION = {"type": "section", "text": mrkdwn()}


def broken(block: dict[str, Any], expected: str, id: str) -> Any:
    return pytest.param(block, expected, id=id)


BROKEN = (
    broken({}, "missing required field: type [json-pointer:/blocks/0]", "no type"),
    broken({"type": "poem"}, "unsupported type: poem [json-pointer:/blocks/0/type]", "unknown block"),
    broken({"type": "section"}, "missing required field: text [json-pointer:/blocks/0]", "empty section"),
    broken({**SECTION, "colour": "red"}, "invalid additional property: colour [json-pointer:/blocks/0]", "extra field"),
    broken({"type": "section", "text": "x"}, "must provide an object [json-pointer:/blocks/0/text]", "bare text"),
    broken(
        {"type": "section", "text": mrkdwn("")},
        "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        "empty text",
    ),
    broken(
        {"type": "section", "text": mrkdwn("x" * 3_001)},
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
        "long section",
    ),
    broken(
        {"type": "section", "fields": [mrkdwn()] * 11},
        "no more than 10 items allowed [json-pointer:/blocks/0/fields]",
        "eleven fields",
    ),
    broken(
        {"type": "section", "fields": [mrkdwn("x" * 2_001)]},
        "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]",
        "long field",
    ),
    broken(
        {"type": "section", "text": {**mrkdwn(), "emoji": True}},
        "invalid additional property: emoji [json-pointer:/blocks/0/text]",
        "emoji in mrkdwn",
    ),
    broken(
        {"type": "header", "text": mrkdwn()},
        "must be a valid enum value [json-pointer:/blocks/0/text/type]",
        "mrkdwn in a header",
    ),
    broken(
        {"type": "header", "text": plain("x" * 151)},
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
        "long header",
    ),
    broken(
        {"type": "context", "elements": [mrkdwn()] * 11},
        "no more than 10 items allowed [json-pointer:/blocks/0/elements]",
        "eleven in context",
    ),
    broken(
        {"type": "context", "elements": [button()]},
        "unsupported type: button [json-pointer:/blocks/0/elements/0/type]",
        "button in context",
    ),
    broken(actions(), "must have at least 1 items [json-pointer:/blocks/0/elements]", "no actions"),
    broken(
        actions(*(button(action_id=str(n)) for n in range(26))),
        "no more than 25 items allowed [json-pointer:/blocks/0/elements]",
        "26 actions",
    ),
    broken(
        actions(button(), button()),
        "action_id must be unique within its block: a [json-pointer:/blocks/0]",
        "twin actions",
    ),
    broken(
        actions(button(text=plain("x" * 76))),
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
        "long button",
    ),
    broken(
        actions(button(text=mrkdwn())),
        "must be a valid enum value [json-pointer:/blocks/0/elements/0/text/type]",
        "mrkdwn in a button",
    ),
    broken(
        actions(button(style="loud")),
        "must be a valid enum value [json-pointer:/blocks/0/elements/0/style]",
        "button style",
    ),
    broken(
        actions(button(value="x" * 2_001)),
        "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
        "long value",
    ),
    broken(
        actions(button(action_id="x" * 256)),
        "must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]",
        "long action_id",
    ),
    broken(
        actions(button(confirm={"title": plain(), "text": mrkdwn(), "confirm": plain()})),
        "missing required field: deny [json-pointer:/blocks/0/elements/0/confirm]",
        "confirm without deny",
    ),
    broken(
        actions({"type": "static_select", "action_id": "s", "options": options(101)}),
        "no more than 100 items allowed [json-pointer:/blocks/0/elements/0/options]",
        "101 options",
    ),
    broken(
        actions({"type": "static_select", "action_id": "s"}),
        "missing required field: options [json-pointer:/blocks/0]",
        "select without options",
    ),
    broken(
        actions({"type": "radio_buttons", "action_id": "r", "options": options(11)}),
        "no more than 10 items allowed [json-pointer:/blocks/0/elements/0/options]",
        "11 radio buttons",
    ),
    broken(
        actions({"type": "overflow", "action_id": "o", "options": options(6)}),
        "no more than 5 items allowed [json-pointer:/blocks/0/elements/0/options]",
        "6 in an overflow",
    ),
    broken(field(button()), "unsupported type: button [json-pointer:/blocks/0/element/type]", "button as an input"),
    broken(
        field({"type": "plain_text_input", "action_id": "t", "max_length": 3_001}),
        "must be between 1 and 3000 [json-pointer:/blocks/0/element/max_length]",
        "long input",
    ),
    broken(
        field({"type": "plain_text_input", "action_id": "t", "multiline": "yes"}),
        "must provide a boolean [json-pointer:/blocks/0/element/multiline]",
        "no flag",
    ),
    broken(
        {"type": "divider", "block_id": "x" * 256},
        "must be less than 256 characters [json-pointer:/blocks/0/block_id]",
        "long block_id",
    ),
    broken(
        {"type": "alert", "text": mrkdwn()},
        "unsupported type: alert [json-pointer:/blocks/0/type]",
        "alert in a message",
    ),
    broken(
        {"type": "container", "child_blocks": [{"type": "markdown", "text": "x"}]},
        "unsupported type: markdown [json-pointer:/blocks/0/child_blocks/0/type]",
        "markdown in a container",
    ),
    broken({"type": "table", "rows": {}}, "must provide an array [json-pointer:/blocks/0/rows]", "no rows"),
)


@pytest.mark.parametrize(("block", "expected"), BROKEN)
def test_a_broken_rule_is_told_with_its_place(block, expected):
    assert [one.under("/blocks") for one in block_problems([block], "message")] == [expected]


SOUND = (
    pytest.param(SECTION, id="section"),
    pytest.param({**SECTION, "expand": True, "accessory": button()}, id="section with accessory"),
    pytest.param({"type": "section", "fields": [mrkdwn(), plain()]}, id="fields"),
    pytest.param({"type": "divider"}, id="divider"),
    pytest.param({"type": "header", "text": plain()}, id="header"),
    pytest.param(
        {"type": "context", "elements": [mrkdwn(), {"type": "image", "image_url": "https://a.test/b", "alt_text": ""}]},
        id="context",
    ),
    pytest.param(
        actions(
            button(style="danger", confirm={k: plain() for k in ("title", "text", "confirm", "deny")}),
            {"type": "overflow", "action_id": "o", "options": options(1)},
            {"type": "users_select", "action_id": "u"},
        ),
        id="actions",
    ),
    pytest.param(field({"type": "checkboxes", "action_id": "c", "options": options(10)}), id="input"),
    pytest.param({"type": "markdown", "text": "**x**"}, id="markdown"),
    pytest.param({"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}, id="table"),
    pytest.param({"type": "image", "image_url": "https://a.test/b", "alt_text": "x"}, id="image"),
    pytest.param({"type": "rich_text", "elements": []}, id="rich text"),
    pytest.param(
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "f",
                    "positive_button": {"text": plain(), "value": "up"},
                    "negative_button": {"text": plain(), "value": "down"},
                }
            ],
        },
        id="feedback",
    ),
    pytest.param(actions({"type": "button", "text": plain()}, {"type": "button", "text": plain()}), id="no action ids"),
)


@pytest.mark.parametrize("block", SOUND)
def test_what_follows_the_rules_passes(block):
    assert block_problems([block], "message") == []


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(sdk.SectionBlock(text="*hi*"), id="section"),
        pytest.param(sdk.HeaderBlock(text="hi"), id="header"),
        pytest.param(
            sdk.ActionsBlock(elements=[sdk.ButtonElement(text="Go", action_id="go", value="1", style="primary")]),
            id="actions",
        ),
        pytest.param(
            sdk.InputBlock(label="Why", element=sdk.PlainTextInputElement(action_id="t", multiline=True), hint="short"),
            id="input",
        ),
        pytest.param(sdk.ContextBlock(elements=[sdk.MarkdownTextObject(text="x")]), id="context"),
        pytest.param(
            sdk.ActionsBlock(
                elements=[
                    sdk.StaticSelectElement(
                        action_id="s", placeholder="Pick", options=[sdk.Option(value="1", label="One")]
                    ),
                    sdk.OverflowMenuElement(action_id="o", options=[sdk.Option(value="1", label="One")] * 2),
                ]
            ),
            id="choices",
        ),
    ],
)
def test_what_slacks_own_models_build_passes(block):
    assert block_problems([block.to_dict()], "message") == []


def test_block_ids_are_unique():
    twins = [{"type": "divider", "block_id": "d"}, {"type": "divider", "block_id": "d"}]

    expected = ["block_id must be unique: d [json-pointer:/blocks/1/block_id]"]
    assert [one.under("/blocks") for one in block_problems(twins, "message")] == expected


@pytest.mark.parametrize(("surface", "most"), [("message", 50), ("modal", 100), ("home", 100)])
def test_a_surface_takes_so_many_blocks(surface, most):
    blocks = [{"type": "divider"}] * most

    assert block_problems(blocks, surface) == []
    assert [one.message for one in block_problems([*blocks, {"type": "divider"}], surface)] == [
        f"no more than {most} items allowed"
    ]


@pytest.mark.parametrize(
    ("kind", "surfaces"),
    [
        pytest.param({"type": "alert", "text": mrkdwn()}, {"modal"}, id="alert"),
        pytest.param({"type": "markdown", "text": "x"}, {"message"}, id="markdown"),
        pytest.param({"type": "table", "rows": [[{}]]}, {"message"}, id="table"),
        pytest.param(SECTION, {"message", "modal", "home"}, id="section"),
        pytest.param({"type": "card", "title": plain()}, {"message", "modal", "home"}, id="card"),
        pytest.param({"type": "carousel", "elements": [{"type": "card"}]}, {"message", "home"}, id="carousel"),
        pytest.param({"type": "container", "child_blocks": [SECTION]}, {"message", "modal", "home"}, id="container"),
    ],
)
def test_a_block_stands_where_slack_lets_it(kind, surfaces):
    allowed = {surface for surface in ("message", "modal", "home") if not block_problems([kind], surface)}

    assert allowed == surfaces


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"title": plain("x" * 25)}, "must be less than 25 characters [json-pointer:/view/title/text]"),
        pytest.param({"title": None}, "missing required field: title [json-pointer:/view]"),
        pytest.param({"submit": None}, "missing required field: submit [json-pointer:/view]"),
        pytest.param({"close": mrkdwn()}, "must be a valid enum value [json-pointer:/view/close/type]"),
        pytest.param(
            {"private_metadata": "x" * 3_001}, "must be less than 3001 characters [json-pointer:/view/private_metadata]"
        ),
        pytest.param({"type": "drawer"}, "unsupported type: drawer [json-pointer:/view/type]"),
        pytest.param({"colour": 1}, "invalid additional property: colour [json-pointer:/view]"),
    ],
)
def test_a_broken_view_is_told_with_its_place(change, expected):
    text = field({"type": "plain_text_input", "action_id": "t"})
    view = {"type": "modal", "title": plain(), "submit": plain(), "blocks": [text], **change}

    assert [one.under("/view") for one in view_problems(view)] == [expected]


def test_all_text_of_blocks_counts_towards_the_total():
    blocks = [
        {"type": "section", "text": mrkdwn("123"), "accessory": button(text=plain("45"))},
        {"type": "header", "text": plain("6")},
    ]

    assert characters_in(blocks) == 6


@pytest.mark.parametrize("table", [BLOCKS, ELEMENTS], ids=["blocks", "elements"])
def test_every_row_requires_a_type(table):
    assert [name for name, rule in table.items() if "type" not in getattr(rule, "required", ("type",))] == []
