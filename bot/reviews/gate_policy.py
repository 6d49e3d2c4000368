"""What holds for one gate: its tier, clock, ladder, end and people, merged once and kept with each review."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal


class Tier(StrEnum):
    """How much harm a wrong decision does, the least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for the lowest."""
        return list(Tier).index(self)


BUILT_IN_REASONS = ("wrong_amount", "missing_information", "not_allowed", "duplicate", "wrong_content", "other")
"""The reason codes of a gate that lists none of its own, from the medium tier up."""

WhoKind = Literal["person", "group", "channel", "name"]
"""`name` is a handle that is not looked up yet: a person's or a group's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Somebody who may be asked: a person, a user group, or the members of a channel."""

    kind: WhoKind
    id: str
    """`U…`, `S…` or `C…`; the text of the file while it is not looked up."""
    name: str
    """As the file writes it: what people read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One step of an escalation ladder: who is asked then, and for how long."""

    who: tuple[Who, ...]
    review_time: timedelta
    pager: bool = False
    """Whether the pager is called when this rung is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Up to where nobody needs to look: one amount, and the sum of one requester's amounts within a window."""

    field: str
    """The field of the output, or `state.<field>`."""
    up_to: Decimal
    sum_up_to: Decimal
    """Of one requester and gate, this amount included."""
    window: timedelta
    currency: str = ""
    """What the field beside the amount must say; empty: no currency is asked for."""
    currency_field: str = "currency"


Autonomy = Literal["ask", "auto"]
OnTimeout = Literal["reject", "auto_approve"]
EscalationShows = Literal["link", "content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """The policy of one gate as it holds for one review."""

    gate: str
    """`flow.method`."""
    tier: Tier = Tier.LOW
    risk_score: int | None = None
    """0 to 100."""
    autonomy: Autonomy = "ask"
    limit: Limit | None = None
    """For `auto` and `auto_approve`; neither works without one."""
    limit_reason: str = ""
    """Why the operators let this pass unseen."""
    review_time: timedelta = timedelta(hours=4)
    reminders: tuple[timedelta, ...] = ()
    """Counted from the moment somebody is asked."""
    ladder: tuple[Rung, ...] = ()
    on_timeout: OnTimeout = "reject"
    alert: bool = False
    """Whether the operators are told when nobody answers."""
    blocks: bool = False
    """Whether the gate stays shut after nobody answered, until an operator lifts it."""
    pool: tuple[Who, ...] | None = None
    """None: every full member of the card's channel. Empty: nobody."""
    self_approval: bool = True
    former_assignees: bool = False
    """Whether those who were passed over may still decide."""
    reason_codes: tuple[str, ...] = ()
    """What a rejection has to be given as; empty: it is not asked for."""
    loop_limit: int = 10
    """How many rounds of changes there may be before it escalates."""
    escalation_shows: EscalationShows = "link"
    """What people outside of the card's channel are sent when they are asked."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each value comes from, by the name of the field: for people, no part of the digest."""

    @property
    def digest(self) -> str:
        """The SHA-256 of everything but the sources, in hexadecimal."""
        plain = _plain(self)
        plain.pop("sources")
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def to_json(policy: GatePolicy) -> str:
    """The policy as it is kept with a review."""
    return json.dumps(_plain(policy), ensure_ascii=False)


def from_json(text: str) -> GatePolicy:
    """The policy that `to_json` wrote, by this version or another: what it does not know is left out."""
    known = {each.name for each in fields(GatePolicy)}
    raw = {**_plain(GatePolicy(gate="")), **{key: value for key, value in json.loads(text).items() if key in known}}
    limit = raw.pop("limit")
    return GatePolicy(
        tier=Tier(raw.pop("tier")),
        review_time=timedelta(seconds=raw.pop("review_time")),
        reminders=tuple(timedelta(seconds=each) for each in raw.pop("reminders")),
        ladder=tuple(
            Rung(who=_people(each["who"]), review_time=timedelta(seconds=each["review_time"]), pager=each["pager"])
            for each in raw.pop("ladder")
        ),
        pool=None if (pool := raw.pop("pool")) is None else _people(pool),
        limit=None if limit is None else _limit(limit),
        reason_codes=tuple(raw.pop("reason_codes")),
        **raw,
    )


def people_to_json(people: tuple[Who, ...] | None) -> str | None:
    """Who is asked, as it is kept with a review."""
    return None if people is None else json.dumps([_who(each) for each in people], ensure_ascii=False)


def people_from_json(text: str | None) -> tuple[Who, ...] | None:
    """The people that `people_to_json` wrote."""
    return None if text is None else _people(json.loads(text))


def _plain(policy: GatePolicy) -> dict[str, Any]:
    limit = policy.limit
    return {
        "gate": policy.gate,
        "tier": policy.tier.value,
        "risk_score": policy.risk_score,
        "autonomy": policy.autonomy,
        "limit": None
        if limit is None
        else {
            "field": limit.field,
            "up_to": str(limit.up_to),
            "sum_up_to": str(limit.sum_up_to),
            "window": limit.window.total_seconds(),
            "currency": limit.currency,
            "currency_field": limit.currency_field,
        },
        "limit_reason": policy.limit_reason,
        "review_time": policy.review_time.total_seconds(),
        "reminders": [each.total_seconds() for each in policy.reminders],
        "ladder": [
            {
                "who": [_who(each) for each in rung.who],
                "review_time": rung.review_time.total_seconds(),
                "pager": rung.pager,
            }
            for rung in policy.ladder
        ],
        "on_timeout": policy.on_timeout,
        "alert": policy.alert,
        "blocks": policy.blocks,
        "pool": None if policy.pool is None else [_who(each) for each in policy.pool],
        "self_approval": policy.self_approval,
        "former_assignees": policy.former_assignees,
        "reason_codes": list(policy.reason_codes),
        "loop_limit": policy.loop_limit,
        "escalation_shows": policy.escalation_shows,
        "sources": dict(policy.sources),
    }


def _who(who: Who) -> dict[str, str]:
    return {"kind": who.kind, "id": who.id, "name": who.name}


def _people(raw: list[dict[str, Any]]) -> tuple[Who, ...]:
    return tuple(Who(**each) for each in raw)


def _limit(raw: dict[str, Any]) -> Limit:
    return Limit(
        field=raw["field"],
        up_to=Decimal(raw["up_to"]),
        sum_up_to=Decimal(raw["sum_up_to"]),
        window=timedelta(seconds=raw["window"]),
        currency=raw["currency"],
        currency_field=raw["currency_field"],
    )
