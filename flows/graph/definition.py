"""What one flow class is: its steps and who hears what, built once and checked with errors that name the mend."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from flows.errors import SelfListeningError, nearest
from flows.graph.conditions import AnyOf, Condition, names_in
from flows.graph.shares import Share, shares_of
from flows.graph.spec import FeedbackSpec, MethodSpec, PersistSpec, spec_of
from flows.types import EventName, MethodName

logger = logging.getLogger(__name__)

Takes = Literal["nothing", "one"]
"""Whether a method is called bare or with the one value that triggered it."""

TRIGGER_PAYLOAD = "crewai_trigger_payload"
"""A start's parameter of this name receives the input of the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One method of the graph."""

    name: MethodName
    is_start: bool
    """Is an entry point."""
    is_conditional: bool
    """Is an entry point that waits for its condition, if another start needs none."""
    is_router: bool
    """Its answer is an event; it runs before plain listeners and has no fire-once limit."""
    condition: Condition | None
    once: bool
    """Fires once until re-armed: a plain listener of an or_ with several branches."""
    takes: Takes
    takes_payload: bool
    emits: tuple[str, ...] | None
    feedback: FeedbackSpec | None
    persist: PersistSpec | None
    doc: str
    """First line of the method's docstring, or ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowGraph:
    """The steps of one flow class, and an index of who hears which event."""

    flow_name: str
    steps: Mapping[MethodName, Step]
    """In order of definition, parents' steps first."""
    starts: tuple[MethodName, ...]
    """What a kickoff runs."""
    routers_hearing: Mapping[EventName, Mapping[MethodName, Share]]
    """For each event the routers that wait for it, and what it does for their conditions."""
    listeners_hearing: Mapping[EventName, Mapping[MethodName, Share]]

    def hears(self, event: EventName) -> bool:
        """Whether any step waits for this event."""
        return event in self.routers_hearing or event in self.listeners_hearing

    @property
    def labels(self) -> frozenset[str]:
        """All labels that routers declare."""
        return frozenset(label for step in self.steps.values() for label in step.emits or ())


def build_graph(flow: type) -> FlowGraph:
    """The graph of a flow class, its parents' steps included.

    Raises SelfListeningError. Logs one warning for each label that nothing can raise.
    """
    steps = {name: _step(name, function, spec) for name, function, spec in _collect(flow)}
    for step in steps.values():
        _refuse_self_listening(flow.__name__, step)
    _warn_of_silent_labels(flow.__name__, steps)
    _warn_of_idle_reviews(flow)
    unconditional = tuple(name for name, step in steps.items() if step.is_start and not step.is_conditional)
    return FlowGraph(
        flow_name=flow.__name__,
        steps=MappingProxyType(steps),
        starts=unconditional or tuple(name for name, step in steps.items() if step.is_start),
        routers_hearing=_index(step for step in steps.values() if step.is_router),
        listeners_hearing=_index(step for step in steps.values() if not step.is_router),
    )


def _collect(flow: type) -> Iterator[tuple[MethodName, Callable[..., Any], MethodSpec]]:
    found: dict[str, tuple[Callable[..., Any], MethodSpec] | None] = {}
    for base in reversed(flow.__mro__):
        for name, member in vars(base).items():
            function: Any = member
            spec = spec_of(function)
            inherited = found.get(name)
            if name.startswith("_") or not (spec or inherited):
                continue
            if not callable(function):
                found[name] = None
            elif spec is not None:
                found[name] = (function, spec)
            elif inherited is not None:
                # An override without decorators replaces what the step does, not when it runs.
                found[name] = (function, inherited[1])
    for name, entry in found.items():
        if entry is not None and entry[1].is_step:
            yield MethodName(name), *entry


def _step(name: MethodName, function: Callable[..., Any], spec: MethodSpec) -> Step:
    parameters = list(inspect.signature(function).parameters.values())
    member: Any = function
    if not isinstance(member, staticmethod):
        parameters = parameters[1:]  # self
    feedback = spec.feedback
    emits = feedback.emit if feedback is not None and feedback.emit is not None else spec.emits
    once = spec.listens and not spec.routes and isinstance(spec.condition, AnyOf)
    return Step(
        name=name,
        is_start=spec.start,
        is_conditional=spec.start and spec.start_waits,
        is_router=spec.routes,
        condition=spec.condition,
        once=once,
        takes="one" if parameters and not _is_payload_only(parameters) else "nothing",
        takes_payload=any(parameter.name == TRIGGER_PAYLOAD for parameter in parameters),
        emits=emits,
        feedback=feedback,
        persist=spec.persist,
        doc=(inspect.getdoc(function) or "").strip().partition("\n")[0],
    )


def _is_payload_only(parameters: list[inspect.Parameter]) -> bool:
    return len(parameters) == 1 and parameters[0].name == TRIGGER_PAYLOAD


def _refuse_self_listening(flow: str, step: Step) -> None:
    if step.condition is not None and EventName(step.name) in names_in(step.condition):
        raise SelfListeningError(flow=flow, method=step.name, condition=str(step.condition))


def _warn_of_silent_labels(flow: str, steps: Mapping[MethodName, Step]) -> None:
    if any(step.is_router and step.emits is None for step in steps.values()):
        return  # a router that declares nothing may raise anything
    known = {*steps, *(label for step in steps.values() for label in step.emits or ())}
    for step in steps.values():
        for name in dict.fromkeys(names_in(step.condition) if step.condition else ()):
            if name not in known:
                hint = nearest(name, known)
                logger.warning(
                    "%s.%s waits for %r, which no method and no declared label raises.%s",
                    flow,
                    step.name,
                    name,
                    f" Did you mean {hint!r}?" if hint else "",
                )


def _warn_of_idle_reviews(flow: type) -> None:
    for name, member in vars(flow).items():
        spec = spec_of(member)
        if spec is not None and spec.feedback is not None and not spec.is_step:
            logger.warning(
                "%s.%s has @human_feedback but neither @start nor @listen, so it never runs.", flow.__name__, name
            )


def _index(steps: Iterator[Step]) -> Mapping[EventName, Mapping[MethodName, Share]]:
    hearing: dict[EventName, dict[MethodName, Share]] = {}
    for step in steps:
        for name, share in (shares_of(step.condition) if step.condition else {}).items():
            hearing.setdefault(name, {})[step.name] = share
    return MappingProxyType({name: MappingProxyType(methods) for name, methods in hearing.items()})
