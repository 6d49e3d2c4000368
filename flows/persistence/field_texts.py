"""Which fields of a state must be written as text anew, since they have changed?"""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from typing import Any

from flows.persistence.codec import to_text

_ALIKE = '"bytes"'
"""In the text of every value that holds bytes, which a mark does not tell from other buffers."""


class FieldTexts:
    """Remembers the codec's text of each field, beside a mark that any change inside the field changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, str]] = {}

    def text(self, fields: Mapping[Any, Any], *, path: str) -> str:
        """The same value as the codec's text of the whole. Raises CodecError with the path of what is refused."""
        items = tuple(fields.items())
        if not all(type(name) is str and name.isascii() and name != "$" for name, _ in items):
            return to_text(dict(items), path=path)
        return "{" + ",".join(f"{json.dumps(name)}:{self._field(name, value, path)}" for name, value in items) + "}"

    def _field(self, name: str, value: Any, path: str) -> str:
        mark = _mark_of(value)
        known = self._known.get(name)
        if mark is not None and known is not None and known[0] == mark:
            return known[1]
        path = f"{path}.{name}"
        # The value inside the mark is the one that the text must show: a step in a thread may change the live one.
        text = to_text(value if mark is None else marshal.loads(mark), path=path)
        if mark is not None and _ALIKE not in text:
            self._known[name] = mark, text
            return text
        self._known.pop(name, None)
        return text if mark is None else to_text(value, path=path)


def _mark_of(value: Any) -> bytes | None:
    """Bytes that are equal for equal values of equal types only; None for a value of other than built-in types.

    marshal goes through the whole value in one step that no other thread can enter, and takes exact types only.
    What it writes is read back here alone, and never stored.
    """
    try:
        return marshal.dumps(value)
    except ValueError:
        return None
