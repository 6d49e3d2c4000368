"""What a reviewer is shown of a step's output: text, labelled fields or a list, as plain values."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from typing import Any, Literal, cast

from pydantic import BaseModel

ContentKind = Literal["text", "fields", "items", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One output, ready to be drawn. Exactly one of the three is filled, none when the output is empty."""

    kind: ContentKind
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """Label and value, in the model's order."""
    items: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        """All of it as text, for reading and for files."""
        if self.kind == "fields":
            return "\n".join(f"{label}: {value}" for label, value in self.fields)
        if self.kind == "items":
            return "\n".join(f"• {item}" for item in self.items)
        return self.text


def content_of(output: Any, summary: str | None = None) -> Content:
    """The content of a step's output. The author's summary wins over what the output holds."""
    if summary is not None:
        return _text(summary)
    labelled = _labelled(output)
    if labelled is not None:
        return Content(kind="fields", fields=tuple(labelled)) if labelled else Content(kind="empty")
    if isinstance(output, (Sequence, Set)) and not isinstance(output, (str, bytes, bytearray)):
        members = cast("Sequence[Any] | Set[Any]", output)
        items = tuple(_inline(member) for member in members)
        return Content(kind="items", items=items) if items else Content(kind="empty")
    return _text(_inline(output))


def to_json(content: Content) -> str:
    """The content as it is stored."""
    return json.dumps(dataclasses.asdict(content), ensure_ascii=False)


def from_json(text: str) -> Content:
    """The content that `to_json` stored."""
    raw = json.loads(text)
    fields = tuple((str(label), str(value)) for label, value in raw["fields"])
    return Content(kind=raw["kind"], text=raw["text"], fields=fields, items=tuple(raw["items"]))


def _text(text: str) -> Content:
    return Content(kind="text", text=text) if text.strip() else Content(kind="empty")


def _labelled(output: Any) -> list[tuple[str, str]] | None:
    if isinstance(output, BaseModel):
        titles = {name: field.title or readable(name) for name, field in type(output).model_fields.items()}
        return [(title, _inline(getattr(output, name))) for name, title in titles.items()]
    if dataclasses.is_dataclass(output) and not isinstance(output, type):
        return [(readable(field.name), _inline(getattr(output, field.name))) for field in dataclasses.fields(output)]
    if isinstance(output, Mapping):
        mapping = cast("Mapping[Any, Any]", output)
        return [(readable(str(key)), _inline(value)) for key, value in mapping.items()]
    return None


def _inline(value: Any) -> str:
    """One value in words a person reads; never a repr, never JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, Enum):
        return _inline(value.value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="minutes")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    labelled = _labelled(value)
    if labelled is not None:
        return "; ".join(f"{label}: {text}" for label, text in labelled)
    if isinstance(value, (Sequence, Set)) and not isinstance(value, str):
        return ", ".join(_inline(member) for member in cast("Sequence[Any] | Set[Any]", value))
    return str(value)


def readable(name: str) -> str:
    """A name made readable: `needs_legal_check` gives "Needs legal check"."""
    words = " ".join(name.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:] if words else name
