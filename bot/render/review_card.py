"""A review as a card: pending with its buttons, decided without them, and the notes around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.render import blocks
from bot.render.blocks import Block
from bot.render.mrkdwn import (
    NOTHING,
    Mrkdwn,
    bold,
    channel_link,
    clamp,
    escape,
    excerpt,
    fill,
    from_markdown,
    join,
    link,
    mention,
    moment,
    one_line,
    quote,
    quoted,
    say,
    truncate,
)
from bot.render.outcomes import done, meaning, outcome_words, reason_words
from bot.render.people import deadline, people
from bot.render.review_parts import question, value_of
from bot.reviews.content import Content, readable
from bot.reviews.deadlines import may_pass
from bot.reviews.gate_policy import Tier
from bot.reviews.model import Disposition, Review, ReviewState
from bot.reviews.policy import first_approving, first_rejecting
from bot.types import ChannelId, Language, Message, UserId

DECIDE = "decide"
SKIP = "skip"
REPLY = "reply"
READ_ALL = "read_all"
ASK_AGAIN = "ask_again"

_LINES, _CHARACTERS = 8, 600
_KEPT = 2_400
_SHOWN_FIELDS, _SHOWN_ITEMS = 8, 3
_LABEL, _VALUE = 40, 120
_MOST_BUTTONS = 4
_SIGNS: dict[Disposition, Mrkdwn] = {
    "approve": fill("✅"),
    "reject": fill("❌"),
    "send_back": fill("↩️"),
    "answer": fill("💬"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a card says beyond its review, as far as it is known."""

    asks: UserId | None = None
    """Who is mentioned: whoever must act and sees this card."""
    home_link: str | None = None
    """The address of the run's thread, where the card stands elsewhere."""
    next_link: str | None = None
    """The address of the next version's card."""
    next_round: int | None = None
    running: bool = False
    reference: str = ""
    may_ask_again: bool = False
    """Whether what nobody answered can be asked once more from here."""
    gate_blocked: bool = False
    """Whether approving is blocked at this gate."""
    until: datetime | None = None
    """When those who are asked have let it pass."""


def pending(review: Review, around: Around) -> Message:
    """The card that waits for a decision."""
    return Message(
        text=_push(review),
        blocks=(
            *_head(review),
            *_content(review),
            *_warnings(review, around),
            blocks.context(join([_waiting(review, around), _until(review, around), _home(review, around)])),
            blocks.actions(_decisions(review), block_id=f"review:{review.round}"),
        ),
    )


def replaced(review: Review) -> Message:
    """A card whose content is no more what is asked."""
    text = say("card.replaced", review.language)
    return Message(text=text, blocks=(blocks.section(question(review)[0]), blocks.context(text)))


def notice(review: Review, url: str | None, language: Language, until: datetime | None) -> Message:
    """To somebody who is asked and does not see the card: what waits and where, without its content."""
    name, flow = fill("R-{}", review.n), one_line(readable(review.gate.flow_name))
    if not review.is_pending:
        text = say("told.asked_dm_over", language, id=name, flow=flow, what=done(review, language))
        return Message(text=text, blocks=(blocks.context(text),))
    text = say(
        "told.asked_dm",
        language,
        id=name,
        flow=flow,
        channel=channel_link(review.target_channel),
        time=fill("…") if until is None else moment(until),
        link=fill("…") if url is None else link(url, say("link.open", language)),
    )
    return Message(text=text, blocks=(blocks.section(text),))


def moved_on(review: Review, url: str | None) -> Message:
    """To somebody who was asked and is not any more: who is, and where; nothing of what is reviewed."""
    words = say(
        "told.moved_on",
        review.language,
        id=fill("R-{}", review.n),
        flow=one_line(readable(review.gate.flow_name)),
        people=people(review.asked or ()) or say("card.nobody", review.language),
    )
    text = join([words, NOTHING if url is None else link(url, say("link.open", review.language))])
    return Message(text=text, blocks=(blocks.context(text),))


def ended(review: Review, around: Around) -> Message:
    """The card after a decision: what was decided on stays, the buttons are gone."""
    status = join([join([_decided(review), *_after(review, around)]), _result(review)], "\n")
    lines: list[Block] = [
        blocks.section(question(review)[0]),
        blocks.section(status),
        # Nothing to press is left, so the whole of it may stand here: what was decided on can be read again.
        *_shown(review.content, review.language, lines=60, limit=_KEPT)[0],
        blocks.context(join([_byline(review), _home(review, around)])),
    ]
    if around.may_ask_again:
        again = blocks.button(say("button.ask_again", review.language), action_id=ASK_AGAIN, value=value_of(review))
        lines.append(blocks.actions([again], block_id=f"review:{review.round}"))
    text = join([one_line(readable(review.gate.flow_name)), status])
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=tuple(lines))


