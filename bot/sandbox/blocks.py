"""Whether blocks and views follow Block Kit, and what is wrong where they do not.

Pure. Source: Slack's reference, "Block Kit: Blocks" and "Views"; the total from reports of `msg_blocks_too_long`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bot.sandbox.block_rules import SURFACES, VIEWS
from bot.sandbox.inputs import elements_in, interactive
from bot.sandbox.refusals import RefusedError
from bot.sandbox.rules import OneOf, Problem, problems
from bot.sandbox.vocabulary import Payload, as_list, as_object, objects_in

TOTAL_CHARACTERS: Final = 13_200
MARKDOWN_CHARACTERS: Final = 12_000
VIEW_BYTES: Final = 250_000


def block_problems(blocks: Any, surface: str) -> list[Problem]:
    """Everything that keeps these blocks off the surface (message, modal or home)."""
    found = list(problems(SURFACES[surface], blocks))
    if not found:
        found.extend(_twin_problems(objects_in(blocks)))
        found.extend(_empty_section_problems(objects_in(blocks)))
    return found


def view_problems(view: Any) -> list[Problem]:
    """Everything that keeps this view from being opened or published."""
    found = list(problems(OneOf(table=VIEWS, allowed=tuple(VIEWS)), view))
    thing = as_object(view)
    if found or thing is None:
        return found
    blocks = objects_in(thing["blocks"])
    has_input = any(block["type"] == "input" for block in blocks)
    if has_input and thing["type"] == "modal" and thing.get("submit") is None:
        found.append(Problem(pointer="", message="missing required field: submit", code="missing_field"))
    found.extend(
        Problem(pointer=f"/blocks{one.pointer}", message=one.message, code=one.code)
        for one in (*_twin_problems(blocks), *_empty_section_problems(blocks))
    )
    return found


def checked_message_blocks(blocks: Any, prefix: str = "/blocks") -> list[Payload]:
    """The blocks of a message.

    Raises RefusedError: invalid_blocks_format, invalid_blocks (with JSON pointers) or msg_blocks_too_long.
    """
    items = as_list(blocks)
    if items is None or len(objects_in(blocks)) != len(items):
        raise RefusedError("invalid_blocks_format")
    found = [one.under(prefix) for one in block_problems(items, "message")]
    if found:
        raise RefusedError(
            "invalid_blocks", errors=found, response_metadata={"messages": [f"[ERROR] {one}" for one in found]}
        )
    checked = objects_in(items)
    markdown = sum(len(block["text"]) for block in checked if block["type"] == "markdown")
    if characters_in(checked) > TOTAL_CHARACTERS or markdown > MARKDOWN_CHARACTERS:
        raise RefusedError("msg_blocks_too_long")
    return checked


def checked_view(view: Any) -> Payload:
    """The view.

    Raises RefusedError: view_too_large, or invalid_arguments with JSON pointers.
    """
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        raise RefusedError("view_too_large")
    found = [f"[ERROR] {one.under('/view')}" for one in view_problems(view)]
    thing = as_object(view)
    if found or thing is None:
        raise RefusedError("invalid_arguments", response_metadata={"messages": found})
    return thing


def characters_in(value: Any) -> int:
    """How many characters of text the blocks hold: every string under a `text` key."""
    if (thing := as_object(value)) is not None:
        own = thing.get("text")
        rest = sum(characters_in(item) for item in thing.values())
        return rest + (len(own) if isinstance(own, str) else 0)
    return sum(characters_in(item) for item in as_list(value) or [])


def replaces_rich_text(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an update would put another kind of block where a rich_text block stands."""
    kinds = {block.get("block_id"): block["type"] for block in new}
    return any(
        block["type"] == "rich_text" and kinds.get(block.get("block_id"), "rich_text") != "rich_text" for block in old
    ) or (len(old) == len(new) == 1 and old[0]["type"] == "rich_text" and new[0]["type"] != "rich_text")


def _twin_problems(blocks: Sequence[Payload]) -> Iterator[Problem]:
    seen: Counter[str] = Counter()
    for place, block in enumerate(blocks):
        block_id = block.get("block_id")
        if block_id is not None:
            seen[block_id] += 1
            if seen[block_id] > 1:
                message = f"block_id must be unique: {block_id}"
                yield Problem(pointer=f"/{place}/block_id", message=message, code="duplicate_block_id")
        actions = Counter(element["action_id"] for _, element in interactive([block]))
        for action_id, count in actions.items():
            if count > 1:
                message = f"action_id must be unique within its block: {action_id}"
                yield Problem(pointer=f"/{place}", message=message, code="duplicate_action_id")


def _empty_section_problems(blocks: Sequence[Payload]) -> Iterator[Problem]:
    for place, block in enumerate(blocks):
        if block["type"] == "section" and not block.get("text") and not block.get("fields"):
            yield Problem(pointer=f"/{place}", message="missing required field: text", code="missing_field")
        for _, element in elements_in([block]):
            is_select = element["type"] in ("static_select", "multi_static_select")
            if is_select and not element.get("options") and not element.get("option_groups"):
                yield Problem(pointer=f"/{place}", message="missing required field: options", code="missing_field")
