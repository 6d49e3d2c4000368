"""Which fields of a state must be written as text anew, since they have changed?"""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flows.persistence.codec import from_text, plain_text, to_text

_ALIKE = '"bytes"'
"""In the text of every value that holds bytes, which a mark does not tell from other buffers."""


_BETWEEN = ",\n"
"""Separates fields, and nothing else: JSON's texts hold no line end, and the codec writes none between values."""


class FieldTexts:
    """Remembers the codec's text of each field, beside a mark that any change inside the field changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, str]] = {}

    def text(self, fields: Mapping[Any, Any], *, path: str) -> str:
        """The same value as the codec's text of the whole. Raises CodecError with the path of what is refused."""
        items = tuple(fields.items())
        if not all(type(name) is str and name.isascii() and name != "$" for name, _ in items):
            return to_text(dict(items), path=path)
        return "{" + _BETWEEN.join(_key(name) + self._field(name, value, path) for name, value in items) + "}"

    def read(self, text: str, *, home: str | None, path: str) -> dict[str, Any]:
        """The fields of a state that `text` wrote, for which it then need not be written again. Raises CodecError."""
        fields: dict[str, Any] = from_text(text, home=home, path=path)
        parts = text[1:-1].split(_BETWEEN)
        for (name, value), part in zip(tuple(fields.items()), parts, strict=False):
            mark, key = _mark_of(value), _key(name)
            if mark is not None and part.startswith(key) and _ALIKE not in part and len(parts) == len(fields):
                self._known[name] = mark, part.removeprefix(key)
        return fields

    def _field(self, name: str, value: Any, path: str) -> str:
        mark = _mark_of(value)
        known = self._known.get(name)
        if mark is not None and known is not None and known[0] == mark:
            return known[1]
        path = f"{path}.{name}"
        # The value inside the mark is the one that the text must show: a step in a thread may change the live one.
        seen = value if mark is None else marshal.loads(mark)  # noqa: S302 - written above, in this very call
        text = (None if mark is None else plain_text(seen)) or to_text(seen, path=path)
        if mark is not None and _ALIKE not in text:
            self._known[name] = mark, text
            return text
        self._known.pop(name, None)
        return text if mark is None else to_text(value, path=path)


@lru_cache(1024)
def _key(name: str) -> str:
    return f"{json.dumps(name)}:"


def _mark_of(value: Any) -> bytes | None:
    """Bytes that are equal for equal values of equal types only; None for a value of other than built-in types.

    marshal goes through the whole value in one step that no other thread can enter, and takes exact types only.
    What it writes is read back here alone, and never stored.
    """
    try:
        return marshal.dumps(value)
    except ValueError:
        return None
