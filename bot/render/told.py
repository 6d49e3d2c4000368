"""What is told about a review when nobody has decided it: reminders, moves, ends, alerts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.render import blocks
from bot.render.mrkdwn import NOTHING, Mrkdwn, channel_link, clamp, fill, join, mention, one_line, say
from bot.render.outcomes import done
from bot.render.people import deadline, people
from bot.render.runs import flow_title
from bot.reviews.gate_policy import Who
from bot.reviews.model import AuditEntry, Review
from bot.types import Language, Message, Run

Draw = Callable[[Language], Message]
"""A message for one person, in their language."""

_LISTED = 20


def reminder(review: Review) -> Message:
    """To those who are asked: it still waits."""
    assert review.expires_at is not None, "only a card that stands is reminded of"
    words = say(
        "told.reminder",
        review.language,
        # Where nobody is named, whoever started it is mentioned, as on the card: a reminder must reach somebody.
        people=mention(review.requester) if review.asked is None else _asked(review),
        id=name(review),
        time=deadline(review.expires_at),
    )
    return _section(fill("⏳ {}", words))


def page(review: Review, language: Language) -> Mrkdwn:
    """To whoever carries the pager: what waits, and nothing of its content."""
    tier = say(f"tier.{review.policy.tier}", language)
    return say("page.text", language, id=name(review), flow=flow_title(review.gate.flow_name), tier=tier)


def moved(review: Review, before: Sequence[Who], move: AuditEntry) -> Message:
    """To those who are asked now, and to those who were."""
    language = review.language
    if review.expires_at is None:
        now = say("told.moved_unposted", language, people=_asked(review), id=name(review))
    else:
        until = deadline(review.expires_at)
        now = say("told.moved", language, people=_asked(review), id=name(review), time=until)
    why = move.reason_code if move.reason_code in ("timeout", "loop_limit") else "manual"
    reason = say(f"why.{why}", language, **({"person": one_line(move.actor_name)} if why == "manual" else {}))
    gone = say("told.passed_over", language, people=people(before), why=reason) if before else reason
    text = join([fill("➡️ {}", now), gone], "\n")
    return _section(text)


def ended(review: Review, *, goes_on: bool) -> Message:
    """In the run's thread: nobody answers this any more. goes_on: the run waits for other answers too."""
    language = review.language
    what = join([name(review), done(review, language)])
    line = what if goes_on else join([what, say("told.run_ends", language)])
    return _section(join([line, blocked(review, language)], "\n"))


def run_over(run: Run, language: Language) -> Message:
    """In the run's thread: what it still waited for was called off."""
    return _section(join([flow_title(run.flow_name), say("told.run_ends", language)]))


def blocked(review: Review, language: Language) -> Mrkdwn:
    """That approving is blocked at its gate, and how that is lifted; nothing when it is not."""
    if not review.blocked:
        return NOTHING
    gate, command = one_line(review.policy.gate), fill("`/flows lift R-{}`", review.n)
    return say("told.blocked", language, gate=gate, command=command)


def alert(review: Review, language: Language) -> Message:
    """To an operator: nobody answered what matters."""
    words = say(
        "operators.alert",
        language,
        id=name(review),
        flow=flow_title(review.gate.flow_name),
        tier=say(f"tier.{review.policy.tier}", language),
        what=done(review, language),
    )
    return _section(join([words, blocked(review, language)], "\n"))


def alerts(reviews: Sequence[Review], language: Language) -> Message:
    """To an operator: all that nobody answered at one moment in one channel."""
    lines = [say("operators.alerts", language, count=len(reviews))]
    for review in reviews[:_LISTED]:
        lock = fill(" 🔒") if review.blocked else NOTHING
        lines.append(
            fill("{}{}", join([name(review), flow_title(review.gate.flow_name), done(review, language)]), lock)
        )
    if len(reviews) > _LISTED:
        lines.append(say("card.more_items", language, count=len(reviews) - _LISTED))
    return _section(join(lines, "\n"))


def lost(run: Run, language: Language) -> Message:
    """To an operator: a run's thread takes no lines any more."""
    values = {"id": fill("F-{}", run.n), "flow": flow_title(run.flow_name)}
    return _section(say("operators.lost", language, channel=channel_link(run.thread.channel), **values))


def not_paged(review: Review, language: Language) -> Message:
    """To an operator: the pager did not take the call."""
    return _section(say("operators.not_paged", language, id=name(review), flow=flow_title(review.gate.flow_name)))


def unposted(review: Review, channel: Mrkdwn, tries: int, until: datetime | None, language: Language) -> Message:
    """To an operator: nobody can see this card."""
    return _section(
        say(
            "operators.unposted",
            language,
            id=name(review),
            flow=flow_title(review.gate.flow_name),
            channel=channel,
            count=tries,
            command=fill("`/flows cancel R-{}`", review.n),
            time=NOTHING if until is None else deadline(until),
        )
    )


def digest(reviews: Sequence[Review], language: Language) -> Message:
    """One message for everything that moved in a channel at once."""
    lines = [say("told.digest", language, count=len(reviews))]
    for review in reviews[:_LISTED]:
        assert review.expires_at is not None, "only cards that stand are listed"
        lines.append(
            say(
                "told.digest_line",
                language,
                id=name(review),
                flow=flow_title(review.gate.flow_name),
                people=_asked(review),
                time=deadline(review.expires_at),
            )
        )
    if len(reviews) > _LISTED:
        lines.append(say("card.more_items", language, count=len(reviews) - _LISTED))
    return _section(join(lines, "\n"))


def name(review: Review) -> Mrkdwn:
    """What people call it."""
    return fill("R-{}", review.n)


def _asked(review: Review) -> Mrkdwn:
    if review.asked is None:
        return say("show.channel", review.language)
    return people(review.asked) or say("card.nobody", review.language)


def _section(text: Mrkdwn) -> Message:
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=(blocks.section(text),))
