"""The forms of a review: an answer, the reason of a rejection, the full text."""

from __future__ import annotations

from bot.render import blocks
from bot.render.blocks import Block
from bot.render.mrkdwn import from_markdown, say, split
from bot.render.outcomes import outcome_words, reason_words
from bot.render.review_parts import question, value_of
from bot.reviews.model import Review
from bot.types import Language

REPLY_MODAL = "review_reply"
REASON_MODAL = "review_reason"
REASON_BLOCK = "reason"
REASON_INPUT = "code"
ANSWER_BLOCK = "answer"
ANSWER_INPUT = "text"


def reply_modal(review: Review, language: Language) -> Block:
    """The form in which a gate without outcomes is answered."""
    return blocks.modal(
        title=say("modal.reply", language),
        close=say("button.cancel", language),
        submit=say("button.send", language),
        callback_id=REPLY_MODAL,
        private_metadata=value_of(review),
        blocks=[
            blocks.section(question(review)[0]),
            blocks.text_input(
                say("modal.reply", language),
                block_id=ANSWER_BLOCK,
                action_id=ANSWER_INPUT,
                hint=say("modal.reply_hint", language),
            ),
        ],
    )


def reading_modal(review: Review, language: Language) -> Block:
    """Everything that the card had to cut."""
    pieces = split(review.content.full_text, 2_400)
    shown = [blocks.section(from_markdown(piece), expand=True) for piece in pieces[: blocks.VIEW_BLOCKS - 2]]
    if len(pieces) > len(shown):
        shown.append(blocks.context(say("modal.cut", language)))
    return blocks.modal(
        title=say("modal.read_all", language),
        close=say("button.close", language),
        blocks=[blocks.section(question(review)[0]), *shown],
    )


def reason_modal(review: Review, outcome: str, language: Language, version: int) -> Block:
    """The form that asks why something is rejected."""
    options = [(reason_words(code, language), code) for code in review.policy.reason_codes]
    return blocks.modal(
        title=say("modal.reason", language),
        close=say("button.cancel", language),
        submit=outcome_words(review.gate, outcome, language),
        callback_id=REASON_MODAL,
        private_metadata=f"{review.id}:{version}:{review.gate.emit.index(outcome)}",
        blocks=[
            blocks.section(question(review)[0]),
            blocks.choice_input(
                say("modal.reason_code", language), options, block_id=REASON_BLOCK, action_id=REASON_INPUT
            ),
            blocks.text_input(
                say("modal.reason_text", language),
                block_id=ANSWER_BLOCK,
                action_id=ANSWER_INPUT,
                hint=say("modal.reason_hint", language),
                optional=True,
            ),
        ],
    )
