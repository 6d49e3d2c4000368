"""How a review and its cards stand in their tables."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from bot.db import Row
from bot.reviews import content, gate_policy
from bot.reviews.deadlines import next_at
from bot.reviews.gate_policy import GatePolicy
from bot.reviews.model import Card, Gate, Review, ReviewState
from bot.types import ChannelId, MessageRef, ReviewId, RunId, TeamId, ThreadKey, Ts, UserId

# fmt: off
_FIXED = (
    "team_id", "id", "n", "run_id", "flow_name", "method", "round", "channel", "thread_ts", "requester",
    "requester_name", "question", "emit", "default_outcome", "metadata", "language", "opened_at", "policy", "inputs",
    "said", "target_thread_ts",
)
# fmt: on
"""What an open review never changes."""
# fmt: off
_CHANGING = (
    "target_channel", "content", "payload_hash", "state", "version", "content_version", "outcome", "decided_by",
    "decided_by_name", "decided_at", "source", "note", "result", "posted_at", "post_tries", "started_at", "level",
    "asked", "passed_over", "asked_at", "reminded", "expires_at", "next_at", "blocked", "reason_code", "amount",
)
# fmt: on

COLUMNS = ", ".join([*_FIXED, *_CHANGING])
INSERT = f"insert into reviews({COLUMNS}) values ({', '.join('?' * len([*_FIXED, *_CHANGING]))})"  # noqa: S608 - constants
UPDATE = (
    f"update reviews set {', '.join(f'{name} = ?' for name in _CHANGING)}"  # noqa: S608 - constants
    " where team_id = ? and id = ? and version = ? returning 1"
)


def insert_values(review: Review) -> list[Any]:
    """The values of INSERT."""
    gate = review.gate
    return [
        review.team,
        review.id,
        review.n,
        review.run,
        gate.flow_name,
        gate.method,
        review.round,
        review.thread.channel,
        review.thread.ts,
        review.requester,
        review.requester_name,
        gate.question,
        json.dumps(gate.emit),
        gate.default_outcome,
        json.dumps(gate.metadata, default=str),
        review.language,
        seconds(review.opened_at),
        gate_policy.to_json(review.policy),
        json.dumps(review.inputs, default=str),
        review.said,
        review.target_thread,
        *_changing_values(review),
    ]


def update_values(review: Review, before: int) -> list[Any]:
    """The values of UPDATE: the review as it becomes, and the version that it has to be at."""
    return [*_changing_values(review), review.team, review.id, before]


def review_of(row: Row) -> Review:
    """The review of a row of COLUMNS."""
    values = dict(zip([*_FIXED, *_CHANGING], row, strict=True))
    gate = Gate(
        flow_name=values["flow_name"],
        method=values["method"],
        question=values["question"],
        emit=tuple(json.loads(values["emit"])),
        default_outcome=values["default_outcome"],
        metadata=json.loads(values["metadata"]),
    )
    stored = values["policy"]
    return Review(
        id=ReviewId(values["id"]),
        n=int(values["n"]),
        run=RunId(values["run_id"]),
        thread=ThreadKey(
            team=TeamId(values["team_id"]), channel=ChannelId(values["channel"]), ts=Ts(values["thread_ts"])
        ),
        requester=UserId(values["requester"]),
        requester_name=values["requester_name"],
        gate=gate,
        content=content.from_json(values["content"]),
        round=int(values["round"]),
        # A review that was opened before gates had policies.
        policy=gate_policy.from_json(stored) if stored else GatePolicy(gate=f"{gate.flow_name}.{gate.method}"),
        amount=None if values["amount"] is None else Decimal(values["amount"]),
        inputs=json.loads(values["inputs"] or "{}"),
        said=values["said"] or "",
        language=values["language"],
        target_channel=ChannelId(values["target_channel"]),
        target_thread=values["target_thread_ts"],
        payload_hash=values["payload_hash"],
        state=ReviewState(values["state"]),
        version=int(values["version"]),
        content_version=int(values["content_version"]),
        outcome=values["outcome"],
        decided_by=values["decided_by"],
        decided_by_name=values["decided_by_name"],
        decided_at=moment(values["decided_at"]),
        source=values["source"],
        note=values["note"] or "",
        result=values["result"],
        opened_at=datetime.fromtimestamp(values["opened_at"], UTC),
        posted_at=moment(values["posted_at"]),
        post_tries=int(values["post_tries"]),
        started_at=moment(values["started_at"]),
        level=int(values["level"]),
        asked=gate_policy.people_from_json(values["asked"]),
        passed_over=gate_policy.people_from_json(values["passed_over"]) or (),
        asked_at=moment(values["asked_at"]),
        reminded=int(values["reminded"]),
        expires_at=moment(values["expires_at"]),
        blocked=bool(values["blocked"]),
        reason_code=values["reason_code"] or "",
    )


def card_of(row: Row) -> Card:
    """The card of a row of `review_id, channel, ts, kind, thread_ts, user_id, note, shown_version`."""
    review, channel, ts, kind, thread_ts, user, note, shown = row
    return Card(
        review=ReviewId(review),
        ref=MessageRef(channel=ChannelId(channel), ts=Ts(ts)),
        kind=kind,
        thread_ts=thread_ts,
        user=user,
        note=note or "",
        shown_version=int(shown),
    )


def seconds(moment: datetime | None) -> float | None:
    """A moment as the tables keep it."""
    return None if moment is None else moment.timestamp()


def moment(seconds: float | None) -> datetime | None:
    """A moment as the tables kept it."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _changing_values(review: Review) -> list[Any]:
    return [
        review.target_channel,
        content.to_json(review.content),
        review.payload_hash,
        review.state,
        review.version,
        review.content_version,
        review.outcome,
        review.decided_by,
        review.decided_by_name,
        seconds(review.decided_at),
        review.source,
        review.note,
        review.result,
        seconds(review.posted_at),
        review.post_tries,
        seconds(review.started_at),
        review.level,
        gate_policy.people_to_json(review.asked),
        gate_policy.people_to_json(review.passed_over),
        seconds(review.asked_at),
        review.reminded,
        seconds(review.expires_at),
        seconds(next_at(review)),
        int(review.blocked),
        review.reason_code,
        None if review.amount is None else str(review.amount),
    ]