def ask_again(review: Review, reply: str) -> Message:
    """The buttons once more, under a reply that nobody could read. It decides nothing."""
    text = say("ask.unclear", review.language)
    return Message(
        text=text,
        blocks=(
            blocks.section(join([_reply(reply), text], "\n")),
            blocks.actions(_decisions(review, with_skip=False), block_id=f"review_ask:{review.round}"),
        ),
    )


def ask_over(review: Review, reply: str, *, moved: bool = False) -> Message:
    """A repeated question whose buttons are gone: decided meanwhile, or asked again further down."""
    text = say("ask.moved", review.language) if moved else _decided(review)
    return Message(text=text, blocks=(blocks.context(join([_reply(reply), text], "\n")),))


def which(count: int, language: Language) -> Message:
    """Several reviews are open and the words name none."""
    text = say("ask.which", language, count=count)
    return Message(text=text, blocks=(blocks.section(text),))


def moved_note(review: Review, url: str) -> Message:
    """In the run's thread: the card stands in another channel."""
    words = say(
        "card.in_channel",
        review.language,
        channel=channel_link(review.target_channel),
        link=link(url, say("link.open", review.language)),
    )
    return Message(text=words, blocks=(blocks.context(words),))


def direct_note(channel: ChannelId, url: str, language: Language) -> Message:
    """To somebody who must act and cannot see the card's channel."""
    words = say("dm.review", language, channel=channel_link(channel), link=link(url, say("link.open", language)))
    return Message(text=words, blocks=(blocks.section(words),))


def _head(review: Review) -> list[Block]:
    return [blocks.section(join(question(review), "\n")), blocks.context(_byline(review))]


def _byline(review: Review) -> Mrkdwn:
    policy, language = review.policy, review.language
    line = say(
        "card.byline",
        language,
        flow=one_line(readable(review.gate.flow_name)),
        person=one_line(review.requester_name),
        round=review.round,
        id=fill("R-{}", review.n),
    )
    if policy.tier is Tier.LOW:
        return line
    score = NOTHING if policy.risk_score is None else fill("{}/100", policy.risk_score)
    return join([line, fill("⚠️ {}", say(f"tier.{policy.tier}", language)), score])


def _waiting(review: Review, around: Around) -> Mrkdwn:
    """Who is asked."""
    language = review.language
    if review.asked is not None:
        if not review.asked:
            return say("card.nobody", language)
        by_button = review.policy.tier.rank >= Tier.HIGH.rank
        return say("card.asked_buttons" if by_button else "card.asked", language, people=people(review.asked))
    if around.asks is not None:
        return say("card.waiting", language, person=mention(around.asks))
    return say("card.waiting_unseen", language)


def _until(review: Review, around: Around) -> Mrkdwn:
    """Until when, and what becomes of it then."""
    if around.until is None:
        return NOTHING
    return say("card.until", review.language, time=deadline(around.until), end=_end(review))


def _end(review: Review) -> Mrkdwn:
    language, ladder = review.language, review.policy.ladder
    if review.level < len(ladder):
        return say("end.moves", language, people=people(ladder[review.level].who))
    if review.policy.on_timeout == "auto_approve" and may_pass(review):
        return say("end.approve", language)
    return say("end.cancel" if first_rejecting(review.gate) is None else "end.reject", language)


def _warnings(review: Review, around: Around) -> list[Block]:
    lines: list[Mrkdwn] = []
    if around.gate_blocked:
        lines.append(say("card.gate_blocked", review.language))
    if review.round > review.policy.loop_limit:
        lines.append(say("card.last_round", review.language))
    return [blocks.context(join(lines, "\n"))] if lines else []


def _content(review: Review) -> list[Block]:
    shown, was_cut = _shown(review.content, review.language, lines=_LINES, limit=_CHARACTERS)
    if not was_cut:
        return shown
    label = say("button.read_all", review.language, count=len(review.content.full_text.split()))
    read_all = blocks.button(label, action_id=READ_ALL, value=value_of(review))
    return [*shown, blocks.actions([read_all], block_id=f"{READ_ALL}:{review.round}")]


