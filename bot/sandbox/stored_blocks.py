"""How blocks look once Slack has stored them: every default spelled out, every id given.

Pure. Slack fills in block_id and action_id where an app left them out, and the flags of text objects.
"""

from collections.abc import Sequence
from typing import Any

from bot.sandbox.block_rules import NESTED
from bot.sandbox.vocabulary import Payload, as_list, as_object, as_text, objects_in
from bot.sandbox.workspace import Workspace, next_id

_INTERACTIVE = frozenset(
    (
        "button",
        "static_select",
        "multi_static_select",
        "external_select",
        "multi_external_select",
        "users_select",
        "multi_users_select",
        "conversations_select",
        "multi_conversations_select",
        "channels_select",
        "multi_channels_select",
        "radio_buttons",
        "checkboxes",
        "overflow",
        "datepicker",
        "timepicker",
        "datetimepicker",
        "plain_text_input",
        "rich_text_input",
        "number_input",
        "email_text_input",
        "url_text_input",
        "file_input",
        "feedback_buttons",
        "icon_button",
    )
)


def as_stored(workspace: Workspace, blocks: Sequence[Payload]) -> list[Payload]:
    """The blocks with ids and defaults; the blocks given are left as they are."""
    return [_stored_block(workspace, block) for block in blocks]


def _stored_block(workspace: Workspace, block: Payload) -> Payload:
    block_id = block.get("block_id") or next_id(workspace, "b")
    filled = {**_filled(workspace, block), "block_id": block_id}
    nested = NESTED.get(block["type"], "")
    # A field that is null says as little as one that is left out; it is stored as it came.
    if as_list(block.get(nested)) is not None:
        filled[nested] = as_stored(workspace, objects_in(block[nested]))
    if filled["type"] == "input":
        filled = {"optional": False, "dispatch_action": False, **filled}
    return filled


def _filled(workspace: Workspace, thing: Payload) -> Payload:
    filled = {key: _filled_value(workspace, value) for key, value in thing.items()}
    kind = as_text(thing.get("type"))
    if kind in _INTERACTIVE and not thing.get("action_id"):
        filled["action_id"] = next_id(workspace, "a")
    if kind == "plain_text":
        filled.setdefault("emoji", True)
    if kind == "mrkdwn":
        filled.setdefault("verbatim", False)
    return filled


def _filled_value(workspace: Workspace, value: Any) -> Any:
    if (thing := as_object(value)) is not None:
        return _filled(workspace, thing)
    if (items := as_list(value)) is not None:
        return [_filled_value(workspace, item) for item in items]
    return value
