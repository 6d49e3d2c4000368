"""Why somebody may not decide, in words."""

from __future__ import annotations

from bot.render.mrkdwn import Mrkdwn, say
from bot.render.people import people
from bot.reviews.model import Refusal, Review
from bot.types import Language


def refusal_words(review: Review, refusal: Refusal, language: Language) -> Mrkdwn:
    """What the person is told. Nothing was decided, and it says so."""
    match refusal.reason:
        case "unknown_person":
            return say("note.not_sure_who", language)
        case "wrong_card":
            return say("note.unknown_review", language)
        case "own_request" | "blocked" | "loop_limit":
            return say(f"note.{refusal.reason}", language)
        case "passed_over" if review.asked:
            return say("note.passed_over", language, people=people(review.asked))
        case _ if review.asked:
            return say("note.not_asked", language, people=people(review.asked))
        case _:
            return say("note.not_yours", language)


def comment_kept(review: Review, language: Language) -> Mrkdwn:
    """To somebody who writes where others decide."""
    if review.asked:
        return say("comment.kept_for", language, people=people(review.asked))
    return say("comment.kept", language)
