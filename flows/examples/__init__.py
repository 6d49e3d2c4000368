"""Flows that run: for learning, for the sandbox and for tests."""

from flows.examples.content_review import ContentReviewFlow

__all__ = ["ContentReviewFlow"]
