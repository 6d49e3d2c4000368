"""What holds for a gate when several sources speak: the file, then the step, then the tier, then what is built in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from typing import Any

from bot.reviews.gate_policy import Autonomy, EscalationShows, GatePolicy, Limit, OnTimeout, Rung, Tier, Who

REASON_CODES = ("wrong_amount", "missing_information", "not_allowed", "duplicate", "wrong_content", "other")
"""Why something is rejected, from medium up, where a policy lists no codes of its own."""
BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class RungOf:
    """One step of a ladder as it is written."""

    who: tuple[Who, ...]
    review_time: timedelta | None = None
    """None: as long as those before had."""
    pager: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one source says about a gate or a tier; None where it says nothing."""

    risk_score: int | None = None
    autonomy: Autonomy | None = None
    limit: Limit | None = None
    limit_reason: str | None = None
    review_time: timedelta | None = None
    reminders: tuple[timedelta, ...] | None = None
    ladder: tuple[RungOf, ...] | None = None
    on_timeout: OnTimeout | None = None
    alert: bool | None = None
    blocks: bool | None = None
    pool: tuple[Who, ...] | None = None
    self_approval: bool | None = None
    former_assignees: bool | None = None
    reason_codes: tuple[str, ...] | None = None
    loop_limit: int | None = None
    escalation_shows: EscalationShows | None = None


STATED = tuple(each.name for each in fields(Stated))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One source, and the place of each value in it."""

    stated: Stated = field(default_factory=Stated)
    place: str = ""
    """Where the whole of it comes from."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where single values come from, by the name of the field."""

    def place_of(self, name: str) -> str:
        """Where this value comes from."""
        return self.places.get(name, self.place)

    def people(self) -> Iterable[Who]:
        """Everybody it names."""
        yield from self.stated.pool or ()
        for rung in self.stated.ladder or ():
            yield from rung.who

    def with_people(self, found: Mapping[str, Who]) -> Layer:
        """The same, with everybody as `found` knows them by name."""
        stated = self.stated
        return replace(
            self,
            stated=replace(
                stated,
                pool=None if stated.pool is None else exchanged(stated.pool, found),
                ladder=None
                if stated.ladder is None
                else tuple(replace(rung, who=exchanged(rung.who, found)) for rung in stated.ladder),
            ),
        )


def exchanged(people: Sequence[Who], found: Mapping[str, Who]) -> tuple[Who, ...]:
    """These people as they were found; who was not found stays as written."""
    return tuple(found.get(who.name, who) for who in people)


NOTHING_STATED = Layer()

# What a wrong decision costs decides how long it may wait, and what silence means.
# Source: HITL essay, the table of "Timeouts e escalação não são polimento opcional".
_TIERS: Mapping[Tier, Stated] = {
    Tier.LOW: Stated(
        review_time=timedelta(hours=4),
        reminders=(),
        ladder=(),
        alert=False,
        blocks=False,
        self_approval=True,
        reason_codes=(),
    ),
    Tier.MEDIUM: Stated(
        review_time=timedelta(minutes=30), alert=False, blocks=False, self_approval=False, reason_codes=REASON_CODES
    ),
    Tier.HIGH: Stated(
        review_time=timedelta(minutes=15), alert=True, blocks=False, self_approval=False, reason_codes=REASON_CODES
    ),
    Tier.CRITICAL: Stated(
        review_time=timedelta(minutes=5), alert=True, blocks=True, self_approval=False, reason_codes=REASON_CODES
    ),
}
_ALWAYS = Layer(
    stated=Stated(
        autonomy="ask",
        limit_reason="",
        on_timeout="reject",
        former_assignees=False,
        loop_limit=10,
        escalation_shows="link",
    ),
    place=BUILT_IN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierFound:
    """The tier of a gate, or of one review of it, and where it comes from."""

    tier: Tier
    place: str
    risk_score: int | None = None
    """As the rule gave it; None: as the sources say."""


def merged(
    gate: str, found: TierFound, layers: Sequence[Layer], *, operators: tuple[Who, ...] = (), pager: bool = False
) -> GatePolicy:
    """The policy of this gate in this tier.

    layers are what is written, the strongest first; what the tier and Placet say comes behind them. A value whose
    source is empty was said by nobody.
    """
    tier = found.tier
    every = (*layers, Layer(stated=_TIERS[tier], place=f"tier {tier}"), _ALWAYS)
    values: dict[str, Any] = {}
    sources = {"gate": "", "tier": found.place}
    for name in STATED:
        values[name], sources[name] = _first(name, every)
    if found.risk_score is not None:
        values["risk_score"], sources["risk_score"] = found.risk_score, found.place
    review_time: timedelta = values["review_time"]
    if values["reminders"] is None:
        values["reminders"], sources["reminders"] = (review_time / 2,), f"tier {tier}"
    if values["ladder"] is None and tier is Tier.CRITICAL and operators:
        values["ladder"], sources["ladder"] = (RungOf(who=operators, pager=pager),), f"tier {tier}"
    values["ladder"] = tuple(
        Rung(who=rung.who, review_time=rung.review_time or review_time, pager=rung.pager)
        for rung in values["ladder"] or ()
    )
    values["reason_codes"] = values["reason_codes"] or ()
    if tier is Tier.LOW:
        if values["pool"] is None:
            sources["pool"] = f"tier {tier}"
    else:
        # Silence about people never means everybody.
        values["pool"] = values["pool"] or ()
        _never_by_itself(values, sources, tier)
    return GatePolicy(gate=gate, tier=tier, sources=sources, **values)


def _first(name: str, layers: Sequence[Layer]) -> tuple[Any, str]:
    for layer in layers:
        value = getattr(layer.stated, name)
        if value is not None:
            return value, layer.place_of(name)
    return None, ""


def _never_by_itself(values: dict[str, Any], sources: dict[str, str], tier: Tier) -> None:
    """Above low somebody decides, whatever is written for the gate's low tier."""
    if values["autonomy"] != "ask":
        values["autonomy"], sources["autonomy"] = "ask", f"tier {tier}"
    if values["on_timeout"] != "reject":
        values["on_timeout"], sources["on_timeout"] = "reject", f"tier {tier}"
