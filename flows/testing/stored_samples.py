"""Values, questions and checkpoints as stores meet them, for tests of a store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from flows.persistence.types_registry import register_type
from flows.types import Checkpoint, OpenedRequest, PendingFeedbackContext


@register_type
class Colour(Enum):
    """A value of a closed set."""

    RED = 1


@register_type
@dataclass(frozen=True)
class Point:
    """A dataclass value."""

    x: int
    y: int


@register_type
class Address(BaseModel):
    """A model value."""

    street: str
    since: date


RICH_STATE: dict[str, Any] = {
    "id": "run-1",
    "nothing": None,
    "yes": True,
    "count": 3,
    "ratio": 0.5,
    "text": "olá 안녕 😀",
    "raw": b"\x00\xff",
    "moment": datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
    "day": date(2026, 1, 2),
    "hour": time(3, 4),
    "span": timedelta(days=1, microseconds=2),
    "key": UUID(int=7),
    "price": Decimal("1.10"),
    "colour": Colour.RED,
    "tags": {"a", "b"},
    "frozen": frozenset({1, 2}),
    "pair": (1, "two"),
    "file": Path("a/b"),
    "by_number": {1: "one", (1, 2): "pair"},
    "reserved": {"$": "not a tag"},
    "point": Point(1, 2),
    "address": Address(street="Rua A", since=date(2020, 1, 1)),
    "nested": [{"deep": [Decimal("2.0")]}],
}
"""One value of every kind that a store keeps with its type."""


def make_context(flow_id: str, request_id: str, *, output: Any = "draft") -> PendingFeedbackContext:
    """A question as the engine asks it."""
    return PendingFeedbackContext(
        flow_id=flow_id,
        flow_class="some.module.SomeFlow",
        method_name="review",
        method_output=output,
        message="Approve?",
        emit=["approved", "rejected"],
        default_outcome="rejected",
        metadata={"tier": "low"},
        request_id=request_id,
        requested_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def make_checkpoint(flow_id: str, version: int, **changes: Any) -> Checkpoint:
    """A checkpoint as the engine writes it."""
    values: dict[str, Any] = {
        "flow_id": flow_id,
        "flow_class": "some.module.SomeFlow",
        "status": "running",
        "version": version,
        "body": f"body {version}",
        "is_first": version == 1,
    }
    return Checkpoint(**{**values, **changes})


def opened(flow_id: str, request_id: str, **context: Any) -> OpenedRequest:
    """A question that a checkpoint stores."""
    return OpenedRequest(
        context=make_context(flow_id, request_id, **context), callback_info={"channel": "C1"}, state={"id": flow_id}
    )
