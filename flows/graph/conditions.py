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


def names_in(condition: Condition) -> Iterator[EventName]:
    """Every event name in the tree, left to right, repeats included."""
    if isinstance(condition, On):
        yield condition.name
        return
    for part in condition.parts:
        yield from names_in(part)
