"""The record of a review, as lines for the thread."""

from __future__ import annotations

from bot.render import blocks
from bot.render.mrkdwn import fill, join, moment, quoted, say
from bot.render.outcomes import done
from bot.render.told import blocked
from bot.reviews.model import Review, ReviewState
from bot.types import Message


def decision_line(review: Review) -> Message:
    """Who decided what, when, and from which state; one such line stands in the thread for each decision."""
    assert review.decided_at is not None, "only a decision has a line"
    line = say(
        "audit.line",
        review.language,
        id=fill("R-{}", review.n),
        what=done(review, review.language),
        time=moment(review.decided_at, "{date_short_pretty} {time}"),
        state=say(f"state.{ReviewState.PENDING}", review.language),
    )
    text = join([join([line, quoted(review.note, 200)]), blocked(review, review.language)], "\n")
    return Message(text=text, blocks=(blocks.context(text),))
