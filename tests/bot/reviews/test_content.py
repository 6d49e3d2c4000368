import dataclasses
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum

import pytest
from pydantic import BaseModel, Field

from bot.reviews.content import Content, content_of, from_json, to_json


class Colour(Enum):
    RED = "red"


class Refund(BaseModel):
    order_id: str = Field(title="Order")
    amount: Decimal
    due: date
    tags: list[str] = []


@dataclasses.dataclass
class Point:
    x_axis: int
    ok: bool


@pytest.mark.parametrize(
    ("output", "content"),
    [
        pytest.param("A draft.", Content(kind="text", text="A draft."), id="text"),
        pytest.param("  \n ", Content(kind="empty"), id="blank"),
        pytest.param(None, Content(kind="empty"), id="none"),
        pytest.param({}, Content(kind="empty"), id="empty-dict"),
        pytest.param([], Content(kind="empty"), id="empty-list"),
        pytest.param(4.5, Content(kind="text", text="4.5"), id="number"),
        pytest.param(Colour.RED, Content(kind="text", text="red"), id="enum"),
        pytest.param(["a", {"x": 1}], Content(kind="items", items=("a", "X: 1")), id="list"),
        pytest.param(
            {"unit_price": Decimal("4.20"), "paid": True, "at": datetime(2031, 3, 4, 5, 6, tzinfo=UTC)},
            Content(kind="fields", fields=(("Unit price", "4.20"), ("Paid", "✓"), ("At", "2031-03-04 05:06+00:00"))),
            id="dict",
        ),
        pytest.param(
            Refund(order_id="42", amount=Decimal("12.50"), due=date(2031, 1, 2), tags=["a", "b"]),
            Content(
                kind="fields",
                fields=(("Order", "42"), ("Amount", "12.50"), ("Due", "2031-01-02"), ("Tags", "a, b")),
            ),
            id="model-with-its-titles",
        ),
        pytest.param(Point(1, False), Content(kind="fields", fields=(("X axis", "1"), ("Ok", "✗"))), id="dataclass"),
    ],
)
def test_an_output_becomes_something_a_person_reads(output: object, content: Content) -> None:
    assert content_of(output) == content


def test_the_authors_summary_wins() -> None:
    assert content_of({"x": 1}, "One refund of 4.20").text == "One refund of 4.20"


@pytest.mark.parametrize(
    "output", ["text “with” 승인", {"a": 1}, ["x"], None], ids=["text", "fields", "items", "empty"]
)
def test_content_is_the_same_after_storing(output: object) -> None:
    assert from_json(to_json(content_of(output))) == content_of(output)
