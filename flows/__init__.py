"""An async flow engine, API-compatible with CrewAI Flows.

What every flow class needs is loaded at once, everything else with its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flows.flow import Flow
from flows.graph.decorators import listen, router, start
from flows.graph.triggers import and_, or_
from flows.human_feedback import human_feedback

if TYPE_CHECKING:
    from flows.config import flow_config
    from flows.engine.stream import AsyncStreamSession, StreamNotCompletedError, StreamSession
    from flows.errors import (
        AlreadyResumedError,
        AmbiguousRequestError,
        CannotContinueError,
        CodecError,
        FlowError,
        GraphError,
        HumanFeedbackCollapseError,
        MissingProviderError,
        ModelError,
        NoPendingFeedbackError,
        OutsideStepError,
        PendingRequestsError,
        PersistenceError,
        ProviderError,
        RunBusyError,
        RunInProgressError,
        RunMovedError,
        RunningLoopError,
        StateError,
    )
    from flows.flow_state import FlowState
    from flows.frames import StreamFrame
    from flows.gates import FlowGate, gates_of
    from flows.graph.structure import FlowStructure
    from flows.human_feedback.console import ConsoleProvider
    from flows.llm.base import BaseLLM
    from flows.llm.litellm_adapter import LLM
    from flows.persistence.decorator import persist
    from flows.persistence.default import default_flow_persistence, set_flow_persistence_factory
    from flows.persistence.memory import MemoryFlowPersistence
    from flows.persistence.sqlite import SQLiteFlowPersistence
    from flows.persistence.types_registry import register_type
    from flows.plot import build_flow_structure, visualize_flow_structure
    from flows.ports import Clock, FlowPersistence, HumanFeedbackProvider, InputProvider, LanguageModel
    from flows.types import (
        Checkpoint,
        HumanFeedbackPending,
        HumanFeedbackResult,
        InputResponse,
        OpenedRequest,
        PendingFeedbackContext,
        PendingRequest,
        RunRecord,
        StoredRun,
    )

_ON_FIRST_USE = {
    "AlreadyResumedError": "flows.errors",
    "AmbiguousRequestError": "flows.errors",
    "AsyncStreamSession": "flows.engine.stream",
    "BaseLLM": "flows.llm.base",
    "CannotContinueError": "flows.errors",
    "Checkpoint": "flows.types",
    "Clock": "flows.ports",
    "CodecError": "flows.errors",
    "ConsoleProvider": "flows.human_feedback.console",
    "FlowError": "flows.errors",
    "FlowGate": "flows.gates",
    "FlowPersistence": "flows.ports",
    "FlowState": "flows.flow_state",
    "FlowStructure": "flows.graph.structure",
    "GraphError": "flows.errors",
    "HumanFeedbackCollapseError": "flows.errors",
    "HumanFeedbackPending": "flows.types",
    "HumanFeedbackProvider": "flows.ports",
    "HumanFeedbackResult": "flows.types",
    "InputProvider": "flows.ports",
    "InputResponse": "flows.types",
    "LLM": "flows.llm.litellm_adapter",
    "LanguageModel": "flows.ports",
    "MemoryFlowPersistence": "flows.persistence.memory",
    "MissingProviderError": "flows.errors",
    "ModelError": "flows.errors",
    "NoPendingFeedbackError": "flows.errors",
    "OpenedRequest": "flows.types",
    "OutsideStepError": "flows.errors",
    "PendingFeedbackContext": "flows.types",
    "PendingRequest": "flows.types",
    "PendingRequestsError": "flows.errors",
    "PersistenceError": "flows.errors",
    "ProviderError": "flows.errors",
    "RunBusyError": "flows.errors",
    "RunInProgressError": "flows.errors",
    "RunMovedError": "flows.errors",
    "RunRecord": "flows.types",
    "RunningLoopError": "flows.errors",
    "SQLiteFlowPersistence": "flows.persistence.sqlite",
    "StateError": "flows.errors",
    "StoredRun": "flows.types",
    "StreamFrame": "flows.frames",
    "StreamNotCompletedError": "flows.engine.stream",
    "StreamSession": "flows.engine.stream",
    "build_flow_structure": "flows.plot",
    "default_flow_persistence": "flows.persistence.default",
    "flow_config": "flows.config",
    "gates_of": "flows.gates",
    "persist": "flows.persistence.decorator",
    "register_type": "flows.persistence.types_registry",
    "set_flow_persistence_factory": "flows.persistence.default",
    "visualize_flow_structure": "flows.plot",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = found
    return found


__all__ = [
    "LLM",
    "AlreadyResumedError",
    "AmbiguousRequestError",
    "AsyncStreamSession",
    "BaseLLM",
    "CannotContinueError",
    "Checkpoint",
    "Clock",
    "CodecError",
    "ConsoleProvider",
    "Flow",
    "FlowError",
    "FlowGate",
    "FlowPersistence",
    "FlowState",
    "FlowStructure",
    "GraphError",
    "HumanFeedbackCollapseError",
    "HumanFeedbackPending",
    "HumanFeedbackProvider",
    "HumanFeedbackResult",
    "InputProvider",
    "InputResponse",
    "LanguageModel",
    "MemoryFlowPersistence",
    "MissingProviderError",
    "ModelError",
    "NoPendingFeedbackError",
    "OpenedRequest",
    "OutsideStepError",
    "PendingFeedbackContext",
    "PendingRequest",
    "PendingRequestsError",
    "PersistenceError",
    "ProviderError",
    "RunBusyError",
    "RunInProgressError",
    "RunMovedError",
    "RunRecord",
    "RunningLoopError",
    "SQLiteFlowPersistence",
    "StateError",
    "StoredRun",
    "StreamFrame",
    "StreamNotCompletedError",
    "StreamSession",
    "and_",
    "build_flow_structure",
    "default_flow_persistence",
    "flow_config",
    "gates_of",
    "human_feedback",
    "listen",
    "or_",
    "persist",
    "register_type",
    "router",
    "set_flow_persistence_factory",
    "start",
    "visualize_flow_structure",
]
