import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.mrkdwn import Mrkdwn, clamp, escape, excerpt, from_markdown, one_line, quote, split, truncate, unescape

VISIBLE = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf")))
TOKEN = re.compile(r"<[!@#]|<https?:|<slack:|<javascript:|[<>]")


@given(VISIBLE)
def test_any_text_reads_back_as_it_was_after_escaping(text: str) -> None:
    assert html.unescape(escape(text).replace("&amp;", "&amp;")) == html.unescape(html.escape(text, quote=False))
    assert unescape(escape(text)) == text


@given(st.text())
def test_no_text_keeps_a_token_after_escaping(text: str) -> None:
    assert TOKEN.search(escape(text)) is None
    assert TOKEN.search(from_markdown(text)) is None
    assert TOKEN.search(one_line(text)) is None


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\ufeff", "\x00"], ids=lambda c: f"U+{ord(c):04X}")
def test_characters_that_hide_or_turn_text_are_dropped(hidden: str) -> None:
    assert escape(f"ab{hidden}cd") == "abcd"


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        pytest.param("# A title", "*A title*", id="heading"),
        pytest.param("so **very** strong", "so *very* strong", id="strong"),
        pytest.param("- one\n- two", "• one\n• two", id="bullets"),
        pytest.param("<!channel> 1 < 2 & 3", "&lt;!channel&gt; 1 &lt; 2 &amp; 3", id="tokens-are-characters"),
        pytest.param("[click](https://evil.example)", "[click](https://evil.example)", id="no-link-with-a-label"),
    ],
)
def test_a_models_markdown_in_slacks_spelling(markdown: str, mrkdwn: str) -> None:
    assert from_markdown(markdown) == mrkdwn


def test_quoted_text_is_bounded_line_by_line() -> None:
    assert quote(escape("one\n\n✅ Legal approved")) == "> one\n> \n> ✅ Legal approved"


@given(st.text(min_size=1), st.integers(min_value=2, max_value=50))
def test_truncation_never_exceeds_its_limit_and_is_visible(text: str, limit: int) -> None:
    cut = truncate(text, limit)

    assert len(cut) <= limit
    assert cut == text or cut.endswith("…")


@given(st.text(max_size=400), st.integers(min_value=10, max_value=80))
def test_splitting_keeps_every_visible_character(text: str, limit: int) -> None:
    pieces = split(text, limit)

    assert all(len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_an_excerpt_ends_with_a_sentence() -> None:
    text = "First sentence is here. " * 40

    shown, was_cut = excerpt(text, lines=8, limit=100)

    assert was_cut
    assert shown.endswith("here. …")


@given(st.text("<>&ab ", max_size=300), st.integers(min_value=8, max_value=60))
def test_clamping_cuts_no_entity_in_half(text: str, limit: int) -> None:
    cut = clamp(escape(text), limit)

    assert len(cut) <= limit
    assert re.sub(r"&(amp|lt|gt);", "", cut).count("&") == 0


def test_clamping_cuts_no_mention_in_half() -> None:
    assert clamp(Mrkdwn("hello <@U0123456789>"), 12) == "hello …"
