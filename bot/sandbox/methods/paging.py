"""One page of a list, and the cursor to the next. Source: Slack's reference, "Pagination"."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

from bot.sandbox.methods.method import Args, number, text
from bot.sandbox.refusals import explained
from bot.sandbox.vocabulary import Payload

PAGE_ARGS: Final = (text("cursor"), number("limit"))
_LONGEST: Final = 1_000


def page_of(items: Sequence[Any], args: Args, *, usual: int = 100) -> tuple[list[Any], Payload]:
    """The items of this page, and the answer's paging fields.

    Raises RefusedError: invalid_arguments for a cursor that was never given out.
    """
    start = _position(args["cursor"]) if args.get("cursor") else 0
    end = start + min(args.get("limit") or usual, _LONGEST)
    following = _cursor(end) if end < len(items) else ""
    return list(items[start:end]), {"response_metadata": {"next_cursor": following}}


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"next:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.urlsafe_b64decode(cursor.encode()).decode().removeprefix("next:"))
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise explained("invalid_arguments", "invalid cursor [json-pointer:/cursor]") from error
