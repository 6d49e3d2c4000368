from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.reviews.content import Content
from bot.reviews.gate_policy import GatePolicy
from bot.reviews.model import Gate, Review, ReviewState
from bot.types import ChannelId, Person, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId

MakeReview = Callable[..., Review]


@pytest.fixture
def make_review() -> MakeReview:
    """A pending review of a draft, with whatever the test says otherwise."""

    def make(*, question: str = "Publish this draft?", emit: tuple[str, ...] | None = None, **changes: Any) -> Review:
        gate = Gate(
            flow_name="content_review",
            method="review_draft",
            question=question,
            emit=("approved", "rejected", "needs_revision") if emit is None else emit,
            default_outcome=changes.pop("default_outcome", None),
            metadata=changes.pop("metadata", {}),
        )
        values: dict[str, Any] = {
            "id": ReviewId("rv1"),
            "n": 1,
            "run": RunId("run1"),
            "thread": ThreadKey(team=TeamId("T1"), channel=ChannelId("C1"), ts=Ts("1.0")),
            "requester": UserId("UANA"),
            "requester_name": "Ana",
            "gate": gate,
            "content": Content(kind="text", text="A draft."),
            "round": 1,
            "language": "en",
            "target_channel": ChannelId("C1"),
            "target_thread": Ts("1.0"),
            "payload_hash": "hash",
            "policy": GatePolicy(gate="content_review.review_draft"),
            "state": ReviewState.PENDING,
            "version": 1,
            "content_version": 1,
            "opened_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
        }
        return Review(**{**values, **changes})

    return make


@pytest.fixture
def make_person() -> Callable[..., Person]:
    """A full member of the workspace, with whatever the test says otherwise."""

    def make(**changes: Any) -> Person:
        return Person(**{"team": TeamId("T1"), "user": UserId("UBRUNO"), "name": "Bruno", **changes})

    return make
