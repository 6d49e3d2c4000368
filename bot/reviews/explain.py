"""What waits for a person, for how long, who is asked, and what happens then: every cell with its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from bot.reviews.gate_policy import GatePolicy, Limit, Rung, Tier, Who
from bot.reviews.model import Gate, Review, ReviewState
from bot.reviews.policy import disposition, first_rejecting
from bot.reviews.policy_layers import BUILT_IN
from bot.reviews.policy_rules import Policies

CellName = Literal["state", "timeout", "ladder", "end", "people", "autonomy"]
CELLS: tuple[CellName, ...] = ("state", "timeout", "ladder", "end", "people", "autonomy")

Mark = Literal["", "empty", "warning"]
"""`empty`: nobody has said it. `warning`: somebody has, and it leaves nobody."""

Wait = Literal["ask", "manual", "unposted", "paused"]
"""What else than a gate waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A text of the wording table, and the values in it, which are not escaped yet."""

    key: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One answer about one thing that waits."""

    name: CellName
    says: tuple[Phrase, ...]
    source: str
    """`reviews.yml:12`, `step <gate>`, `tier <tier>` or `built-in`; empty where nobody has said it."""
    mark: Mark = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that waits."""

    gate: str
    """`flow.method`; empty for what concerns every flow."""
    tier: Tier | None = None
    """For a gate."""
    wait: Wait | None = None
    """For everything else."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything that waits."""

    rows: tuple[Row, ...]
    digest: str
    """Of the policy that is explained."""

    @property
    def empty(self) -> tuple[tuple[Row, Cell], ...]:
        """What nobody has said. Source: HITL essay: the empty cells are what is left to do."""
        return tuple((row, cell) for row in self.rows for cell in row.cells if cell.mark == "empty")


def explain(policies: Policies, *, asking: Sequence[str] = ()) -> Explanation:
    """Every gate in every tier it can get, and everything else that waits for a person.

    asking are the steps that call `ask()`, as `flow.method`.
    """
    gates = (
        Row(gate=policy.gate, tier=policy.tier, cells=tuple(_gate(policies, policy))) for policy in policies.shown()
    )
    asks = (Row(gate=name, wait="ask", cells=_ask()) for name in asking)
    return Explanation(rows=(*gates, *asks, *_always(policies)), digest=policies.digest)


def autonomy_words(policy: GatePolicy, state: ReviewState | None = None) -> Phrase:
    """Whether somebody is asked. With the state of a review, what became of that one.

    Card, status and explanation all say it by this function, so that none promises what another denies.
    """
    limit = policy.limit
    is_auto = policy.autonomy == "auto" and policy.tier is Tier.LOW and limit is not None and bool(policy.limit_reason)
    if state is ReviewState.AUTO_APPROVED:
        return Phrase(key="autonomy.passed")
    if not is_auto or limit is None:
        return Phrase(key="autonomy.person")
    if state is not None:
        return Phrase(key="autonomy.person_over_limit")
    return Phrase(key="autonomy.by_itself", values=_limit(limit))


def autonomy_of(review: Review) -> Phrase:
    """The same for one review, whatever has become of it since: what passed by itself stays what passed by itself."""
    passed = review.source in ("auto", "timeout") and disposition(review.gate, review.outcome) == "approve"
    return autonomy_words(review.policy, ReviewState.AUTO_APPROVED if passed else review.state)


def written(span: timedelta) -> str:
    """A time span as people write it: `4h`, `7m 30s`."""
    left, parts = int(span.total_seconds()), list[str]()
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def _gate(policies: Policies, policy: GatePolicy) -> Iterator[Cell]:
    source = policy.sources
    gate = policies.gates[policy.gate].gate.gate
    yield Cell(name="state", says=(Phrase(key="state.pending_review"),), source=BUILT_IN)
    yield Cell(name="timeout", says=tuple(_timeout(policy)), source=source["review_time"])
    yield Cell(
        name="ladder",
        says=tuple(_rung(rung) for rung in policy.ladder) or (Phrase(key="policy.no_ladder"),),
        source=source["ladder"],
        mark="" if source["ladder"] else "empty",
    )
    # An alert that nobody gets, and a block that nobody lifts, are ends that do not happen.
    is_told = bool(policies.operators) or not (policy.alert or policy.blocks)
    yield Cell(
        name="end",
        says=tuple(_end(policies, policy, gate)),
        source=source["on_timeout"] if is_told else "",
        mark="" if is_told else "empty",
    )
    nobody = policy.pool is not None and not policy.pool
    yield Cell(
        name="people",
        says=tuple(_people(policy)),
        source=source["pool"],
        mark="" if not nobody else "warning" if source["pool"] else "empty",
    )
    yield Cell(name="autonomy", says=(autonomy_words(policy),), source=source["autonomy"])


