"""Flows that run: for learning, for the sandbox and for tests."""

from flows.examples.content_review import ContentReviewFlow
from flows.examples.refund_approval import RefundApprovalFlow

__all__ = ["ContentReviewFlow", "RefundApprovalFlow"]
