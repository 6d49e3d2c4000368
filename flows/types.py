"""The vocabulary of a run: what a pause, an answer, a stored run and a stored request are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime, time
from enum import Enum
from functools import cache
from typing import Any, Literal, NewType, cast
from uuid import uuid4

import pydantic

MethodName = NewType("MethodName", str)
"""The name of a flow method that takes part in the graph."""

EventName = NewType("EventName", str)
"""What a listener waits for: a method's name or a router's label; both live in one namespace."""

RunStatus = Literal["running", "paused", "finished", "failed"]
"""Where a stored run stands. `running` also covers a run whose process died."""

RequestStatus = Literal["pending", "decided"]
"""A stored feedback request waits for a person, or has an answer that the run has not put away yet."""


@cache
def identified(model: type[pydantic.BaseModel]) -> type[pydantic.BaseModel]:
    """The model itself when it has an `id` field, else a subclass of it that has one.

    The subclass keeps the model's name; `isinstance(state, model)` holds for it.
    """
    if "id" in model.model_fields:
        return model
    grown = pydantic.create_model(
        model.__name__, __base__=model, id=(str, pydantic.Field(default_factory=lambda: str(uuid4())))
    )
    grown.__module__ = model.__module__
    grown.__qualname__ = f"{model.__qualname__}{IDENTIFIED_SUFFIX}"
    return grown


IDENTIFIED_SUFFIX = "+id"
"""Marks the qualified name of a subclass made by `identified`, so that a stored value names its class exactly."""


@dataclass(slots=True)
class HumanFeedbackResult:
    """One answer of a person to one output.

    Source: human feedback guide, "HumanFeedbackResult".
    """

    output: Any
    """What the person was shown: the method's return value, or the value that replaced it."""
    feedback: str
    """The person's words, untouched."""
    outcome: str | None = None
    """The label the words were read as; None when the step declares no labels."""
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the answer arrived (aware UTC)."""
    method_name: str = ""
    """The method whose output was reviewed."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """The decorator's metadata, plus `idempotency_key`, and `by` and `original_output` where they apply."""


@dataclass(slots=True)
class PendingFeedbackContext:
    """All that is needed to ask a person, and to go on when the answer comes.

    Source: human feedback guide, "PendingFeedbackContext".
    """

    flow_id: str
    """The run's id."""
    flow_class: str
    """Module and qualified name of the flow's class, joined by a dot."""
    method_name: str
    """The method whose output is under review."""
    method_output: Any
    """What the person is shown."""
    message: str
    """The question."""
    emit: list[str] | None = None
    """The labels an answer may become; None when any words will do."""
    default_outcome: str | None = None
    """The label of an explicit empty answer."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the decorator was given for integrations."""
    llm: Any = None
    """The model's id, or its settings without secrets; a live step prefers its decorator's own model."""
    requested_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the run began to wait (aware UTC)."""
    request_id: str = field(default_factory=lambda: uuid4().hex)
    """Names this one question. Random, so that it cannot be guessed."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-safe picture: times as ISO text, models and dataclasses as dicts, unknown values as text."""
        plain = {item.name: json_safe(getattr(self, item.name)) for item in fields(self)}
        plain["requested_at"] = self.requested_at.isoformat()
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PendingFeedbackContext:
        """The context that `to_dict` drew; unknown keys are ignored."""
        known = {item.name for item in fields(cls)}
        values = {key: value for key, value in data.items() if key in known}
        when = values.get("requested_at")
        if isinstance(when, str):
            values["requested_at"] = datetime.fromisoformat(when)
        return cls(**values)


class HumanFeedbackPending(Exception):
    """A provider raises it to pause the run; kickoff and resume return it to say that the run is paused.

    Source: human feedback guide, "The provider abstraction".
    """

    def __init__(
        self,
        context: PendingFeedbackContext,
        callback_info: dict[str, Any] | None = None,
        message: str | None = None,
    ) -> None:
        self.context = context
        self.callback_info: dict[str, Any] = callback_info if callback_info is not None else {}
        super().__init__(message or f"Run {context.flow_id!r} waits for feedback on {context.method_name!r}.")


