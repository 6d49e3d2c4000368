"""Slack's blocks and elements, with Slack's limits as named constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.render.mrkdwn import Mrkdwn, clamp

Block = dict[str, Any]

SECTION_TEXT = 3_000
CONTEXT_TEXT = 2_000
BUTTON_TEXT = 75
OPTION_TEXT = 75
MODAL_TITLE = 24
FALLBACK_TEXT = 3_500
FIELDS = 10
FIELD_TEXT = 2_000
VIEW_BLOCKS = 100
INPUT_LENGTH = 3_000
CARD_TOTAL = 2_500
"""Slack sends the whole message back with every click; big previews beside buttons have killed clicks."""


def section(
    text: Mrkdwn, *, block_id: str | None = None, accessory: Block | None = None, expand: bool = False
) -> Block:
    """A paragraph."""
    block: Block = {"type": "section", "text": {"type": "mrkdwn", "text": clamp(text, SECTION_TEXT)}}
    if expand:
        block["expand"] = True
    if accessory is not None:
        block["accessory"] = accessory
    return _with_id(block, block_id)


def fields(pairs: Sequence[Mrkdwn]) -> Block:
    """Short labelled values, two in a row."""
    return {
        "type": "section",
        "fields": [{"type": "mrkdwn", "text": clamp(pair, FIELD_TEXT)} for pair in pairs[:FIELDS]],
    }


def context(text: Mrkdwn, *, block_id: str | None = None) -> Block:
    """A small grey line."""
    return _with_id({"type": "context", "elements": [{"type": "mrkdwn", "text": clamp(text, CONTEXT_TEXT)}]}, block_id)


def actions(elements: Sequence[Block], *, block_id: str) -> Block:
    """A row of buttons."""
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def button(label: Mrkdwn, *, action_id: str, value: str, primary: bool = False) -> Block:
    """A button. Its value is an opaque id, nothing secret and nothing trusted."""
    block: Block = {
        "type": "button",
        "action_id": action_id,
        "text": plain(label, BUTTON_TEXT),
        "value": value,
    }
    if primary:
        block["style"] = "primary"
    return block


def select(placeholder: Mrkdwn, options: Sequence[tuple[Mrkdwn, str]], *, action_id: str) -> Block:
    """A menu of choices: (label, value)."""
    return {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": plain(placeholder, OPTION_TEXT),
        "options": [{"text": plain(label, OPTION_TEXT), "value": value} for label, value in options],
    }


def choice_input(label: Mrkdwn, options: Sequence[tuple[Mrkdwn, str]], *, block_id: str, action_id: str) -> Block:
    """A field of a form in which one of the options is chosen: (label, value)."""
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(label, 2_000),
        "element": {
            "type": "static_select",
            "action_id": action_id,
            "options": [{"text": plain(words, OPTION_TEXT), "value": value} for words, value in options],
        },
    }


def text_input(label: Mrkdwn, *, block_id: str, action_id: str, hint: Mrkdwn, optional: bool = False) -> Block:
    """A field for several lines of text."""
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(label, 2_000),
        "hint": plain(hint, 2_000),
        "optional": optional,
        "element": {
            "type": "plain_text_input",
            "action_id": action_id,
            "multiline": True,
            "max_length": INPUT_LENGTH,
            "focus_on_load": not optional,
        },
    }


def modal(
    *,
    title: Mrkdwn,
    blocks: Sequence[Block],
    close: Mrkdwn,
    submit: Mrkdwn | None = None,
    callback_id: str = "",
    private_metadata: str = "",
) -> Block:
    """A view of type modal."""
    view: Block = {
        "type": "modal",
        "title": plain(title, MODAL_TITLE),
        "close": plain(close, MODAL_TITLE),
        "blocks": list(blocks),
        "callback_id": callback_id,
        "private_metadata": private_metadata,
    }
    if submit is not None:
        view["submit"] = plain(submit, MODAL_TITLE)
    return view


def plain(text: Mrkdwn, limit: int) -> Block:
    """A plain text object. Slack undoes the three entities in these too."""
    return {"type": "plain_text", "text": clamp(text, limit), "emoji": True}


def _with_id(block: Block, block_id: str | None) -> Block:
    if block_id is not None:
        block["block_id"] = block_id
    return block
