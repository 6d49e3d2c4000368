"""What cards and forms of a review share: its question, and what a button carries."""

from __future__ import annotations

from bot.render.mrkdwn import NOTHING, Mrkdwn, bold, escape, excerpt, one_line, truncate
from bot.reviews.content import readable
from bot.reviews.model import Review

_QUESTION = 90


def question(review: Review) -> tuple[Mrkdwn, Mrkdwn]:
    """The question in bold, and what of it does not fit there."""
    text = " ".join(review.gate.question.split()) or readable(review.gate.method)
    if len(text) <= _QUESTION:
        return bold(one_line(text)), NOTHING
    head, _ = excerpt(text, lines=1, limit=_QUESTION)
    head = head.removesuffix("…").rstrip()
    return bold(one_line(head)), escape(truncate(text[len(head) :].strip(), 600))


def value_of(review: Review) -> str:
    """What a button carries: the review and the version that the person sees."""
    return f"{review.id}:{review.version}"
