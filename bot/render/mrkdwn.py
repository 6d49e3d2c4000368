"""Text that may be sent to Slack, and the only functions that make it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import LiteralString, NewType

from bot.render.wording import TEXTS
from bot.types import ChannelId, GroupId, Language, UserId

Mrkdwn = NewType("Mrkdwn", str)
"""Text in which everything that came from people or models is escaped."""

# Characters that turn the reading direction of what follows them, or that nobody sees: with them a text can be shown
# as something else than it is.
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")
_BULLET = re.compile(r"^(\s*)[-*+]\s+")
_ENTITY = re.compile(r"&(amp|lt|gt);")
_SENTENCE_END = re.compile(r"[.!?。！？]\s|\n")


def escape(text: str) -> Mrkdwn:
    """The text as plain characters: Slack's three special characters become entities, hidden controls go.

    Source: Slack, "Formatting text for app surfaces", escaping text.
    """
    visible = _INVISIBLE.sub("", text)
    return Mrkdwn(visible.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


NOTHING = Mrkdwn("")


def fill(template: LiteralString, *values: Mrkdwn | int) -> Mrkdwn:
    """A fixed text of ours with escaped values in its braces. The type checker lets no computed template in."""
    return Mrkdwn(template.format(*values))


def code(text: str) -> Mrkdwn:
    """The text as something to type, on one line."""
    return Mrkdwn(f"`{one_line(text)}`")


def quoted(text: str, limit: int) -> Mrkdwn:
    """Somebody's words in quotation marks, on one line; nothing when they said nothing."""
    return fill("“{}”", escape(truncate(" ".join(text.split()), limit))) if text.strip() else NOTHING


def clamp(text: Mrkdwn, limit: int) -> Mrkdwn:
    """At most `limit` characters, with a visible "…", and never half an entity or half a token."""
    if len(text) <= limit:
        return text
    cut = truncate(text, limit)
    entity, token = cut.rfind("&"), cut.rfind("<")
    if entity > len(cut) - 6 and ";" not in cut[entity:]:
        cut = f"{cut[:entity]}…"
    if token >= 0 and ">" not in cut[token:]:
        cut = f"{cut[:token]}…"
    return Mrkdwn(cut)


def unescape(text: str) -> str:
    """What a person typed, from what Slack delivers."""
    return _ENTITY.sub(lambda found: {"amp": "&", "lt": "<", "gt": ">"}[found[1]], text)


def one_line(text: str) -> Mrkdwn:
    """Escaped, on one line, without the marks that would format it: for names and titles."""
    return escape(re.sub(r"[*~`]", "", " ".join(text.split())))


def from_markdown(text: str) -> Mrkdwn:
    """A model's Markdown in Slack's spelling: headings and strong text bold, bullets as bullets, the rest escaped."""
    return Mrkdwn("\n".join(_line(line) for line in escape(text).split("\n")))


def _line(line: str) -> str:
    heading = _HEADING.match(line)
    if heading:
        return f"*{heading[1].replace('*', '')}*"
    line = _BULLET.sub(r"\1• ", line)
    return _STRONG.sub(lambda found: f"*{found[1] or found[2]}*", line)


def quote(text: Mrkdwn) -> Mrkdwn:
    """The text as a quotation, so that nobody takes it for the bot's own words."""
    return Mrkdwn("\n".join(f"> {line}" for line in text.split("\n")))


def bold(text: Mrkdwn) -> Mrkdwn:
    """The text in bold."""
    return Mrkdwn(f"*{text}*")


def join(parts: Iterable[Mrkdwn], by: str = " · ") -> Mrkdwn:
    """The parts that are not empty, one after another."""
    return Mrkdwn(by.join(part for part in parts if part))


def mention(user: UserId) -> Mrkdwn:
    """A mention: it notifies this person."""
    return Mrkdwn(f"<@{user}>")


def group_mention(group: GroupId) -> Mrkdwn:
    """A mention of a user group: it notifies its members."""
    return Mrkdwn(f"<!subteam^{group}>")


def channel_link(channel: ChannelId) -> Mrkdwn:
    """A channel's name, as a link to it."""
    return Mrkdwn(f"<#{channel}>")


def link(url: str, label: Mrkdwn) -> Mrkdwn:
    """A link to an address of ours or of Slack's. Addresses from people or models never come here."""
    return Mrkdwn(f"<{escape(url)}|{label.replace('|', '¦')}>")


def moment(at: datetime, shape: str = "{time}") -> Mrkdwn:
    """A moment in the reader's own zone. The fallback names UTC only where a client cannot format dates."""
    return Mrkdwn(f"<!date^{int(at.timestamp())}^{shape}|{at:%H:%M}>")


def say(key: str, language: Language, **values: Mrkdwn | int) -> Mrkdwn:
    """A text of the wording table, with values that are escaped already."""
    return Mrkdwn(TEXTS[key][language].format(**values))


def truncate(text: str, limit: int) -> str:
    """At most `limit` characters of raw text, with a visible end: cut at a word, and never inside a pair."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", int(limit * 0.6))
    return f"{cut[:space] if space > 0 else cut}…"


def excerpt(text: str, *, lines: int, limit: int) -> tuple[str, bool]:
    """The beginning of a raw text and whether anything was left out.

    At most `lines` lines and `limit` characters, cut at the end of a sentence where one ends in the second half. Empty
    lines are left out: on a phone they would push the buttons off the screen.
    """
    filled = [line.rstrip() for line in text.split("\n") if line.strip()]
    head, was_cut = "\n".join(filled[:lines]), len(filled) > lines
    if len(head) > limit:
        was_cut = True
        ends = [found.end() for found in _SENTENCE_END.finditer(head, 0, limit)]
        cut = ends[-1] if ends and ends[-1] > limit // 2 else 0
        head = head[:cut].rstrip() if cut else truncate(head, limit).removesuffix("…")
    return (f"{head} …", True) if was_cut else (head, False)


def split(text: str, limit: int) -> list[str]:
    """Raw text in pieces of at most `limit` characters, cut at line ends or words where there are some."""
    pieces: list[str] = []
    rest = text
    while len(rest) > limit:
        cut = max(rest.rfind("\n", limit // 2, limit), 0) or max(rest.rfind(" ", limit // 2, limit), 0) or limit
        pieces.append(rest[:cut])
        rest = rest[cut:].lstrip("\n") if rest[cut : cut + 1] == "\n" else rest[cut:]
    pieces.append(rest)
    return [piece for piece in pieces if piece.strip()]
