"""An async flow engine, API-compatible with CrewAI Flows."""

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
from flows.flow import Flow
from flows.frames import StreamFrame
from flows.graph.decorators import listen, router, start
from flows.graph.structure import FlowStructure
from flows.graph.triggers import and_, or_
from flows.human_feedback import human_feedback
from flows.human_feedback.console import ConsoleProvider
from flows.llm.base import BaseLLM
from flows.llm.litellm_adapter import LLM
from flows.persistence import (
    MemoryFlowPersistence,
    SQLiteFlowPersistence,
    default_flow_persistence,
    persist,
    register_type,
    set_flow_persistence_factory,
)
from flows.plot import build_flow_structure, visualize_flow_structure
from flows.ports import Clock, FlowPersistence, HumanFeedbackProvider, InputProvider, LanguageModel
from flows.types import (
    Checkpoint,
    FlowState,
    HumanFeedbackPending,
    HumanFeedbackResult,
    InputResponse,
    OpenedRequest,
    PendingFeedbackContext,
    PendingRequest,
    RunRecord,
    StoredRun,
)

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
