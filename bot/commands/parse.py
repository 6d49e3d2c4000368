"""The text behind `/flows` or a mention, as a command."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

ID = re.compile(r"([rf])-?(\d{1,12})", re.IGNORECASE)
"""A review or a run as people write it: R-7, f12."""
WORDS = ("help", "list", "start", "status")
# Phones turn straight quotation marks into these.
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "«": '"', "»": '"'})


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can be said here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFlows:
    """Which flows can be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Start a flow. name is empty when none was given."""

    name: str
    inputs: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is running here, or one review or run."""

    id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BadInput:
    """A word of `start` that is not key=value."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuote:
    """A quotation mark that is not closed."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownWord:
    """A word that is no command, and the nearest that is."""

    word: str
    near: str


Command = Help | ListFlows | Start | Status | BadInput | OpenQuote | UnknownWord


def parse(text: str) -> Command:
    """The command that `text` says. Empty text asks for help."""
    word, _, rest = text.strip().partition(" ")
    match word.casefold():
        case "" | "help":
            return Help()
        case "list":
            return ListFlows()
        case "status":
            return Status(id=rest.strip() or None)
        case "start":
            return _start(rest.strip())
        case other:
            near = difflib.get_close_matches(other, WORDS, n=1, cutoff=0.0)
            return UnknownWord(word=word, near=near[0] if near else WORDS[0])


def is_command(text: str) -> bool:
    """True when the whole text is a command, so that "help me understand this" stays ordinary talk."""
    word, _, rest = text.strip().partition(" ")
    match word.casefold():
        case "help" | "list":
            return not rest.strip()
        case "status":
            return not rest.strip() or ID.fullmatch(rest.strip()) is not None
        case "start":
            return bool(rest.strip())
        case _:
            return False


def _start(rest: str) -> Command:
    lexer = shlex.shlex(rest.translate(_QUOTES), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ""
    # An apostrophe inside a word (topic=Ana's) is a letter; only double marks quote.
    lexer.quotes = '"'
    try:
        words = list(lexer)
    except ValueError:
        return OpenQuote(text=rest)
    if not words:
        return Start(name="", inputs={})
    inputs: dict[str, str] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals or not key:
            return BadInput(word=word)
        inputs[key] = value
    return Start(name=words[0], inputs=inputs)
