"""What a run tells of models and tools: typed events with the public names that clients match on.

The engine tells of its own calls, which read a person's words as a label. Steps that call models and tools themselves
tell of them with `flow.emit(...)`; a stream then shows them on the channels "llm" and "tools".
Source: conversational flows guide, "Streaming a turn".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from flows.events import MethodEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMEvent(MethodEvent):
    """Something that happened to one call of a model."""

    type: ClassVar[str] = "llm_event"
    call_id: str
    """The same in every event of one call."""
    model: str | None = None
    """The model's id, where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMCallStarted(LLMEvent):
    """A model is about to be asked."""

    type: ClassVar[str] = "llm_call_started"
    messages: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMCallCompleted(LLMEvent):
    """A model has answered."""

    type: ClassVar[str] = "llm_call_completed"
    response: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMCallFailed(LLMEvent):
    """A model could not be asked, or did not answer."""

    type: ClassVar[str] = "llm_call_failed"
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMStreamChunk(LLMEvent):
    """A model that streams has said a little more."""

    type: ClassVar[str] = "llm_stream_chunk"
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMThinkingChunk(LLMEvent):
    """A model that streams has thought a little more."""

    type: ClassVar[str] = "llm_thinking_chunk"
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEvent(MethodEvent):
    """Something that happened to one use of a tool."""

    type: ClassVar[str] = "tool_event"
    tool_name: str
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsageStarted(ToolEvent):
    """A tool is about to be used."""

    type: ClassVar[str] = "tool_usage_started"
    arguments: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsageFinished(ToolEvent):
    """A tool has given its result."""

    type: ClassVar[str] = "tool_usage_finished"
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsageError(ToolEvent):
    """A tool has failed."""

    type: ClassVar[str] = "tool_usage_error"
    error: str
