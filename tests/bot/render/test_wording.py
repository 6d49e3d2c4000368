import re
from string import Formatter
from typing import get_args

import pytest

from bot.render.wording import TEXTS
from bot.reviews.gate_policy import Tier
from bot.reviews.machine import TABLE
from bot.reviews.model import RefusalReason, ReviewState
from bot.reviews.policy import Action
from bot.types import LANGUAGES, RunState

PLACES = {
    key: {lang: {name for _, name, _, _ in Formatter().parse(text) if name} for lang, text in texts.items()}
    for key, texts in TEXTS.items()
}


@pytest.mark.parametrize("key", TEXTS)
def test_every_text_exists_in_every_language(key: str) -> None:
    assert set(TEXTS[key]) == set(LANGUAGES)
    assert all(text.strip() for text in TEXTS[key].values())


@pytest.mark.parametrize("key", TEXTS)
def test_every_language_names_the_same_values(key: str) -> None:
    first, *others = PLACES[key].values()

    assert all(other == first for other in others)


@pytest.mark.parametrize("key", [key for key in TEXTS if key != "help.title"])
def test_no_english_is_left_in_portuguese_or_korean(key: str) -> None:
    texts = TEXTS[key]
    bare = {lang: re.sub(r"`[^`]*`|\{[^}]*\}|\W", "", text) for lang, text in texts.items()}

    assert bare["en"] == "" or (bare["pt"] != bare["en"] and bare["ko"] != bare["en"])


@pytest.mark.parametrize("key", TEXTS)
def test_no_korean_particle_hangs_on_a_value(key: str) -> None:
    assert re.search(r"\}[”`*]?(은|는|이|가|을|를|과|와|로|으로)(?=[\s,.]|$)", TEXTS[key]["ko"]) is None


@pytest.mark.parametrize("key", TEXTS)
def test_no_text_shouts_or_begs(key: str) -> None:
    assert re.search(r"!|Please|Oops|UTC", " ".join(TEXTS[key].values())) is None


@pytest.mark.parametrize("state", ReviewState)
def test_every_state_of_a_review_has_its_word(state: ReviewState) -> None:
    assert f"state.{state}" in TEXTS


@pytest.mark.parametrize("code", [*get_args(RefusalReason), *get_args(Action)])
def test_every_reason_to_refuse_has_its_words(code: str) -> None:
    assert f"denied.{code}" in TEXTS


@pytest.mark.parametrize(
    "kind", sorted({kind for _, kind in TABLE.values()} | {"opened", "posted", "denied", "asked_again"})
)
def test_every_kind_of_line_has_its_words(kind: str) -> None:
    assert f"history.{kind}" in TEXTS


@pytest.mark.parametrize("tier", Tier)
def test_every_tier_has_its_words(tier: Tier) -> None:
    assert f"tier.{tier}" in TEXTS


@pytest.mark.parametrize("state", RunState)
def test_every_state_of_a_run_has_its_word(state: RunState) -> None:
    assert f"run.{state}" in TEXTS
