"""A graph as plain nodes and edges, for pictures and for tools."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Literal, TypedDict

from flows.errors import nearest
from flows.graph.conditions import AllOf, Condition, names_in
from flows.graph.definition import FlowGraph, Step

logger = logging.getLogger(__name__)

ConditionType = Literal["AND", "OR", "IF"]
"""IF marks a router: what follows depends on its answer."""


class Node(TypedDict):
    """One step."""

    type: Literal["start", "listen", "router"]
    is_router: bool
    router_events: list[str]
    trigger_methods: list[str]
    """Every name the step waits for."""
    condition_type: ConditionType | None
    class_name: str
    description: str


class Edge(TypedDict):
    """What leads from one step to another."""

    source: str
    target: str
    condition_type: Literal["AND", "OR"] | None
    """None for an edge that a router's label takes."""
    is_router_event: bool
    router_event: str | None


class FlowStructure(TypedDict):
    """One flow, in the shape that drawing tools expect."""

    name: str
    nodes: dict[str, Node]
    edges: list[Edge]
    start_methods: list[str]
    router_methods: list[str]


def structure_of(graph: FlowGraph) -> FlowStructure:
    """The graph's nodes and edges; warns of routers that declare no label, and of labels that no router declares."""
    _warn(graph)
    return FlowStructure(
        name=graph.flow_name,
        nodes={name: _node(graph, step) for name, step in graph.steps.items()},
        edges=list(_edges(graph)),
        start_methods=[name for name, step in graph.steps.items() if step.is_start],
        router_methods=[name for name, step in graph.steps.items() if step.is_router],
    )


def _node(graph: FlowGraph, step: Step) -> Node:
    condition = step.condition
    kind: ConditionType | None = "IF" if step.is_router else None if condition is None else _kind(condition)
    return Node(
        type="router" if step.is_router else "start" if step.is_start else "listen",
        is_router=step.is_router,
        router_events=list(step.emits or ()),
        trigger_methods=list(_names(step)),
        condition_type=kind,
        class_name=graph.flow_name,
        description=step.doc,
    )


def _edges(graph: FlowGraph) -> Iterator[Edge]:
    for target, step in graph.steps.items():
        for name in _names(step):
            if name in graph.steps and step.condition is not None:
                yield Edge(
                    source=name,
                    target=target,
                    condition_type=_kind(step.condition),
                    is_router_event=False,
                    router_event=None,
                )
    for source, router in graph.steps.items():
        for label in router.emits or ():
            for target, step in graph.steps.items():
                if target != source and step.condition is not None and label in _names_outside_and(step.condition):
                    yield Edge(
                        source=source, target=target, condition_type=None, is_router_event=True, router_event=label
                    )


def _kind(condition: Condition) -> Literal["AND", "OR"]:
    return "AND" if isinstance(condition, AllOf) else "OR"


def _names(step: Step) -> list[str]:
    return list(dict.fromkeys(names_in(step.condition))) if step.condition is not None else []


def _names_outside_and(condition: Condition) -> set[str]:
    if isinstance(condition, AllOf):
        return set()
    parts = getattr(condition, "parts", None)
    if parts is None:
        return set(names_in(condition))
    return {name for part in parts for name in _names_outside_and(part)}


def _warn(graph: FlowGraph) -> None:
    known = {*graph.steps, *graph.labels}
    for name, step in graph.steps.items():
        if step.is_router and step.emits is None:
            logger.warning(
                "%s.%s declares no labels, so the picture cannot show where it leads.", graph.flow_name, name
            )
        for heard in _names(step):
            if heard not in known:
                hint = nearest(heard, known)
                logger.warning(
                    "%s.%s waits for %r, which no router declares.%s",
                    graph.flow_name,
                    name,
                    heard,
                    f" Did you mean {hint!r}?" if hint else "",
                )
