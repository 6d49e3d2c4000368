"""One live flow: its graph, state, progress, answers and services, in one record."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, cast
from uuid import uuid4

from flows.engine.classes import graph_of
from flows.engine.state import StateSlot, make_slot
from flows.errors import ProviderError, RunInProgressError
from flows.events import FlowCreated, FlowEvent
from flows.graph.definition import FlowGraph
from flows.graph.progress import Active, Call, Phase, Progress
from flows.graph.spec import PersistSpec
from flows.persistence.decorator import class_persist
from flows.ports import (
    Clock,
    EventListener,
    FlowPersistence,
    HumanFeedbackProvider,
    InputProvider,
    SystemClock,
    as_store,
)
from flows.types import HumanFeedbackPending, HumanFeedbackResult, MethodName, OpenedRequest

logger = logging.getLogger(__name__)

_RUN = "__flow_run__"


class StepRecord(NamedTuple):
    """One finished call, and what it hands on."""

    call: Call
    output: Any
    """What the method returned, or what replaced it in a review."""
    feedback: HumanFeedbackResult | None
    label: str | None
    """The event its answer raised."""

    @property
    def recorded(self) -> Any:
        """What counts as the method's output: the feedback itself for a review without labels."""
        return self.feedback if self.feedback is not None and self.label is None else self.output

    @property
    def told(self) -> Any:
        """What listeners of the method's name receive: of a review with labels, the label."""
        if self.feedback is None:
            return self.output
        return self.feedback if self.label is None else self.label

    @property
    def raised(self) -> Any:
        """What listeners of the label receive: a router's answer (an Enum as its value), or the feedback."""
        if self.feedback is not None:
            return self.feedback
        return self.output.value if isinstance(self.output, Enum) else self.output


@dataclass(slots=True, kw_only=True)
class Question:
    """An output that a person is being asked about."""

    output: Any
    request_id: str
    requested_at: datetime
    pending: HumanFeedbackPending | None = None
    """Set once the run waits for the answer."""


@dataclass(slots=True, kw_only=True)
class Services:
    """What the run was given from outside."""

    clock: Clock
    persistence: FlowPersistence | None
    """The constructor's store."""
    provider: HumanFeedbackProvider | None
    """The host's provider: serves steps without one and replaces a console one."""
    input_provider: InputProvider | None
    memory: Any


@dataclass(slots=True, kw_only=True)
class Settings:
    """How the run behaves."""

    suppress_flow_events: bool
    max_method_calls: int
    defer_trace_finalization: bool | None


