import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.render import outcomes, review_card
from bot.render.review_card import Around
from bot.reviews.content import Content, content_of
from bot.reviews.model import ReviewState
from bot.sandbox.blocks import block_problems
from bot.testing import button_labels, text_of
from bot.types import LANGUAGES, Message, UserId

TEXT = st.text() | st.lists(st.sampled_from(["<!channel>", "<@U1>", "<", ">", "|", "&", "`", "*", "a", "\n"])).map(
    "".join
)
AT = datetime(2026, 11, 30, 14, 7, tzinfo=UTC)


def as_payload(message: Message) -> dict:
    return {"text": message.text, "blocks": list(message.blocks)}


def decided(make_review, **changes):
    values = {
        "state": ReviewState.APPROVED,
        "outcome": "approved",
        "decided_by": UserId("UBRUNO"),
        "decided_by_name": "Bruno",
        "decided_at": AT,
        **changes,
    }
    return make_review(**values)


def test_a_pending_card_has_one_button_per_outcome_and_a_skip_that_names_its_outcome(make_review) -> None:
    card = review_card.pending(make_review(default_outcome="needs_revision"), Around(asks=UserId("UANA")))

    assert button_labels(as_payload(card)) == ["Approve", "Reject", "Ask for changes", "Skip: Ask for changes"]


def test_without_a_default_there_is_nothing_to_skip_to(make_review) -> None:
    card = review_card.pending(make_review(), Around())

    assert button_labels(as_payload(card)) == ["Approve", "Reject", "Ask for changes"]


def test_a_gate_without_outcomes_is_answered_or_skipped(make_review) -> None:
    card = review_card.pending(make_review(emit=()), Around())

    assert button_labels(as_payload(card)) == ["Reply", "Skip"]


def test_more_than_four_choices_become_a_menu(make_review) -> None:
    card = review_card.pending(make_review(emit=("a", "b", "c", "d"), default_outcome="a"), Around())

    [element] = card.blocks[-1]["elements"]
    assert element["type"] == "static_select"
    assert [option["value"] for option in element["options"]] == [
        "rv1:1:0",
        "rv1:1:1",
        "rv1:1:2",
        "rv1:1:3",
        "rv1:1:skip",
    ]


def test_exactly_one_button_is_primary_and_it_approves(make_review) -> None:
    card = review_card.pending(make_review(emit=("rejected", "approved")), Around())

    assert [e.get("style") for e in card.blocks[-1]["elements"]] == [None, "primary"]


def test_the_authors_words_for_an_outcome_win_in_their_language(make_review) -> None:
    labels = {"approved": {"en": "Publish", "pt": "Publicar", "ko": "게시"}}
    card = review_card.pending(make_review(metadata={"labels": labels}, language="pt"), Around())

    assert button_labels(as_payload(card))[0] == "Publicar"


def test_an_unknown_label_is_made_readable(make_review) -> None:
    card = review_card.pending(make_review(emit=("needs_legal_check",)), Around())

    assert button_labels(as_payload(card)) == ["Needs legal check"]


def test_whoever_must_act_is_mentioned_exactly_once(make_review) -> None:
    card = review_card.pending(make_review(), Around(asks=UserId("UANA")))

    assert json.dumps(as_payload(card)).count("<@UANA>") == 1


def test_the_card_says_question_then_who_asks_then_content_then_buttons(make_review) -> None:
    card = review_card.pending(make_review(), Around(asks=UserId("UANA")))

    assert text_of(as_payload(card)).split("\n") == [
        "*Publish this draft?*",
        "R-1 · Content review · asked by Ana · version 1",
        "> A draft.",
        "For <@UANA> or anyone here · or answer in words",
        "Approve",
        "Reject",
        "Ask for changes",
    ]


def test_a_decided_card_says_who_and_when_and_has_no_buttons(make_review) -> None:
    card = review_card.ended(decided(make_review, note="good to go"), Around(running=True))

    assert "✅ Bruno approved · <!date^1796047620^{time}|14:07> · “good to go” · running…" in text_of(as_payload(card))
    assert "A draft." in text_of(as_payload(card))
    assert button_labels(as_payload(card)) == []


def test_the_end_of_the_flow_stands_on_the_card(make_review) -> None:
    card = review_card.ended(decided(make_review, state=ReviewState.COMPLETED, result="Published <it>"), Around())

    assert "Published &lt;it&gt;" in text_of(as_payload(card))


def test_what_was_sent_back_points_to_the_next_version(make_review) -> None:
    review = decided(make_review, state=ReviewState.COMPLETED, outcome="needs_revision")

    card = review_card.ended(review, Around(next_round=2, next_link="https://slack.example/p2"))

    assert "↩️ Bruno asked for changes" in text_of(as_payload(card))
    assert "<https://slack.example/p2|version 2 ↓>" in text_of(as_payload(card))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("outcome", ["approved", "rejected", "needs_revision", "other"])
def test_a_late_click_is_told_who_was_first_in_every_language(make_review, language, outcome) -> None:
    note = outcomes.late(decided(make_review, outcome=outcome, emit=("approved", "other")), language)

    assert "Bruno" in note
    assert "<!date^1796047620^{time}|14:07>" in note


HOSTILE = "<!channel> <@U1> *x* `y` ~z~ & > <https://evil.example|ok> \u202e"


@pytest.mark.parametrize(
    "output",
    [
        HOSTILE,
        {"note": HOSTILE, HOSTILE: "x"},
        [HOSTILE] * 5,
        "word " * 40_000,
        "x" * 13_500,
        "&" * 3_001,
        "🎉" * 5_000,
        "",
        {f"field {i}": "v" * 500 for i in range(30)},
        ["item " * 200] * 50,
    ],
    ids=[
        "hostile",
        "hostile-fields",
        "hostile-items",
        "200k",
        "one-line",
        "entities",
        "emoji",
        "empty",
        "many-fields",
        "many-items",
    ],
)
def test_every_output_gives_a_small_card_that_slack_takes(output: object, make_review) -> None:
    review = make_review(content=content_of(output), question=HOSTILE * 3, default_outcome="approved")

    card = review_card.pending(review, Around(asks=UserId("UANA")))

    assert block_problems(list(card.blocks), "message") == []
    assert len(card.blocks) <= 10
    assert sum(len(json.dumps(block, ensure_ascii=False)) for block in card.blocks) < 7_000
    assert len(button_labels(as_payload(card))) >= 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=TEXT, output=TEXT, note=TEXT)
def test_no_text_of_people_or_models_reaches_slack_unescaped(make_review, name, output, note) -> None:
    review = decided(
        make_review,
        content=Content(kind="text", text=output),
        question=output,
        requester_name=name,
        note=note,
        decided_by_name=name,
        result=output,
    )
    shown = json.dumps(
        [as_payload(review_card.ended(review, Around())), as_payload(review_card.ask_again(review, note))],
        ensure_ascii=False,
    )
    assert re.findall(r"<(?!!date\^)", shown) == []