@dataclass(frozen=True, slots=True)
class InputResponse:
    """An answer to `ask()` with something to say about it."""

    text: str | None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Where one stored run stands."""

    flow_id: str
    flow_class: str
    status: RunStatus
    result: Any
    """The value kickoff returned, with its type; None unless finished."""
    error: str | None
    """Type and text of the exception that ended the run."""
    gate_decided: bool
    """Whether a person has decided anything in this run."""
    interrupted: tuple[str, ...]
    """Methods that started and are not known to have finished."""
    started_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRequest:
    """One stored question to a person, answered or not."""

    flow_id: str
    request_id: str
    method_name: str
    status: RequestStatus
    outcome: str | None
    feedback: str | None
    by: str | None
    context: PendingFeedbackContext
    callback_info: dict[str, Any]
    requested_at: datetime
    replaced_output: str | None = None
    """The edited output that came with the decision, as the codec's text; None when it was not edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRequest:
    """A question that a checkpoint stores for the first time."""

    context: PendingFeedbackContext
    callback_info: dict[str, Any]
    state: dict[str, Any]
    """A snapshot of the state at the pause, with its types."""
    state_text: str | None = None
    """The same as the codec's text, where somebody has it already: a store may keep this instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Everything one transaction writes about a run."""

    flow_id: str
    flow_class: str
    status: RunStatus
    version: int
    """One more than the checkpoint before it; a store keeps it only then.

    A kickoff begins with a random number, so that two runs under one id never mistake each other's checkpoints.
    """
    body: str
    """Progress and state as the codec's JSON text; only the engine reads it."""
    is_first: bool = False
    """Whether a kickoff begins here: whatever was stored under this id goes."""
    steps: tuple[tuple[int, str], ...] = ()
    """Steps finished since the last checkpoint: position in the run, and the codec's JSON text."""
    result: str | None = None
    """The run's value as the codec's JSON text, once finished."""
    error: str | None = None
    gate_decided: bool = False
    interrupted: tuple[str, ...] = ()
    opened: tuple[OpenedRequest, ...] = ()
    closed: tuple[str, ...] = ()
    """Request ids whose answers the run has taken in; their rows go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """What a store gives back about a run, for the engine to go on."""

    flow_id: str
    flow_class: str
    status: RunStatus
    version: int
    body: str | None
    """None when the store keeps only pending feedback and state."""
    steps: tuple[str, ...]
    requests: tuple[PendingRequest, ...]
    """Oldest first."""
    state: dict[str, Any] | None = None
    """The state at the pause, when there is no body."""


def json_safe(value: Any) -> Any:
    """A picture of any value in JSON's own types; what JSON cannot hold becomes text. Raises for no value."""
    try:
        return _json_safe(value, depth=0)
    except Exception:  # noqa: BLE001 - a user's class may refuse to be drawn; its name is the picture then
        return f"<{type(value).__name__}>"


_MAX_DEPTH = 60


def _json_safe(value: Any, *, depth: int) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value.value if isinstance(value, Enum) else value
    if depth > _MAX_DEPTH:
        return f"<{type(value).__name__}>"
    if isinstance(value, pydantic.BaseModel):
        fields_of = {name: getattr(value, name, None) for name in type(value).model_fields}
        return _json_safe({**fields_of, **(value.model_extra or {})}, depth=depth + 1)
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _json_safe(getattr(value, item.name, None), depth=depth + 1) for item in fields(value)}
    if isinstance(value, Mapping):
        items = tuple(cast("Mapping[Any, Any]", value).items())
        return {str(key): _json_safe(item, depth=depth + 1) for key, item in items}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_json_safe(item, depth=depth + 1) for item in tuple(cast("Sequence[Any]", value))]
    return value.isoformat() if isinstance(value, (datetime, date, time)) else str(value)
