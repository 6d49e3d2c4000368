"""What a person reads of a Slack message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

Payload = Mapping[str, Any]


def text_of(message: Payload) -> str:
    """All the text that a message shows, block by block; its `text` where no block says any."""
    lines = [line for block in _objects(message.get("blocks")) for line in _lines(block)]
    return "\n".join(lines) or str(message.get("text") or "")


def button_labels(message: Payload) -> list[str]:
    """The labels of everything in a message that can be pressed or chosen, in order."""
    return [label for label, _ in choices(message)]


def choices(message: Payload) -> list[tuple[str, Payload]]:
    """Label and element of everything that can be pressed; an option of a menu carries its menu's action_id."""
    found: list[tuple[str, Payload]] = []
    for block in _objects(message.get("blocks")):
        for element in [*_objects(block.get("elements")), *_objects([block.get("accessory")])]:
            if element.get("type") == "button":
                found.append((_text(element.get("text")), element))
            found += [
                (_text(option.get("text")), {**element, "value": option.get("value")})
                for option in _objects(element.get("options"))
            ]
    return found


def _lines(block: Payload) -> Iterator[str]:
    for part in [block.get("text"), *_objects(block.get("fields")), *_objects(block.get("elements"))]:
        if isinstance(part, Mapping) and "text" in part:
            yield _text(cast("Payload", part))
    accessory = block.get("accessory")
    if isinstance(accessory, Mapping):
        yield _text(cast("Payload", accessory).get("text"))


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return _text(cast("Payload", value).get("text"))
    return str(value or "")


def _objects(value: Any) -> list[Payload]:
    if not isinstance(value, list):
        return []
    return [cast("Payload", each) for each in cast("list[Any]", value) if isinstance(each, Mapping)]
