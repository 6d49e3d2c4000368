"""What a run tells the world: typed events."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEvent:
    """Something that happened in a run. Values are JSON-safe snapshots, never live objects."""

    type: ClassVar[str] = "flow_event"
    flow_name: str
    flow_id: str
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCreated(FlowEvent):
    """An instance was made."""

    type: ClassVar[str] = "flow_created"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStarted(FlowEvent):
    """A run began, or went on after a pause."""

    type: ClassVar[str] = "flow_started"
    inputs: dict[str, Any] | None = None
    """What kickoff was given; None stays None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFinished(FlowEvent):
    """A run ended by itself."""

    type: ClassVar[str] = "flow_finished"
    result: Any = None
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFailed(FlowEvent):
    """An exception ended a run."""

    type: ClassVar[str] = "flow_failed"
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPaused(FlowEvent):
    """A run waits for people."""

    type: ClassVar[str] = "flow_paused"
    request_ids: tuple[str, ...]
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEvent(FlowEvent):
    """Something that happened to one call of a method."""

    type: ClassVar[str] = "method_event"
    method_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodExecutionStarted(MethodEvent):
    """A method is about to run."""

    type: ClassVar[str] = "method_execution_started"
    params: Any = None
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodExecutionFinished(MethodEvent):
    """A method ended; with feedback, the feedback is in."""

    type: ClassVar[str] = "method_execution_finished"
    result: Any = None
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodExecutionFailed(MethodEvent):
    """A method raised."""

    type: ClassVar[str] = "method_execution_failed"
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodExecutionPaused(MethodEvent):
    """A method's output waits for a person."""

    type: ClassVar[str] = "method_execution_paused"
    request_id: str
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanFeedbackRequested(MethodEvent):
    """A person is being asked, by whatever provider."""

    type: ClassVar[str] = "human_feedback_requested"
    request_id: str
    message: str
    output: Any = None
    emit: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanFeedbackReceived(MethodEvent):
    """A person's answer has been read."""

    type: ClassVar[str] = "human_feedback_received"
    request_id: str
    feedback: str
    outcome: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowInputRequested(MethodEvent):
    """A step asks a person for a line of text."""

    type: ClassVar[str] = "flow_input_requested"
    message: str
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowInputReceived(MethodEvent):
    """The answer to `ask()`; None when there was none."""

    type: ClassVar[str] = "flow_input_received"
    message: str
    response: str | None
    metadata: dict[str, Any] | None = None
    response_metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlotted(FlowEvent):
    """A picture of the flow was drawn."""

    type: ClassVar[str] = "flow_plot"