def _shown(content: Content, language: Language, *, lines: int, limit: int) -> tuple[list[Block], bool]:
    """The content as blocks, at most so many lines and characters of a text, and whether anything was left out."""
    if content.kind == "fields":
        pairs = [
            fill("{}\n{}", bold(one_line(truncate(label, _LABEL))), escape(truncate(value, _VALUE) or "—"))
            for label, value in content.fields[:_SHOWN_FIELDS]
        ]
        was_cut = len(content.fields) > _SHOWN_FIELDS or any(len(value) > _VALUE for _, value in content.fields)
        return [blocks.fields(pairs)], was_cut
    if content.kind == "items":
        rows = [say("card.items", language, count=len(content.items))]
        rows += [fill("• {}", escape(truncate(" ".join(item.split()), 160))) for item in content.items[:_SHOWN_ITEMS]]
        more = len(content.items) - _SHOWN_ITEMS
        if more > 0:
            rows.append(say("card.more_items", language, count=more))
        was_cut = more > 0 or any(len(item) > 160 for item in content.items)
        return [blocks.section(quote(join(rows, "\n")), expand=True)], was_cut
    if content.kind == "empty":
        return [blocks.section(quote(say("card.empty", language)))], False
    text, was_cut = excerpt(content.text, lines=lines, limit=limit)
    shown = clamp(quote(from_markdown(text)), blocks.SECTION_TEXT if limit > _CHARACTERS else blocks.CARD_TOTAL - 900)
    return [blocks.section(shown, expand=limit <= _CHARACTERS)], was_cut


def _decisions(review: Review, *, with_skip: bool = True) -> Sequence[Block]:
    gate, language, value = review.gate, review.language, value_of(review)
    if not gate.emit:
        return [
            blocks.button(say("button.reply", language), action_id=REPLY, value=value, primary=True),
            blocks.button(say("button.skip", language), action_id=SKIP, value=value),
        ]
    choices = [
        (outcome_words(gate, label, language), f"{DECIDE}:{i}:{_slug(label)}") for i, label in enumerate(gate.emit)
    ]
    # Below somebody's words a Skip would leave open whether it drops them.
    if gate.default_outcome is not None and with_skip:
        skip = say("button.skip_to", language, outcome=outcome_words(gate, gate.default_outcome, language))
        choices.append((skip, SKIP))
    if len(choices) > _MOST_BUTTONS:
        options = [(words, f"{value}:{action.split(':')[1] if action != SKIP else SKIP}") for words, action in choices]
        return [blocks.select(say("select.decide", language), options, action_id=DECIDE)]
    primary = first_approving(gate)
    return [
        blocks.button(
            words,
            action_id=action,
            value=value,
            primary=primary is not None and action.startswith(f"{DECIDE}:{gate.emit.index(primary)}:"),
        )
        for words, action in choices
    ]


def _reply(text: str) -> Mrkdwn:
    return quote(escape(truncate(text.strip(), 300)))


def _slug(label: str) -> str:
    """The label as far as it is letters and digits: it makes a payload readable and decides nothing."""
    return re.sub(r"\W+", "_", label)[:60]


def _decided(review: Review) -> Mrkdwn:
    if review.decided_at is None:
        return say("result.cancelled", review.language)
    sign = _SIGNS[meaning(review)]
    if review.decided_by is None or review.source == "command":
        sign = fill("⏰") if review.source == "timeout" else fill("🤖") if review.source == "auto" else fill("⏹️")
    if review.state is ReviewState.MANUAL:
        sign = fill("⚠️")
    who = fill("{} {}", sign, done(review, review.language))
    return join([who, moment(review.decided_at), _reason(review), quoted(review.note, 200)])


def _reason(review: Review) -> Mrkdwn:
    """The reason of a rejection, where one was chosen."""
    codes = review.policy.reason_codes
    return reason_words(review.reason_code, review.language) if review.reason_code in codes else NOTHING


def _after(review: Review, around: Around) -> list[Mrkdwn]:
    language = review.language
    if review.state is ReviewState.MANUAL:
        return [say("result.manual", language, reference=escape(around.reference))]
    if around.next_round is not None:
        words = say("result.next_version", language, round=around.next_round)
        return [link(around.next_link, words) if around.next_link else words]
    return [say("result.running", language)] if around.running else []


def _result(review: Review) -> Mrkdwn:
    """What the flow ended with."""
    return escape(truncate(review.result, 300)) if review.result else NOTHING


def _home(review: Review, around: Around) -> Mrkdwn:
    if around.home_link is None:
        return NOTHING
    return say("card.elsewhere", review.language, link=link(around.home_link, say("link.thread", review.language)))


def _push(review: Review) -> Mrkdwn:
    words = say("card.push", review.language, flow=one_line(truncate(readable(review.gate.flow_name), 60)))
    return join([words, one_line(truncate(review.gate.question, 60))])
