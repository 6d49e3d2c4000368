"""Block Kit as tables: every block and element, its fields and limits, and where it may stand.

Source: Slack's reference, "Block Kit: Blocks", "Block elements", "Composition objects" and "Views".
To add a block: one row in BLOCKS, and its name in the surfaces that take it.
"""

from collections.abc import Mapping
from dataclasses import replace

from bot.sandbox.rules import Flag, Free, Items, OneOf, Rule, Shape, Text, TextObject, Whole

_PLAIN = ("plain_text",)


def _plain(longest: int) -> TextObject:
    return TextObject(longest=longest, kinds=_PLAIN)


def _shape(required: str = "", /, **fields: Rule) -> Shape:
    """A block or element: its type is always there; `required` lists the other required fields, separated by spaces."""
    return Shape(fields={"type": Free(), **fields}, required=("type", *required.split()))


_CONFIRM = Shape(
    fields={
        "title": _plain(100),
        "text": TextObject(longest=300),
        "confirm": _plain(30),
        "deny": _plain(30),
        "style": Text(one_of=("primary", "danger")),
    },
    required=("title", "text", "confirm", "deny"),
)


def _option(value_longest: int = 150, kinds: tuple[str, ...] = _PLAIN) -> Shape:
    return Shape(
        fields={
            "text": TextObject(longest=75, kinds=kinds),
            "value": Text(longest=value_longest),
            "description": TextObject(longest=75, kinds=kinds),
            "url": Text(longest=3_000),
        },
        required=("text", "value"),
    )


_SELECT_OPTION = _option()
_RICH_OPTION = _option(kinds=("plain_text", "mrkdwn"))
_GROUPS = Items(
    of=Shape(
        fields={"label": _plain(75), "options": Items(of=_SELECT_OPTION, most=100)}, required=("label", "options")
    ),
    most=100,
)
_ACTION: Mapping[str, Rule] = {"action_id": Text(longest=255), "confirm": _CONFIRM, "focus_on_load": Flag()}
_PICK: Mapping[str, Rule] = {**_ACTION, "placeholder": _plain(150)}
_DISPATCH = _shape(trigger_actions_on=Items(of=Text(one_of=("on_enter_pressed", "on_character_entered")), most=2))
_TYPED: Mapping[str, Rule] = {
    "action_id": Text(longest=255),
    "placeholder": _plain(150),
    "focus_on_load": Flag(),
    "dispatch_action_config": Shape(fields=_DISPATCH.fields),
}
_FEEDBACK_BUTTON = Shape(
    fields={"text": _plain(75), "value": Text(longest=2_000), "accessibility_label": Text(longest=75)},
    required=("text", "value"),
)
_IMAGE: Mapping[str, Rule] = {
    "image_url": Text(longest=3_000),
    "alt_text": Text(longest=2_000),
    "slack_file": Free(),
}

