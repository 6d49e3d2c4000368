"""Pictures of values in JSON's types, whatever the value is."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from typing import Any

import pytest
from pydantic import BaseModel

from flows.types import identified, json_safe


class Colour(Enum):
    RED = 1


class Word(StrEnum):
    YES = "yes"


class Thing(BaseModel, extra="allow"):
    n: int = 1


@dataclass
class Point:
    x: Any


class Shy:
    def __str__(self):
        raise RuntimeError("no picture")


def holding_itself() -> Any:
    value: Any = {}
    value["self"] = value
    return value


@pytest.mark.parametrize(
    ("value", "safe"),
    [
        pytest.param(None, None, id="none"),
        pytest.param(Word.YES, "yes", id="text enum"),
        pytest.param(Colour.RED, "Colour.RED", id="enum"),
        pytest.param(Thing(extra=(1,)), {"n": 1, "extra": [1]}, id="model"),
        pytest.param(Point({1}), {"x": [1]}, id="dataclass"),
        pytest.param({1: {"a": (1, 2)}}, {"1": {"a": [1, 2]}}, id="dict"),
        pytest.param(datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00", id="moment"),
        pytest.param(Shy(), "<Shy>", id="a class that refuses"),
        pytest.param(int, "<class 'int'>", id="a class"),
    ],
)
def test_a_picture_is_json(value, safe):
    assert json_safe(value) == safe
    json.dumps(json_safe(value))


def test_a_value_that_holds_itself_has_a_picture_too():
    assert json.dumps(json_safe(holding_itself()))


def test_a_model_with_an_id_is_left_alone_and_another_gets_one_once():
    class Own(BaseModel):
        id: int = 1

    assert identified(Own) is Own
    assert identified(Thing) is identified(Thing)
    assert issubclass(identified(Thing), Thing)
