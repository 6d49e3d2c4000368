"""What a stream shows of a run: events as ordered frames on channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import uuid4

from flows.events import FlowEvent
from flows.types import json_safe

CHANNELS = ("llm", "messages", "flow", "tools", "lifecycle", "custom")

_PREFIXES = (
    ("conversation_message", "messages"),
    ("conversation_", "flow"),
    ("flow_", "flow"),
    ("method_", "flow"),
    ("human_feedback_", "flow"),
    ("llm_", "llm"),
    ("tool_", "tools"),
)
_NAMESPACE = ("flow_name", "method_name", "session_id", "call_id", "tool_name", "agent_name", "task_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFrame:
    """One event of a run, at its place in the stream.

    Source: conversational flows guide, "Streaming a turn".
    """

    id: str
    seq: int
    """Counts from 1 and rises strictly within one stream."""
    type: str
    """The event's public name, such as "method_execution_started"."""
    channel: str
    """One of `CHANNELS`."""
    namespace: list[str]
    """The channel, then flow, method, session, call, tool, agent and task, as far as they apply."""
    timestamp: datetime
    parent_id: str | None
    """The frame that opened what this one belongs to."""
    previous_id: str | None
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    """The event's payload in JSON's types."""

    @property
    def content(self) -> str:
        """The text of a chunk; "" for other frames."""
        chunk = self.data.get("chunk")
        return chunk if isinstance(chunk, str) else ""

    @property
    def event(self) -> dict[str, Any]:
        """The same as `data`."""
        return self.data


def channel_of(event_type: str) -> str:
    """The channel of an event type: what no prefix claims is lifecycle for errors and failures, else custom."""
    for prefix, channel in _PREFIXES:
        if event_type.startswith(prefix):
            return channel
    return "lifecycle" if "error" in event_type or "failed" in event_type else "custom"


class FrameMaker:
    """Numbers the events of one stream and says what belongs to what."""

    def __init__(self) -> None:
        self._seq = 0
        self._previous: str | None = None
        self._flow: str | None = None
        self._methods: dict[str, str] = {}

    def make(self, event: FlowEvent) -> StreamFrame:
        """The event as the stream's next frame."""
        self._seq += 1
        payload = {
            item.name: json_safe(getattr(event, item.name)) for item in fields(event) if item.name != "timestamp"
        }
        frame = StreamFrame(
            id=uuid4().hex,
            seq=self._seq,
            type=event.type,
            channel=channel_of(event.type),
            namespace=_namespace(event.type, payload),
            timestamp=event.timestamp,
            parent_id=self._parent(event.type, payload),
            previous_id=self._previous,
            data=payload,
        )
        self._previous = frame.id
        if event.type == "flow_started":
            self._flow = frame.id
        elif event.type == "method_execution_started":
            self._methods[str(payload["method_name"])] = frame.id
        return frame

    def _parent(self, event_type: str, payload: Mapping[str, Any]) -> str | None:
        if event_type in ("flow_started", "flow_created"):
            return None
        method = payload.get("method_name")
        if event_type == "method_execution_started" or not isinstance(method, str):
            return self._flow
        return self._methods.get(method, self._flow)


def _namespace(event_type: str, payload: Mapping[str, Any]) -> list[str]:
    parts = (payload.get(name) for name in _NAMESPACE)
    return [channel_of(event_type), *(str(part) for part in parts if part)]
