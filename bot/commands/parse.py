"""The text behind `/flows` or a mention, as a command."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ID = re.compile(r"([rf])-?(\d{1,12})", re.IGNORECASE)
"""A review or a run as people write it: R-7, f12."""
WORDS = (
    "help",
    "list",
    "start",
    "status",
    "pending",
    "show",
    "history",
    "remind",
    "escalate",
    "reassign",
    "cancel",
    "lift",
    "again",
    "pause",
    "continue",
    "policy",
)
_HANDLE = re.compile(r"@[\w.\-]+|[UW][A-Z0-9]{2,}")
_PERSON = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
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
    """Start a flow. name is empty when none was given: the channel's own one, where it has one."""

    name: str
    inputs: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is running here, or one review or run."""

    id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What waits for somebody, as far as this person sees it."""


Verb = Literal["show", "history", "remind", "escalate", "cancel", "lift", "again"]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Something about one review. id None: the one that is open in this thread."""

    verb: Verb
    id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassign:
    """Ask this person instead."""

    id: str | None
    to: str
    """A person's id, or a handle with its @."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """Pause everything, or continue."""

    halted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPolicy:
    """What holds for every gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A command whose words do not fit, and how it is written."""

    verb: str


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


Command = (
    Help
    | ListFlows
    | Start
    | Status
    | Pending
    | About
    | Reassign
    | Halt
    | ShowPolicy
    | Malformed
    | BadInput
    | OpenQuote
    | UnknownWord
)


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
        case "pending":
            return Malformed(verb="pending") if rest.strip() else Pending()
        case "pause" | "continue" as verb:
            return Malformed(verb=verb) if rest.strip() else Halt(halted=verb == "pause")
        case "policy":
            return Malformed(verb="policy") if rest.strip() else ShowPolicy()
        case "reassign":
            return _reassign(rest.split())
        case "show" | "history" | "remind" | "escalate" | "cancel" | "lift" | "again" as verb:
            wanted = rest.strip()
            if wanted and ID.fullmatch(wanted) is None:
                return Malformed(verb=verb)
            return About(verb=verb, id=wanted or None)
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
        case "pending" | "pause" | "continue" | "policy":
            return not rest.strip()
        case "reassign":
            return isinstance(parse(text), Reassign)
        # A word that ends something is only a command with the number of what it ends; so is one that people also say.
        case "cancel" | "lift" | "again" | "show":
            return ID.fullmatch(rest.strip()) is not None
        case "history" | "remind" | "escalate":
            return not rest.strip() or ID.fullmatch(rest.strip()) is not None
        case _:
            return False


def _reassign(words: list[str]) -> Command:
    if words and words[0].casefold() == "to":
        words = words[1:]
    about = words.pop(0) if words and ID.fullmatch(words[0]) else None
    if words and words[0].casefold() == "to":
        words = words[1:]
    if len(words) != 1:
        return Malformed(verb="reassign")
    person = _PERSON.fullmatch(words[0])
    if person is not None:
        return Reassign(id=about, to=person[1])
    return Reassign(id=about, to=words[0]) if _HANDLE.fullmatch(words[0]) else Malformed(verb="reassign")


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
    # Without a name, the channel's own flow is meant.
    name = "" if "=" in words[0] else words.pop(0)
    inputs: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            return BadInput(word=word)
        inputs[key] = value
    return Start(name=name, inputs=inputs)
