"""What Slack makes of a line a person typed: escaped text with mention tokens, and the same as rich text.

Pure. Source: Slack's reference, "Formatting message text" (escaping text, mentioning users).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.sandbox.vocabulary import Payload, UserId
from bot.sandbox.workspace import Workspace

_TOKEN = re.compile(
    r"<@(?P<user>[UW][A-Z0-9]+)>|<#(?P<channel>C[A-Z0-9]+)>|<!(?P<range>here|channel|everyone)>"
    r"|<!subteam\^(?P<group>S[A-Z0-9]+)>"
    r"|(?P<url>https?://[^\s<>|]+[^\s<>|.,;:!?)\]'\"])"
)


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str  # text, user, group, channel, range or url
    value: str


def escaped(text: str) -> str:
    """The text with Slack's three control characters as entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def stored_text(workspace: Workspace, typed: str) -> str:
    """The line as Slack stores it: mentions and links as tokens, every other control character escaped."""
    return "".join(_as_mrkdwn(piece) for piece in _pieces(workspace, typed))


def rich_text(workspace: Workspace, typed: str, block_id: str) -> Payload:
    """The line as the rich_text block that Slack adds to every message a person types."""
    elements = [_as_element(piece) for piece in _pieces(workspace, typed)]
    return {
        "type": "rich_text",
        "block_id": block_id,
        "elements": [{"type": "rich_text_section", "elements": elements}],
    }


def mentions(text: str, user: UserId) -> bool:
    """Whether stored text mentions this account."""
    return f"<@{user}>" in text or f"<@{user}|" in text


def _pieces(workspace: Workspace, typed: str) -> Iterator[_Piece]:
    text = _with_names_as_tokens(workspace, typed)
    position = 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "text"
        if not _is_known(workspace, kind, found.group(kind)):
            continue
        if found.start() > position:
            yield _Piece("text", text[position : found.start()])
        yield _Piece(kind, found.group(kind))
        position = found.end()
    if position < len(text):
        yield _Piece("text", text[position:])


def _with_names_as_tokens(workspace: Workspace, typed: str) -> str:
    groups = {one.handle.casefold(): f"<!subteam^{one.id}>" for one in workspace.groups.values() if not one.is_disabled}
    people = {
        name.casefold(): f"<@{person.id}>"
        for person in workspace.people.values()
        for name in (person.name, person.real_name)
        if name
    }
    tokens: Mapping[str, str] = groups | people
    # Longest first: "@Flow reviews" must not stop at a person called Flow.
    choices = "|".join(re.escape(name) for name in sorted(tokens, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w@<])@({choices})(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda found: tokens[found.group(1).casefold()], typed)


def _is_known(workspace: Workspace, kind: str, value: str) -> bool:
    match kind:
        case "user":
            return value in workspace.people
        case "channel":
            return value in workspace.channels
        case "group":
            return value in workspace.groups
        case _:
            return True


def _as_mrkdwn(piece: _Piece) -> str:
    match piece.kind:
        case "user":
            return f"<@{piece.value}>"
        case "channel":
            return f"<#{piece.value}>"
        case "group":
            return f"<!subteam^{piece.value}>"
        case "range":
            return f"<!{piece.value}>"
        case "url":
            return f"<{piece.value.replace('&', '&amp;')}>"
        case _:
            return escaped(piece.value)


def _as_element(piece: _Piece) -> Payload:
    match piece.kind:
        case "user":
            return {"type": "user", "user_id": piece.value}
        case "channel":
            return {"type": "channel", "channel_id": piece.value}
        case "group":
            return {"type": "usergroup", "usergroup_id": piece.value}
        case "range":
            return {"type": "broadcast", "range": piece.value}
        case "url":
            return {"type": "link", "url": piece.value}
        case _:
            return {"type": "text", "text": piece.value}