@dataclass(slots=True, kw_only=True)
class FlowRun:
    """Everything about one live flow. Modules of this package pass it on by name; nobody else sees it."""

    flow: Any
    """The user's instance, for its methods."""
    flow_type: type[Any]
    name: str
    flow_class: str
    persist: PersistSpec | None
    """What @persist on the class asks for."""
    graph: FlowGraph
    slot: StateSlot
    services: Services
    settings: Settings
    store: FlowPersistence | None
    """Where checkpoints go; None while the run is kept in memory only."""
    progress: Progress = field(default_factory=Progress)
    steps: list[StepRecord] = field(default_factory=list[StepRecord])
    by_call: dict[Call, StepRecord] = field(default_factory=dict[Call, StepRecord])
    questions: dict[Call, Question] = field(default_factory=dict[Call, Question])
    """Outputs under review, oldest first."""
    chosen: Call | None = None
    """The question that the next resume answers, when several are open."""
    calls_at_answer: dict[MethodName, int] = field(default_factory=dict[MethodName, int])
    """How often each method had been called when a person last answered a pause: a cycle through a pause can end."""
    token: str = ""
    """Tells this run from others under the same id; "" until a run begins or is restored."""
    trigger_payload: Any = None
    input_files: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_history: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    restored_from: str | None = None
    """The id whose state this run took over."""
    is_host_served: bool = False
    """Whether a provider of the constructor, here or before the pause, asks for reviews of this run."""
    loop: asyncio.AbstractEventLoop | None = None
    """The loop that drives the run, while it is driven."""
    listeners: list[EventListener] = field(default_factory=list[EventListener])
    is_running: bool = False
    asking: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    """Calls of `ask()` whose steps wait in a thread; they end with the drive."""
    deciding: set[str] = field(default_factory=set[str])
    """Request ids whose claim is under way in this instance."""
    has_late_answer: bool = False
    """Whether an answer came to this instance while it was driven: the drive must look for it before it rests."""
    version: int | None = None
    """The last checkpoint that was stored; None before the first."""
    revision: int = 1
    """Counts changes, so that a checkpoint that holds them already is not written again."""
    saved_revision: int = 0
    saved_steps: int = 0
    unkept: list[MethodName] = field(default_factory=list[MethodName])
    """Methods that ended outside a drive, whose state @persist has still to save."""
    opened: list[OpenedRequest] = field(default_factory=list[OpenedRequest])
    """Questions that the next checkpoint stores."""
    closed: list[str] = field(default_factory=list[str])
    """Answered requests whose rows the next pause or end removes."""

    @property
    def flow_id(self) -> str:
        """The run's id: the state's."""
        return self.slot.flow_id(self.name)

    @property
    def waiting(self) -> list[tuple[Call, HumanFeedbackPending]]:
        """Questions that only a person can answer, oldest first."""
        return [(call, item.pending) for call, item in self.questions.items() if item.pending is not None]

    @property
    def interrupted(self) -> list[Active]:
        """Calls that started and whose body is not known to have finished."""
        return [active for active in self.progress.active.values() if active.phase is Phase.RUNNING]

    @property
    def result(self) -> Any:
        """The output recorded last; None when nothing ran."""
        return self.steps[-1].recorded if self.steps else None

    @property
    def history(self) -> list[HumanFeedbackResult]:
        """All answers of people in this run, oldest first."""
        return [step.feedback for step in self.steps if step.feedback is not None]

    def record(self, step: StepRecord) -> None:
        """Adds a finished call."""
        self.steps.append(step)
        self.by_call[step.call] = step
        self.questions.pop(step.call, None)
        self.revision += 1

    def clear(self) -> None:
        """Forgets the tracking of the run before; state, services and listeners stay."""
        self.progress = Progress()
        self.steps, self.by_call, self.questions = [], {}, {}
        self.calls_at_answer, self.token = {}, uuid4().hex
        self.chosen, self.version, self.saved_steps, self.is_host_served = None, None, 0, False
        self.opened, self.closed, self.unkept = [], [], []
        self.revision += 1

    def keep_in(self, store: FlowPersistence | None) -> None:
        """Has checkpoints go to this store from the next kickoff on. Raises RunInProgressError while running."""
        if self.is_running:
            raise RunInProgressError(flow=self.name, flow_id=self.flow_id)
        self.services.persistence = self.store = None if store is None else as_store(store)

    def enter(self) -> None:
        """Marks the instance as running. Raises RunInProgressError when it is."""
        if self.is_running:
            raise RunInProgressError(flow=self.name, flow_id=self.flow_id)
        self.is_running = True

    def emit(self, event: FlowEvent) -> None:
        """Tells everybody who listens; a failing listener is logged and changes nothing."""
        for listener in tuple(self.listeners):
            try:
                listener(event)
            except Exception:
                logger.exception("A listener of %s failed on %s.", self.name, event.type)


def new_run(flow: Any, *, initial_state: Any, services: Services, settings: Settings) -> FlowRun:
    """The record of a new instance. Raises GraphError or StateError when the class cannot run."""
    cls = cast("type[Any]", type(flow))
    return FlowRun(
        flow=flow,
        flow_type=cls,
        name=str(getattr(flow, "name", None) or cls.__name__),
        flow_class=f"{cls.__module__}.{cls.__qualname__}",
        persist=class_persist(cls),
        graph=graph_of(cls),
        slot=make_slot(cls, initial_state),
        services=services,
        settings=settings,
        store=services.persistence,
    )


def new_services(
    *,
    clock: Clock | None,
    persistence: FlowPersistence | None,
    provider: HumanFeedbackProvider | None,
    input_provider: InputProvider | None,
    memory: Any,
) -> Services:
    """What a constructor was given; the machine's clock without another one.

    Raises StoreTypeError or ProviderError for an object of another kind, here and not when a person waits for it.
    """
    if persistence is not None:
        as_store(persistence)
    # Users call the constructor from code that no type checker has seen.
    if provider is not None and not _can(provider, "request_feedback"):
        raise ProviderError(provider=provider, method="request_feedback")
    if input_provider is not None and not _can(input_provider, "request_input"):
        raise ProviderError(provider=input_provider, method="request_input")
    return Services(
        clock=clock or SystemClock(),
        persistence=persistence,
        provider=provider,
        input_provider=input_provider,
        memory=memory,
    )


def _can(provider: object, method: str) -> bool:
    return not isinstance(provider, type) and callable(getattr(provider, method, None))


def tell_created(run: FlowRun, listener: EventListener) -> None:
    """Has the listener hear every event from the first one on: that the instance was made."""
    run.listeners.append(listener)
    run.emit(FlowCreated(flow_name=run.name, flow_id=run.flow_id))


def run_of(flow: Any) -> FlowRun:
    """The record behind a flow; the one door to it. Raises RuntimeError when the flow's __init__ did not call super."""
    run = cast("dict[str, Any]", vars(flow)).get(_RUN)
    if not isinstance(run, FlowRun):
        raise RuntimeError(f"{type(flow).__name__} was not initialised. Call super().__init__() in its __init__.")
    return run


def attach(flow: Any, run: FlowRun) -> None:
    """Gives the flow its record."""
    vars(flow)[_RUN] = run


def new_request_id() -> str:
    """An unguessable name for one question."""
    return uuid4().hex
