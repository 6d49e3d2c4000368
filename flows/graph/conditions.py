"""What a step waits for: the tree that or_ and and_ build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flows.types import EventName


@dataclass(frozen=True, slots=True)
class On:
    """Met by one event."""

    name: EventName

    def __str__(self) -> str:
        return repr(self.name)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Met by any of at least two parts."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return f"or_({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Met once all of at least two parts have been met since it was last met."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return f"and_({', '.join(map(str, self.parts))})"


Condition = On | AnyOf | AllOf
"""A tree of triggers in normal form: no node has fewer than two parts, no part stands twice in one node."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one event can do for a condition; parts that the event cannot meet are left out."""

    meets: bool
    """Whether the event alone meets the condition."""
    joins: tuple[Join, ...]
    """The and_ nodes, outermost first, of which the event meets a part."""


@dataclass(frozen=True, slots=True)
class Join:
    """One and_ node, as one event sees it."""

    place: str
    """Names the node within its condition."""
    size: int
    """How many parts it has."""
    parts: tuple[tuple[int, Share], ...]
    """The parts that hold the event, with their positions."""


def shares_of(condition: Condition, place: str = "") -> dict[EventName, Share]:
    """Each event of the tree with its share, so that an event costs what it touches and not the whole tree."""
    if isinstance(condition, On):
        return {condition.name: Share(True, ())}
    touched: dict[EventName, list[tuple[int, Share]]] = {}
    for index, part in enumerate(condition.parts):
        for event, share in shares_of(part, f"{place}.{index}").items():
            touched.setdefault(event, []).append((index, share))
    if isinstance(condition, AllOf):
        size = len(condition.parts)
        return {event: Share(False, (Join(place, size, tuple(parts)),)) for event, parts in touched.items()}
    return {
        event: Share(any(share.meets for _, share in parts), tuple(join for _, share in parts for join in share.joins))
        for event, parts in touched.items()
    }


def names_in(condition: Condition) -> Iterator[EventName]:
    """Every event name in the tree, left to right, repeats included."""
    if isinstance(condition, On):
        yield condition.name
        return
    for part in condition.parts:
        yield from names_in(part)
