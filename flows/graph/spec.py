"""All that decorators say about one method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from flows.graph.conditions import Condition

_ATTRIBUTE = "__flow_spec__"

MethodT = TypeVar("MethodT", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackSpec:
    """What @human_feedback asks for."""

    message: str
    emit: tuple[str, ...] | None = None
    llm: Any = None
    default_outcome: str | None = None
    metadata: Mapping[str, Any] | None = None
    provider: Any = None
    learn: bool = False
    learn_limit: int = 5
    learn_source: str = "hitl"
    learn_strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistSpec:
    """What @persist asks for."""

    persistence: Any = None
    """A store, or None for the default one."""
    verbose: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSpec:
    """One method's part in the graph, as its decorators wrote it."""

    start: bool = False
    start_waits: bool = False
    """Whether the start itself has a condition."""
    condition: Condition | None = None
    """What a listener, a router or a conditional start waits for."""
    listens: bool = False
    router: bool = False
    emits: tuple[str, ...] | None = None
    """Labels a router declares; None when it declares nothing."""
    feedback: FeedbackSpec | None = None
    persist: PersistSpec | None = None

    @property
    def is_step(self) -> bool:
        """Whether the method takes part in the graph."""
        return self.start or self.listens or self.router

    @property
    def routes(self) -> bool:
        """Whether the method's answer is an event of its own."""
        return self.router or (self.feedback is not None and self.feedback.emit is not None)


def spec_of(function: object) -> MethodSpec | None:
    """What decorators wrote on this function so far; None for a plain one."""
    found = getattr(function, _ATTRIBUTE, None)
    return found if isinstance(found, MethodSpec) else None


def annotate(function: MethodT, **changes: Any) -> MethodT:
    """The same function, with these fields of its spec set."""
    setattr(function, _ATTRIBUTE, replace(spec_of(function) or MethodSpec(), **changes))
    return function
