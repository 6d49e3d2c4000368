"""The @human_feedback step: its decorator, its result and its providers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flows.human_feedback.decorator import human_feedback

if TYPE_CHECKING:
    from flows.errors import HumanFeedbackCollapseError
    from flows.graph.spec import FeedbackSpec as HumanFeedbackConfig
    from flows.human_feedback.console import ConsoleProvider
    from flows.human_feedback.lessons import DistilledLessons, PreReviewResult
    from flows.ports import HumanFeedbackProvider
    from flows.types import HumanFeedbackPending, HumanFeedbackResult, PendingFeedbackContext

_ON_FIRST_USE = {
    "ConsoleProvider": ("flows.human_feedback.console", "ConsoleProvider"),
    "DistilledLessons": ("flows.human_feedback.lessons", "DistilledLessons"),
    "HumanFeedbackCollapseError": ("flows.errors", "HumanFeedbackCollapseError"),
    "HumanFeedbackConfig": ("flows.graph.spec", "FeedbackSpec"),
    "HumanFeedbackPending": ("flows.types", "HumanFeedbackPending"),
    "HumanFeedbackProvider": ("flows.ports", "HumanFeedbackProvider"),
    "HumanFeedbackResult": ("flows.types", "HumanFeedbackResult"),
    "PendingFeedbackContext": ("flows.types", "PendingFeedbackContext"),
    "PreReviewResult": ("flows.human_feedback.lessons", "PreReviewResult"),
}

__all__ = [
    "ConsoleProvider",
    "DistilledLessons",
    "HumanFeedbackCollapseError",
    "HumanFeedbackConfig",
    "HumanFeedbackPending",
    "HumanFeedbackProvider",
    "HumanFeedbackResult",
    "PendingFeedbackContext",
    "PreReviewResult",
    "human_feedback",
]


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _ON_FIRST_USE[name]
    return getattr(import_module(module), inner)
