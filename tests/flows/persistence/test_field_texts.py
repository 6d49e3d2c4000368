"""A field is written anew when anything inside it has changed, and what is written is what is read."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.errors import CodecError
from flows.persistence.codec import from_text
from flows.persistence.field_texts import FieldTexts


def written(texts, fields):
    return from_text(texts.text(fields, path="state"))


def test_a_change_deep_inside_a_field_is_noticed():
    texts, fields = FieldTexts(), {"n": 1, "body": {"items": [{"tags": ["a"]}]}}
    written(texts, fields)

    fields["body"]["items"][0]["tags"].append("b")

    assert written(texts, fields) == {"n": 1, "body": {"items": [{"tags": ["a", "b"]}]}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(1, True, id="bool-for-int"),
        pytest.param(1, 1.0, id="float-for-int"),
        pytest.param(0.0, -0.0, id="sign-of-zero"),
        pytest.param([1], (1,), id="tuple-for-list"),
        pytest.param({1}, frozenset({1}), id="frozen-set"),
        pytest.param({"1": 2}, {1: 2}, id="kind-of-key"),
        pytest.param(Decimal("1.0"), Decimal("1.00"), id="decimal-places"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="order-of-keys"),
    ],
)
def test_an_equal_value_of_another_kind_is_a_change(before, after):
    texts = FieldTexts()
    written(texts, {"field": before})

    found = written(texts, {"field": after})["field"]

    assert (type(found), repr(found)) == (type(after), repr(after))


def test_what_cannot_be_kept_is_refused_although_it_looks_like_what_was_kept():
    texts = FieldTexts()
    written(texts, {"field": [b"text"]})

    with pytest.raises(CodecError, match=r"state\.field\[0\]"):
        texts.text({"field": [bytearray(b"text")]}, path="state")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([float("inf"), float("-inf")], id="infinity"),
        pytest.param("\ud83d\ude00", id="two-halves-of-a-character"),
        pytest.param({"a": [{"b": ()}]}, id="empty-tuple"),
        pytest.param([10**30, -0.0, 1e300, True, 1], id="numbers"),
        pytest.param({"a": {"$": 1}}, id="reserved-key"),
        pytest.param("ação 😀\u2028", id="other-letters"),
    ],
)
def test_what_json_alone_would_change_comes_back_as_it_was(value):
    found = written(FieldTexts(), {"field": value})["field"]

    assert (type(found), repr(found)) == (type(value), repr(value))


def test_a_value_nested_deeper_than_the_quick_way_goes_comes_back():
    value = [1]
    for _ in range(300):
        value = [value]

    assert written(FieldTexts(), {"field": value}) == {"field": value}


@pytest.mark.parametrize("fields", [{"$": 1}, {1: "one"}, {"olá": [1]}, {}, {"a": ",\n", "b": '"$"'}])
def test_any_key_and_text_comes_back(fields):
    texts = FieldTexts()

    assert written(texts, fields) == fields
    assert FieldTexts().read(texts.text(fields, path="state"), home=None, path="state") == fields


def test_a_value_that_was_read_may_change_as_any_other():
    fields = {"when": datetime(2026, 1, 2, tzinfo=UTC), "items": [1, [2]], "raw": b"x", "name": "n"}
    texts = FieldTexts()
    found = texts.read(FieldTexts().text(fields, path="state"), home=None, path="state")

    found["items"][1].append(3)

    assert written(texts, found) == {**fields, "items": [1, [2, 3]]}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=5))
def test_states_one_after_another_are_each_written_as_they_are(states):
    texts = FieldTexts()

    assert [written(texts, state) for state in states] == states
