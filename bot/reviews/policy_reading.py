"""How the words of a policy file become values: durations, amounts, people, choices; each fault with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

from bot.reviews.gate_policy import Tier, Who
from bot.reviews.policy_faults import Fault, instead
from bot.reviews.policy_metadata import HOW_TO_NAME, who_of
from bot.reviews.policy_yaml import Items, Node, Row, Scalar, Table

T = TypeVar("T")

_QUOTES = 'Put names in quotes, "#channel": a bare # begins a comment.'

_DURATION = re.compile(r"([0-9]{1,6})([smhd])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_LONGEST = timedelta(days=365)
_AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of one file: it goes on after a fault, so that all of them are told at once."""

    file: str
    faults: list[Fault] = field(default_factory=list[Fault])
    places: dict[str, str] = field(default_factory=dict[str, str])
    """Where each person or channel is named first."""

    def place(self, node: Node) -> str:
        """Where this stands, as people look for it."""
        return f"{self.file}:{node.line}"

    def refuse(self, node: Node, what: str, mend: str = "") -> None:
        """Note a fault."""
        self.faults.append(Fault(place=self.place(node), what=what, mend=mend))

    def rows(self, node: Node, what: str) -> tuple[Row, ...]:
        """The rows of a mapping with any keys. what says what it is."""
        if isinstance(node, Table):
            return node.rows
        if not (isinstance(node, Scalar) and node.kind == "nothing"):
            self.refuse(node, f"{what} has to be a mapping.", "Write `key: value` lines below it.")
        return ()

    def table(self, node: Node, known: Collection[str], what: str) -> Mapping[str, Row]:
        """The rows of a mapping, by key; keys that are not known are faults."""
        found: dict[str, Row] = {}
        for row in self.rows(node, what):
            if row.key.text in known:
                found[row.key.text] = row
            else:
                self.refuse(row.key, f"{row.key.text!r} is nothing that {what} knows.", instead(row.key.text, known))
        return found

    def items(self, node: Node, read: Callable[[Node], T | None]) -> tuple[T, ...]:
        """What `read` makes of each item of a list; a single value is a list of one."""
        is_nothing = isinstance(node, Scalar) and node.kind == "nothing"
        # `[ #channel` without quotes, and the bracket closed on the next line, reads as a list of nobody.
        if is_nothing or (isinstance(node, Items) and not node.items and node.last_line > node.line):
            self.refuse(node, "nothing stands here.", f"Write [] for nobody. {_QUOTES}")
            return ()
        nodes = node.items if isinstance(node, Items) else (node,)
        return tuple(value for value in map(read, nodes) if value is not None)

    def text(self, node: Node) -> str | None:
        """Words of one value."""
        if isinstance(node, Scalar) and node.kind != "nothing" and node.text.strip():
            return node.text.strip()
        self.refuse(node, "words are missing here.", _QUOTES)
        return None

    def flag(self, node: Node) -> bool | None:
        """True or false."""
        if isinstance(node, Scalar) and node.kind == "flag":
            return node.flag
        self.refuse(node, f"{_shown(node)} is neither true nor false.")
        return None

    def choice(self, node: Node, known: Sequence[str], what: str) -> str | None:
        """One of these words."""
        if isinstance(node, Scalar) and node.text in known:
            return node.text
        self.refuse(node, f"{_shown(node)} is no {what}.", instead(_shown(node), known))
        return None

    def tier(self, node: Node) -> Tier | None:
        """A tier."""
        found = self.choice(node, [tier.value for tier in Tier], "tier")
        return None if found is None else Tier(found)

    def count(self, node: Node, *, least: int, most: int) -> int | None:
        """A whole number within bounds."""
        if isinstance(node, Scalar) and node.kind == "number" and _COUNT.fullmatch(node.text):
            number = int(node.text)
            if least <= number <= most:
                return number
        self.refuse(node, f"{_shown(node)} is out of place.", f"Write a whole number, {least} to {most}.")
        return None

    def amount(self, node: Node) -> Decimal | None:
        """An amount: digits, and at most six behind a point."""
        if isinstance(node, Scalar) and node.kind == "number" and _AMOUNT.fullmatch(node.text):
            return Decimal(node.text)
        self.refuse(node, f"{_shown(node)} is no amount.", "Write it like 500 or 99.50.")
        return None

    def duration(self, node: Node) -> timedelta | None:
        """A time span such as 90s, 30m, 4h or 2d; at most a year."""
        found = _DURATION.fullmatch(node.text) if isinstance(node, Scalar) else None
        if found is not None:
            span = timedelta(**{_UNITS[found[2]]: int(found[1])})
            if timedelta(0) < span <= _LONGEST:
                return span
        self.refuse(node, f"{_shown(node)} is no time span.", "Write it like 90s, 30m, 4h or 2d; at most 365d.")
        return None

    def person(self, node: Node) -> Who | None:
        """Somebody: a person, a user group, or a channel's members."""
        text = self.text(node)
        if text is None:
            return None
        who = who_of(text)
        if who is None:
            self.refuse(node, f"{text!r} names nobody.", HOW_TO_NAME)
            return None
        self.places.setdefault(text, self.place(node))
        return who

    def people(self, node: Node) -> tuple[Who, ...]:
        """Several people, each once; an empty list is nobody."""
        return tuple(dict.fromkeys(self.items(node, self.person)))


def _shown(node: Node) -> str:
    match node:
        case Scalar():
            return repr(node.text) if node.kind != "nothing" else "nothing"
        case Items():
            return "a list"
        case Table():
            return "a mapping"
