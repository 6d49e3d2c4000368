"""Whether a review that is over may be asked once more, from the start of its flow."""

from __future__ import annotations

from bot.reviews.model import Review
from bot.reviews.policy import disposition


def may_be_asked_again(review: Review) -> bool:
    """Whether nobody answered it and nothing of it was approved either: what silence let pass has run already."""
    if review.is_pending or review.source != "timeout":
        return False
    return review.outcome is None or disposition(review.gate, review.outcome) != "approve"
