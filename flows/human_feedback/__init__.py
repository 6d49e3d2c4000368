"""The @human_feedback step: its decorator, its result and its providers."""

from flows.errors import HumanFeedbackCollapseError
from flows.graph.spec import FeedbackSpec as HumanFeedbackConfig
from flows.human_feedback.console import ConsoleProvider
from flows.human_feedback.decorator import human_feedback
from flows.ports import HumanFeedbackProvider
from flows.types import HumanFeedbackPending, HumanFeedbackResult, PendingFeedbackContext

__all__ = [
    "ConsoleProvider",
    "HumanFeedbackCollapseError",
    "HumanFeedbackConfig",
    "HumanFeedbackPending",
    "HumanFeedbackProvider",
    "HumanFeedbackResult",
    "PendingFeedbackContext",
    "human_feedback",
]
