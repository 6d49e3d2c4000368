"""What a post or update says: text, blocks and metadata, checked together.

Source: Slack's reference, chat.postMessage and chat.update (arguments, errors, "Truncating content").
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.sandbox.blocks import MARKDOWN_CHARACTERS, checked_message_blocks
from bot.sandbox.methods.method import Args, structure, text
from bot.sandbox.refusals import RefusedError
from bot.sandbox.stored_blocks import as_stored
from bot.sandbox.vocabulary import Payload, as_object
from bot.sandbox.workspace import Workspace

POST_CHARACTERS: Final = 40_000
UPDATE_CHARACTERS: Final = 4_000
METADATA_BYTES: Final = 8_000

CONTENT_ARGS: Final = (
    text("text"),
    text("markdown_text"),
    structure("blocks", malformed="invalid_blocks_format"),
    structure("metadata", malformed="invalid_metadata_format"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is to be said. None means: not given."""

    text: str | None
    blocks: list[Payload] | None
    metadata: Payload | None
    is_truncated: bool = False


def read_content(workspace: Workspace, args: Args) -> Content:
    """The content of a post, with its blocks as stored.

    Raises RefusedError: markdown_text_conflict, msg_too_long, invalid_blocks and its kin, no_text, metadata errors.
    """
    given_text: str | None = args.get("text")
    blocks = None
    if "markdown_text" in args:
        blocks = [_markdown_block(args)]
        given_text = args["markdown_text"]
    elif args.get("blocks") is not None:
        blocks = checked_message_blocks(args["blocks"])
    if not given_text and not blocks:
        raise RefusedError("no_text")
    return Content(
        text=None if given_text is None else given_text[:POST_CHARACTERS],
        blocks=None if blocks is None else as_stored(workspace, blocks),
        metadata=read_metadata(args),
        is_truncated=len(given_text or "") > POST_CHARACTERS,
    )


def read_metadata(args: Args) -> Payload | None:
    """The metadata of a message; an empty object asks an update to drop it.

    Raises RefusedError: invalid_metadata_format, invalid_metadata_schema or metadata_too_large.
    """
    if args.get("metadata") is None:
        return None
    metadata = as_object(args["metadata"])
    if metadata is None:
        raise RefusedError("invalid_metadata_format")
    if metadata and not (isinstance(metadata.get("event_type"), str) and _has_payload(metadata)):
        raise RefusedError("invalid_metadata_schema")
    if len(json.dumps(metadata, ensure_ascii=False).encode()) > METADATA_BYTES:
        raise RefusedError("metadata_too_large")
    return metadata


def truncation_warning(content: Content) -> Payload:
    """The fields that tell the app that its text was cut; none when it was not."""
    if not content.is_truncated:
        return {}
    return {"warning": "message_truncated", "response_metadata": {"warnings": ["message_truncated"]}}


def _markdown_block(args: Args) -> Payload:
    if args.get("text") or args.get("blocks"):
        raise RefusedError("markdown_text_conflict")
    if len(args["markdown_text"]) > MARKDOWN_CHARACTERS:
        raise RefusedError("msg_too_long")
    return {"type": "markdown", "text": args["markdown_text"]}


def _has_payload(metadata: Mapping[str, Any]) -> bool:
    return as_object(metadata.get("event_payload")) is not None
