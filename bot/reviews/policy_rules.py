"""Which policy each review gets: everything that the operators and the flows' authors said, merged for one payload."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.reviews.gate_policy import GatePolicy, Tier, Who
from bot.reviews.model import Gate
from bot.reviews.policy_faults import Fault, PolicyError, instead
from bot.reviews.policy_layers import BUILT_IN, NOTHING_STATED, Layer, TierFound, exchanged, merged
from bot.reviews.policy_metadata import step_says
from bot.reviews.tier_rules import HIGHEST, MISSING, Fields, TierRule, amount_of, tier_of, tiers_of
from bot.types import Language

__all__ = [
    "MISSING",
    "ChannelSettings",
    "Fields",
    "GateOf",
    "GateRules",
    "Policies",
    "amount_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOf:
    """A gate as its flow declares it."""

    flow_name: str
    """As the catalog lists it."""
    flow_class: str
    method: str
    emit: tuple[str, ...] = ()
    default_outcome: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    question: str = ""

    @property
    def name(self) -> str:
        """`flow.method`."""
        return f"{self.flow_name}.{self.method}"

    @property
    def gate(self) -> Gate:
        """The same as a review keeps it."""
        return Gate(
            flow_name=self.flow_name,
            method=self.method,
            question=self.question,
            emit=self.emit,
            default_outcome=self.default_outcome,
            metadata=self.metadata,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """What the operators set for one channel."""

    language: Language | None = None
    flow: str | None = None
    """The flow that starts where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """What is said about one gate, before a payload is known."""

    gate: GateOf
    tier: Tier | TierRule | None = None
    """What the file says."""
    tier_place: str = ""
    file: Layer = NOTHING_STATED
    step: Layer = NOTHING_STATED
    step_tier: Tier | None = None

    def tiers(self) -> tuple[Tier, ...]:
        """Every tier that a review of this gate can get, the lowest first."""
        if isinstance(self.tier, Tier):
            return (self.tier,)
        if self.tier is not None:
            return tuple(sorted(tiers_of(self.tier), key=lambda tier: tier.rank))
        return (self.step_tier or Tier.LOW,)

    def fixed(self, tier: Tier) -> TierFound:
        """This tier, and who says that the gate can get it."""
        if self.tier is not None:
            return TierFound(tier=tier, place=self.tier_place)
        return TierFound(tier=tier, place=BUILT_IN if self.step_tier is None else self.step.place)

    def found(self, payload: Fields) -> TierFound:
        """The tier of this payload."""
        if self.tier is None or isinstance(self.tier, Tier):
            return self.fixed(self.tiers()[0])
        ruled = tier_of(self.tier, payload)
        trouble = f", {self.tier.field} is {ruled.trouble}" if ruled.trouble else ""
        return TierFound(tier=ruled.tier, place=f"{self.tier_place}{trouble}", risk_score=ruled.risk_score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The policies of all gates."""

    gates: Mapping[str, GateRules] = field(default_factory=dict[str, GateRules])
    """By `flow.method`."""
    tiers: Mapping[Tier, Layer] = field(default_factory=dict[Tier, Layer])
    """What the file says about whole tiers."""
    operators: tuple[Who, ...] = ()
    """Who runs it all: they are told when something needs a person, and lift blocks."""
    operators_place: str = ""
    """Where they are named."""
    pager: str = ""
    """Where a page is posted to; empty: nowhere."""
    channels: Mapping[str, ChannelSettings] = field(default_factory=dict[str, ChannelSettings])
    """By channel: its id once people were looked up, before that as it is written."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each name is written, by the name."""
    digest: str = ""
    """The SHA-256 of what holds, as it is written: who a name belongs to is no part of it."""

    @staticmethod
    def empty(gates: Iterable[GateOf] = ()) -> Policies:
        """What holds without a file: what the steps say, and what is built in. A step with a fault is critical."""
        return with_digest(Policies(gates={gate.name: rules_without_file(gate) for gate in gates}))

    def for_review(self, gate: Gate, fields: Fields) -> GatePolicy:
        """The policy of one review, by what its payload says.

        A gate that no flow of the catalog has, such as one of a version that was changed since, gets what its step
        says and what is built in.
        """
        rules = self.gates.get(f"{gate.flow_name}.{gate.method}") or rules_without_file(
            GateOf(
                flow_name=gate.flow_name,
                flow_class="",
                method=gate.method,
                emit=gate.emit,
                metadata=gate.metadata,
            )
        )
        return self._merged(rules, rules.found(fields))

    def in_tier(self, gate: str, tier: Tier) -> GatePolicy:
        """The policy that this gate has in a tier that it can get. gate is `flow.method`; KeyError without one."""
        rules = self.gates[gate]
        return self._merged(rules, rules.fixed(tier))

    def shown(self) -> Iterator[GatePolicy]:
        """The policy of every gate in every tier that it can get."""
        for name in sorted(self.gates):
            for tier in self.gates[name].tiers():
                yield self.in_tier(name, tier)

    def names(self) -> frozenset[str]:
        """Every name that has to be looked up before somebody can be asked."""
        return frozenset(who.name for who in self._people()) | frozenset(self.channels)

    def with_people(self, known: Mapping[str, Who]) -> Policies:
        """The same policies with everybody as `known` has them, by the name that is written.

        Raises PolicyError with every name that is not known, each with what comes nearest.
        """
        faults = tuple(
            Fault(
                place=self.places.get(name, name),
                what=f"{name!r} is nobody in this workspace, is not active, or fits several.",
                mend=instead(name, known),
            )
            for name in sorted(self.names() - set(known))
        )
        if faults:
            raise PolicyError(faults)
        return replace(
            self,
            gates={
                name: replace(rules, file=rules.file.with_people(known), step=rules.step.with_people(known))
                for name, rules in self.gates.items()
            },
            tiers={tier: layer.with_people(known) for tier, layer in self.tiers.items()},
            operators=exchanged(self.operators, known),
            channels={known[name].id: settings for name, settings in self.channels.items()},
        )

    def _merged(self, rules: GateRules, found: TierFound) -> GatePolicy:
        layers: Sequence[Layer] = (rules.file, rules.step, self.tiers.get(found.tier, NOTHING_STATED))
        return merged(rules.gate.name, found, layers, operators=self.operators, pager=bool(self.pager))

    def _people(self) -> Iterator[Who]:
        yield from self.operators
        for layer in self.tiers.values():
            yield from layer.people()
        for rules in self.gates.values():
            yield from rules.file.people()
            yield from rules.step.people()


def rules_without_file(gate: GateOf) -> GateRules:
    """What the gate's step says alone."""
    said = step_says(gate.name, gate.metadata)
    # A step that is misread is not a cheap one.
    return GateRules(gate=gate, step=said.layer, step_tier=HIGHEST if said.faults else said.tier)


def with_digest(policies: Policies) -> Policies:
    """The same with the digest of what they say."""
    plain = {
        "gates": {
            name: {
                "tier": repr(rules.tier),
                "policies": [policies.in_tier(name, tier).digest for tier in rules.tiers()],
            }
            for name, rules in policies.gates.items()
        },
        "operators": [who.name for who in policies.operators],
        "pager": policies.pager,
        "channels": {name: [settings.language, settings.flow] for name, settings in policies.channels.items()},
    }
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return replace(policies, digest=hashlib.sha256(text.encode()).hexdigest())
