"""Reviews in lists, one of them whole, and its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from bot.render import blocks
from bot.render.mrkdwn import NOTHING, Mrkdwn, bold, clamp, escape, fill, join, link, moment, one_line, quoted, say
from bot.render.outcomes import code_words, outcome_words, reason_words
from bot.render.people import deadline, people
from bot.render.policy import phrase
from bot.render.runs import flow_title
from bot.render.told import name
from bot.reviews.explain import autonomy_of
from bot.reviews.gate_policy import Who
from bot.reviews.model import AuditEntry, Review
from bot.types import Language, Message

LISTED = 20
"""How many reviews a list shows."""
_LINES = 40


def pending(reviews: Sequence[tuple[Review, bool, str | None]], more: int, language: Language) -> Message:
    """What waits: each review, whether it waits for the reader, and the address of its card; then how many more do."""
    if not reviews:
        return _note(say("pending.none", language))
    lines = [say("pending.title", language)]
    for review, is_mine, url in reviews:
        lines.append(join([fill("👉") if is_mine else NOTHING, _pending(review, url, language)], " "))
    if more > 0:
        lines.append(say("card.more_items", language, count=more))
    return _sections(lines)


def whole(review: Review, url: str | None, language: Language) -> Message:
    """One review: where it stands, who is asked, until when, under which policy."""
    lines = [
        join([bold(name(review)), flow_title(review.gate.flow_name), say(f"state.{review.state}", language)]),
        escape(" ".join(review.gate.question.split())[:300]),
        say("show.asked_by", language, person=one_line(review.requester_name), time=_when(review.opened_at)),
        _policy(review, language),
    ]
    if review.is_pending:
        asked = people(review.asked) if review.asked is not None else say("show.channel", language)
        lines.append(say("show.waits_for", language, people=asked or say("card.nobody", language)))
        if review.expires_at is not None:
            lines.append(say("show.until", language, time=deadline(review.expires_at)))
        elif review.posted_at is None:
            lines.append(say("show.unposted", language, count=review.post_tries))
        if review.passed_over:
            lines.append(say("show.passed_over", language, people=people(review.passed_over)))
    if review.blocked:
        lines.append(say("card.gate_blocked", language))
    if url is not None:
        lines.append(link(url, say("link.open", language)))
    return _note(join(lines, "\n"))


def history(review: Review, entries: Sequence[AuditEntry], language: Language) -> Message:
    """Everything that happened to a review, oldest first."""
    head = say("history.title", language, id=name(review), flow=flow_title(review.gate.flow_name))
    shown = entries[-_LINES:]
    lines = [history_line(entry, review, language) for entry in shown]
    if len(shown) < len(entries):
        lines.insert(0, say("history.earlier", language, count=len(entries) - len(shown)))
    return _sections([head, _policy(review, language), *lines])


def history_line(entry: AuditEntry, review: Review, language: Language) -> Mrkdwn:
    """One line of the record: when, what, who, why."""
    who = one_line(entry.actor_name) if entry.actor != "system" else say("history.system", language)
    parts = [_when(entry.at), say(f"history.{entry.kind}", language), who]
    if entry.outcome is not None:
        parts.append(outcome_words(review.gate, entry.outcome, language))
    if entry.from_state is not None and entry.to_state not in (None, entry.from_state):
        before, after = say(f"state.{entry.from_state}", language), say(f"state.{entry.to_state}", language)
        parts.append(fill("{} → {}", before, after))
    known = {who.id: who for who in _known(review)}
    asked = _named(entry.detail.get("asked"), known, language)
    if asked:
        parts.append(say("history.asked", language, people=asked))
    gone = cast("list[Mapping[str, Any]]", entry.detail.get("passed_over") or [])
    # Each reason once: whoever it holds for is named with it.
    reasons = list(dict.fromkeys(str(each.get("why") or "") for each in gone))
    for reason in reasons:
        passed = _named([each.get("who") for each in gone if str(each.get("why") or "") == reason], known, language)
        why = _why(reason, entry, language)
        parts.append(say("history.passed_over", language, people=join([passed, why])))
    if entry.reason_code not in reasons:
        parts.append(_reason(entry, language))
    parts.append(quoted(entry.text, 200))
    return join(parts)


def _policy(review: Review, language: Language) -> Mrkdwn:
    return say(
        "show.policy",
        language,
        gate=one_line(review.policy.gate),
        tier=say(f"tier.{review.policy.tier}", language),
        autonomy=phrase(autonomy_of(review), language),
    )


def _why(code: str, entry: AuditEntry, language: Language) -> Mrkdwn:
    """Why somebody is not asked any more."""
    match code:
        case "":
            return NOTHING
        case "manual":
            return say("why.manual", language, person=one_line(entry.actor_name))
        case _:
            return code_words(f"why.{code}", language)


def _reason(entry: AuditEntry, language: Language) -> Mrkdwn:
    code = entry.reason_code
    match entry.kind, code:
        case _, "" | "unspecified" | "stated" | "manual":
            return NOTHING
        case "denied", _:
            return code_words(f"denied.{code}", language)
        case _, "payload_changed":
            # The line's own kind says it.
            return NOTHING
        case _, "timeout" | "loop_limit" | "never_posted":
            return code_words(f"why.{code}", language)
        case _:
            return reason_words(code, language)


def _named(ids: Any, known: Mapping[str, Who], language: Language) -> Mrkdwn:
    if not isinstance(ids, list) or not ids:
        return NOTHING
    names: list[Mrkdwn] = []
    for each in cast("list[Any]", ids):
        if each == "channel":
            names.append(say("show.channel", language))
        elif str(each) in known:
            names.append(people([known[str(each)]]))
        else:
            names.append(one_line(str(each)))
    return join(names, ", ")


def _known(review: Review) -> list[Who]:
    policy = review.policy
    rungs = [who for rung in policy.ladder for who in rung.who]
    return [*(policy.pool or ()), *rungs, *(review.asked or ()), *review.passed_over]


def _pending(review: Review, url: str | None, language: Language) -> Mrkdwn:
    asked = people(review.asked) if review.asked is not None else say("show.channel", language)
    until = NOTHING if review.expires_at is None else say("show.until", language, time=deadline(review.expires_at))
    opens = NOTHING if url is None else link(url, say("link.open", language))
    return join([bold(name(review)), flow_title(review.gate.flow_name), asked, until, opens])


def _when(at: Any) -> Mrkdwn:
    return moment(at, "{date_short_pretty} {time}")


def _note(text: Mrkdwn) -> Message:
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=(blocks.section(clamp(text, blocks.SECTION_TEXT)),))


def _sections(lines: Sequence[Mrkdwn]) -> Message:
    """Many lines in as few blocks as they fit in, none of them cut in half."""
    packed: list[Mrkdwn] = []
    for line in lines:
        if packed and len(packed[-1]) + len(line) < blocks.SECTION_TEXT - 10:
            packed[-1] = join([packed[-1], line], "\n")
        else:
            packed.append(clamp(line, blocks.SECTION_TEXT))
    return Message(
        text=clamp(lines[0], blocks.FALLBACK_TEXT), blocks=tuple(blocks.section(each, expand=True) for each in packed)
    )
