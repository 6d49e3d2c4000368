"""What each event can do for a condition, so that an event costs what it touches and not the whole tree."""

from __future__ import annotations

from dataclasses import dataclass

from flows.graph.conditions import AllOf, Condition, On
from flows.types import EventName


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
    """Each event of the tree with its share."""
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