def _timeout(policy: GatePolicy) -> Iterator[Phrase]:
    yield Phrase(key="policy.time", values={"time": written(policy.review_time)})
    if policy.reminders:
        times = ", ".join(written(each) for each in policy.reminders)
        yield Phrase(key="policy.reminders", values={"times": times})


def _rung(rung: Rung) -> Phrase:
    key = "policy.rung_paged" if rung.pager else "policy.rung"
    return Phrase(key=key, values={"people": _names(rung.who), "time": written(rung.review_time)})


def _end(policies: Policies, policy: GatePolicy, gate: Gate) -> Iterator[Phrase]:
    end = "cancel" if first_rejecting(gate) is None else "reject"
    if policy.on_timeout == "auto_approve" and policy.limit is not None:
        yield Phrase(key="policy.end_approve", values=_limit(policy.limit))
        yield Phrase(key=f"policy.else_{end}")
    else:
        yield Phrase(key=f"end.{end}")
    if policy.alert or policy.blocks:
        who = _names(policies.operators)
        if not who:
            yield Phrase(key="policy.no_operators")
        elif policy.alert:
            yield Phrase(key="policy.alert", values={"people": who})
    if policy.blocks:
        yield Phrase(key="policy.blocks")


def _people(policy: GatePolicy) -> Iterator[Phrase]:
    if policy.pool is None:
        yield Phrase(key="policy.channel")
    elif policy.pool:
        yield Phrase(key="policy.people", values={"people": _names(policy.pool)})
    else:
        yield Phrase(key="policy.nobody")
    if not policy.self_approval:
        yield Phrase(key="policy.no_self_approval")


def _ask() -> tuple[Cell, ...]:
    """A step that asks for a line of text: it holds its run until its own timeout."""
    return (
        _built_in("state", "policy.ask_state"),
        _built_in("timeout", "policy.ask_timeout", mark="warning"),
        _built_in("ladder", "policy.no_ladder"),
        _built_in("end", "policy.ask_end"),
        # Nothing carries the question to a person yet.
        Cell(name="people", says=(Phrase(key="policy.nobody"),), source="", mark="empty"),
        _built_in("autonomy", "autonomy.person"),
    )


def _always(policies: Policies) -> Iterator[Row]:
    operators = _operators(policies)
    ends: tuple[tuple[Wait, str, str, str], ...] = (
        ("unposted", "state.pending_review", "policy.unposted_timeout", "policy.unposted_end"),
        ("manual", "state.manual_intervention", "policy.no_timeout", "policy.manual_end"),
        ("paused", "policy.paused_state", "policy.no_timeout", "policy.paused_end"),
    )
    for wait, state, timeout, end in ends:
        cells = (
            _built_in("state", state),
            _built_in("timeout", timeout),
            _built_in("ladder", "policy.no_ladder"),
            _built_in("end", end),
            operators,
            _built_in("autonomy", "autonomy.person"),
        )
        yield Row(gate="", wait=wait, cells=cells)


def _operators(policies: Policies) -> Cell:
    if not policies.operators:
        return Cell(name="people", says=(Phrase(key="policy.no_operators"),), source="", mark="empty")
    names = _names(policies.operators)
    return Cell(
        name="people",
        says=(Phrase(key="policy.people", values={"people": names}),),
        source=policies.operators_place,
    )


def _built_in(name: CellName, key: str, *, mark: Mark = "") -> Cell:
    return Cell(name=name, says=(Phrase(key=key),), source=BUILT_IN, mark=mark)


def _limit(limit: Limit) -> dict[str, str]:
    currency = f" {limit.currency}" if limit.currency else ""
    return {
        "limit": f"{limit.up_to:f}{currency}",
        "sum": f"{limit.sum_up_to:f}{currency}",
        "window": written(limit.window),
    }


def _names(people: Sequence[Who]) -> str:
    return ", ".join(who.name for who in people)
