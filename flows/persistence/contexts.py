"""How a stored question is read where the classes of what it shows may be unknown."""

from __future__ import annotations

import json
from typing import Any, cast

from flows.errors import CodecError
from flows.persistence.codec import decode, from_text, picture
from flows.types import PendingFeedbackContext

_OF_USERS = ("method_output", "metadata", "llm")
"""Fields whose values the flow's author chose."""


def shown_context(text: str, *, home: str | None) -> PendingFeedbackContext:
    """The context behind a text of the codec, for a list of questions.

    One question whose classes are not loaded here must not hide all others: such a value becomes its picture in JSON's
    types. Raises CodecError only for a text that is no context.
    """
    try:
        return cast("PendingFeedbackContext", from_text(text, home=home, path="context"))
    except CodecError:
        tree = json.loads(text)
    content: dict[str, Any] = tree["v"]
    content.update({name: picture(content[name]) for name in _OF_USERS if not _is_readable(content[name], home)})
    return cast("PendingFeedbackContext", decode(tree, home=home, path="context"))


def _is_readable(tree: Any, home: str | None) -> bool:
    try:
        decode(tree, home=home)
    except CodecError:
        return False
    return True