ELEMENTS: Mapping[str, Rule] = {
    "button": _shape(
        "text",
        text=_plain(75),
        value=Text(longest=2_000),
        url=Text(longest=3_000),
        style=Text(one_of=("primary", "danger")),
        accessibility_label=Text(longest=75),
        visible_to_user_ids=Items(of=Text(longest=255), most=100),
        agent_prompt=Text(longest=4_000),
        **_ACTION,
    ),
    "icon_button": _shape(
        "icon text",
        icon=Text(longest=75),
        text=_plain(75),
        value=Text(longest=2_000),
        accessibility_label=Text(longest=75),
        visible_to_user_ids=Items(of=Text(longest=255), most=100),
        **_ACTION,
    ),
    "feedback_buttons": _shape(
        "positive_button negative_button",
        action_id=Text(longest=255),
        positive_button=_FEEDBACK_BUTTON,
        negative_button=_FEEDBACK_BUTTON,
    ),
    "static_select": _shape(
        options=Items(of=_SELECT_OPTION, most=100), option_groups=_GROUPS, initial_option=_SELECT_OPTION, **_PICK
    ),
    "multi_static_select": _shape(
        options=Items(of=_SELECT_OPTION, most=100),
        option_groups=_GROUPS,
        initial_options=Items(of=_SELECT_OPTION, most=100),
        max_selected_items=Whole(least=1),
        **_PICK,
    ),
    "external_select": _shape(min_query_length=Whole(), initial_option=_SELECT_OPTION, **_PICK),
    "users_select": _shape(initial_user=Text(longest=255), **_PICK),
    "multi_users_select": _shape(
        initial_users=Items(of=Text(longest=255), most=100), max_selected_items=Whole(least=1), **_PICK
    ),
    "channels_select": _shape(initial_channel=Text(longest=255), response_url_enabled=Flag(), **_PICK),
    "conversations_select": _shape(
        initial_conversation=Text(longest=255),
        default_to_current_conversation=Flag(),
        response_url_enabled=Flag(),
        filter=Free(),
        **_PICK,
    ),
    "radio_buttons": _shape("options", options=Items(of=_RICH_OPTION, most=10), initial_option=_RICH_OPTION, **_ACTION),
    "checkboxes": _shape(
        "options", options=Items(of=_RICH_OPTION, most=10), initial_options=Items(of=_RICH_OPTION, most=10), **_ACTION
    ),
    "overflow": _shape(
        "options", options=Items(of=_SELECT_OPTION, most=5), action_id=Text(longest=255), confirm=_CONFIRM
    ),
    "datepicker": _shape(initial_date=Text(longest=10), **_PICK),
    "timepicker": _shape(initial_time=Text(longest=5), timezone=Text(longest=255), **_PICK),
    "datetimepicker": _shape(initial_date_time=Whole(), **_ACTION),
    "plain_text_input": _shape(
        multiline=Flag(),
        min_length=Whole(most=3_000),
        max_length=Whole(least=1, most=3_000),
        initial_value=Text(longest=3_000),
        **_TYPED,
    ),
    "number_input": _shape(
        "is_decimal_allowed",
        is_decimal_allowed=Flag(),
        initial_value=Text(longest=255),
        min_value=Text(longest=255),
        max_value=Text(longest=255),
        **_TYPED,
    ),
    "email_text_input": _shape(initial_value=Text(longest=3_000), **_TYPED),
    "url_text_input": _shape(initial_value=Text(longest=3_000), **_TYPED),
    "rich_text_input": _shape(initial_value=Free(), **_TYPED),
    "file_input": _shape(
        action_id=Text(longest=255), filetypes=Items(of=Text(longest=255), most=100), max_files=Whole(least=1, most=10)
    ),
    "image": _shape("alt_text", **_IMAGE),
    "plain_text": _plain(2_000),
    "mrkdwn": TextObject(longest=2_000, kinds=("mrkdwn",)),
}

_BUTTONS = ("button",)
_SELECTS = ("static_select", "external_select", "users_select", "channels_select", "conversations_select")
_MULTI_SELECTS = ("multi_static_select", "multi_users_select")
_PICKERS = ("datepicker", "timepicker", "datetimepicker")
_CHOICES = ("radio_buttons", "checkboxes")
_FIELDS = ("plain_text_input", "number_input", "email_text_input", "url_text_input", "rich_text_input", "file_input")

_IN_ACTIONS = (*_BUTTONS, *_SELECTS, *_MULTI_SELECTS, *_PICKERS, *_CHOICES, "overflow")
_IN_SECTION = (*_IN_ACTIONS, "image")
_IN_INPUT = (*_FIELDS, *_SELECTS, *_MULTI_SELECTS, *_PICKERS, *_CHOICES)


def _elements(*allowed: str) -> OneOf:
    return OneOf(table=ELEMENTS, allowed=allowed)


def _block(required: str = "", /, **fields: Rule) -> Shape:
    return _shape(required, block_id=Text(longest=255), **fields)


def _loose_block(required: str = "", /, **fields: Rule) -> Shape:
    """A block that is judged by its main limits only; what else it holds passes."""
    return replace(_block(required, **fields), is_open=True)


