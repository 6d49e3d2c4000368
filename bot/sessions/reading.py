"""What words in a thread mean for the reviews that are open there. Nothing here lets words approve by guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.reviews.model import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The words answer this review: with a label of its gate, or as the answer of a gate without outcomes."""

    review: Review
    label: str | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """The words are about this review and decide nothing."""

    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguous:
    """Several reviews are open and the words name none."""

    count: int


def read(text: str, open_reviews: Sequence[Review]) -> Answers | Unclear | Ambiguous:
    """What the words mean. open_reviews holds at least one, oldest first.

    Only a gate's exact label decides (case and outer spaces aside); everything else is asked back with the buttons.
    """
    if len(open_reviews) > 1:
        return Ambiguous(count=len(open_reviews))
    review = open_reviews[0]
    if not review.gate.emit:
        return Answers(review=review, label=None, note=text.strip())
    said = " ".join(text.split()).casefold()
    for label in review.gate.emit:
        if said == " ".join(label.split()).casefold():
            return Answers(review=review, label=label, note="")
    return Unclear(review=review)
