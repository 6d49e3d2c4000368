"""Which steps of a flow class wait for a person, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.engine.classes import graph_of
from flows.graph.spec import spec_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowGate:
    """One step under @human_feedback."""

    method: str
    message: str
    emit: tuple[str, ...] = ()
    """Empty: any words answer it."""
    default_outcome: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


def gates_of(flow_class: type) -> tuple[FlowGate, ...]:
    """The gates of a flow class, in the order of its methods. Raises GraphError when its graph cannot be built."""
    found: list[FlowGate] = []
    for name in graph_of(flow_class).steps:
        spec = spec_of(getattr(flow_class, name))
        if spec is not None and spec.feedback is not None:
            feedback = spec.feedback
            found.append(
                FlowGate(
                    method=name,
                    message=feedback.message,
                    emit=feedback.emit or (),
                    default_outcome=feedback.default_outcome,
                    metadata=dict(feedback.metadata or {}),
                )
            )
    return tuple(found)
