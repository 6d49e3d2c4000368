"""What is worked out once for a flow class: its graph, the types its values may have, and its default store."""

from __future__ import annotations

from typing import Any, get_type_hints

from flows.engine.state import state_annotation
from flows.graph.definition import FlowGraph, build_graph
from flows.persistence.decorator import class_persist
from flows.persistence.default import default_flow_persistence
from flows.persistence.types_registry import register_home, register_reachable
from flows.ports import FlowPersistence

_GRAPH = "__flow_graph__"


def graph_of(cls: type) -> FlowGraph:
    """The graph of a flow class, built at first use. Raises GraphError."""
    found = vars(cls).get(_GRAPH)
    if not isinstance(found, FlowGraph):
        found = build_graph(cls)
        register_home(cls)
        register_reachable(state_annotation(cls))
        for name in found.steps:
            register_reachable(_returned(getattr(cls, name)))
        setattr(cls, _GRAPH, found)
    return found


def store_for_pauses(cls: type, graph: FlowGraph) -> FlowPersistence:
    """Where a flow without a constructor's store keeps its pauses: the class's store, a method's, or the default."""
    specs = [class_persist(cls), *(step.persist for step in graph.steps.values())]
    for spec in specs:
        if spec is not None and spec.persistence is not None:
            return spec.persistence
    return default_flow_persistence()


def _returned(function: Any) -> Any:
    try:
        return get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):
        # An annotation that cannot be resolved here registers nothing.
        return None