BLOCKS: dict[str, Rule] = {
    "section": _block(
        text=TextObject(longest=3_000),
        fields=Items(of=TextObject(longest=2_000), most=10),
        accessory=_elements(*_IN_SECTION),
        expand=Flag(),
    ),
    "header": _block("text", text=_plain(150), level=Whole(least=1, most=6)),
    "divider": _block(),
    "context": _block("elements", elements=Items(of=_elements("image", "plain_text", "mrkdwn"), most=10)),
    "actions": _block("elements", elements=Items(of=_elements(*_IN_ACTIONS), most=25)),
    "context_actions": _block("elements", elements=Items(of=_elements("feedback_buttons", "icon_button"), most=5)),
    "input": _block(
        "label element",
        label=_plain(2_000),
        element=_elements(*_IN_INPUT),
        hint=_plain(2_000),
        optional=Flag(),
        dispatch_action=Flag(),
    ),
    "image": _block("alt_text", title=_plain(2_000), **_IMAGE),
    "markdown": _block("text", text=Text(longest=12_000, shortest=1)),
    "rich_text": _block("elements", elements=Items(of=Free(), most=1_000, least=0)),
    "table": _block(
        "rows",
        rows=Items(of=Items(of=Free(), most=20), most=100),
        column_settings=Items(of=Free(), most=20, least=0),
    ),
    "data_table": _loose_block(
        "caption rows",
        caption=Text(longest=2_000, shortest=1),
        rows=Items(of=Items(of=Free(), most=20), most=101),
        page_size=Whole(least=1, most=100),
    ),
    "task_card": _loose_block(
        "task_id title", title=Text(longest=2_000), status=Text(one_of=("pending", "in_progress", "complete", "error"))
    ),
    "plan": _loose_block("title", title=Text(longest=2_000), tasks=Items(of=Free(), most=50, least=0)),
    "card": _loose_block(
        title=TextObject(longest=150),
        subtitle=TextObject(longest=150),
        body=TextObject(longest=200),
        actions=Items(of=_elements("button"), most=3),
    ),
    "alert": _loose_block(
        "text", text=TextObject(longest=200), level=Text(one_of=("default", "info", "warning", "error", "success"))
    ),
    "video": _loose_block("alt_text title thumbnail_url video_url"),
}

HOLDERS: Mapping[str, str] = {
    "section": "accessory",
    "actions": "elements",
    "context_actions": "elements",
    "input": "element",
    "card": "actions",
}
"""Blocks that hold something to act on, and under which field."""

NESTED: Mapping[str, str] = {"container": "child_blocks", "carousel": "elements"}
"""Blocks that hold blocks, and under which field."""

_CARD = OneOf(table=BLOCKS, allowed=("card",))
_CHILD = OneOf(
    table=BLOCKS, allowed=tuple(kind for kind in BLOCKS if kind not in ("markdown", "context_actions", "alert"))
)
# These two hold blocks themselves, so they join the table last; a container takes no container.
BLOCKS["carousel"] = _loose_block("elements", elements=Items(of=_CARD, most=10))
BLOCKS["container"] = _loose_block(child_blocks=Items(of=_CHILD, most=10))

_EVERYWHERE = ("section", "header", "divider", "context", "actions", "input", "image", "rich_text", "video")
_IN_MESSAGES = (*_EVERYWHERE, "context_actions", "markdown", "table", "data_table", "task_card", "plan", "card")

SURFACES: Mapping[str, Items] = {
    "message": Items(
        of=OneOf(table=BLOCKS, allowed=(*_IN_MESSAGES, "carousel", "container")),
        most=50,
        least=0,
    ),
    "modal": Items(of=OneOf(table=BLOCKS, allowed=(*_EVERYWHERE, "card", "container", "alert")), most=100, least=0),
    "home": Items(of=OneOf(table=BLOCKS, allowed=(*_EVERYWHERE, "card", "carousel", "container")), most=100, least=0),
}
"""Which blocks a message, a modal and a Home take, and how many."""

VIEWS: Mapping[str, Rule] = {
    "modal": _shape(
        "title blocks",
        title=_plain(24),
        submit=_plain(24),
        close=_plain(24),
        blocks=SURFACES["modal"],
        private_metadata=Text(longest=3_000),
        callback_id=Text(longest=255),
        external_id=Text(longest=255),
        clear_on_close=Flag(),
        notify_on_close=Flag(),
        submit_disabled=Flag(),
    ),
    "home": _shape(
        "blocks",
        blocks=SURFACES["home"],
        private_metadata=Text(longest=3_000),
        callback_id=Text(longest=255),
        external_id=Text(longest=255),
        # The tab's own frame decides these; Slack takes and ignores them.
        title=_plain(24),
        close=_plain(24),
        submit=_plain(24),
        clear_on_close=Flag(),
        notify_on_close=Flag(),
    ),
}
