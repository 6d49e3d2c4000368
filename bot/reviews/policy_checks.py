"""What no policy may be, however it is written: above low without people, or letting pass what somebody must see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.reviews.gate_policy import GatePolicy, Tier, Who
from bot.reviews.policy import classified_approving
from bot.reviews.policy_faults import Fault, PolicyError
from bot.reviews.policy_layers import Layer
from bot.reviews.policy_metadata import is_irreversible
from bot.reviews.policy_rules import GateRules, Policies


def faults_of(policies: Policies) -> tuple[Fault, ...]:
    """Everything for which this policy may not start."""
    faults = list(_of_tiers(policies))
    for name, rules in policies.gates.items():
        for tier in rules.tiers():
            faults += _of_people(rules, policies.in_tier(name, tier))
        faults += _of_silence(rules, policies)
        faults += _of_pager(rules.file, policies)
    return tuple(dict.fromkeys(faults))


def deciders(policies: Policies) -> frozenset[Who]:
    """Everybody whom a pool or a step of a ladder asks above the low tier."""
    return frozenset(who for asks in _asking(policies) for who in asks.who)


def faults_of_people(policies: Policies, can_decide: Mapping[Who, bool | None]) -> tuple[Fault, ...]:
    """Every gate above low that somebody is named for who cannot decide it, whatever happens.

    can_decide says of each of `deciders` whether anybody behind the name may decide; None: Slack does not say.
    """
    faults: list[Fault] = []
    for asks in _asking(policies):
        unknown = [who.name for who in asks.who if can_decide.get(who) is None]
        if unknown:
            # As long as one of them is not known, nobody is.
            faults.append(
                Fault(
                    place=asks.place,
                    what=f"Slack does not say who {', '.join(unknown)} is, whom {asks.what} asks.",
                    mend="Check the app's scopes and channels, or name somebody else; then start again.",
                )
            )
        elif not any(can_decide[who] for who in asks.who):
            faults.append(
                Fault(
                    place=asks.place,
                    what=f"nobody whom {asks.what} asks can decide: {', '.join(who.name for who in asks.who)}.",
                    mend="Name a full member of this workspace, or a user group that has one.",
                )
            )
    return tuple(dict.fromkeys(faults))


def check_people(policies: Policies, can_decide: Mapping[Who, bool | None]) -> None:
    """Raise PolicyError with every fault of `faults_of_people`."""
    faults = faults_of_people(policies, can_decide)
    if faults:
        raise PolicyError(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asks:
    """Those who are asked at one moment of a gate."""

    what: str
    who: tuple[Who, ...]
    place: str


def _asking(policies: Policies) -> Iterator[_Asks]:
    for policy in policies.shown():
        if policy.tier is Tier.LOW:
            continue
        if policy.pool:
            yield _Asks(what=policy.gate, who=policy.pool, place=policy.sources["pool"])
        for at, rung in enumerate(policy.ladder, 1):
            yield _Asks(what=f"step {at} of {policy.gate}'s ladder", who=rung.who, place=policy.sources["ladder"])


def _of_tiers(policies: Policies) -> Iterator[Fault]:
    for tier, layer in policies.tiers.items():
        yield from _of_pager(layer, policies)
        if tier is not Tier.LOW and layer.stated.on_timeout == "auto_approve":
            yield Fault(
                place=layer.place_of("on_timeout"),
                what=f"the tier {tier.value!r} may not be approved by silence.",
                mend="Only low may; write `on_timeout: reject`.",
            )


def _of_people(rules: GateRules, policy: GatePolicy) -> Iterator[Fault]:
    """Somebody has to be asked, and each move has to change who is asked."""
    tier = policy.tier
    place = rules.file.place or rules.step.place or policy.gate
    if tier is not Tier.LOW and not policy.pool:
        can = "is" if len(rules.tiers()) == 1 else "can get"
        yield Fault(
            place=policy.sources["pool"] or policy.sources["tier"] or place,
            what=f"{policy.gate} {can} {tier.value} and nobody may decide it.",
            mend='Name reviewers: `pool: ["@handle"]` in the policy file, or `reviewers` in the step\'s metadata.',
        )
    for reminder in policy.reminders:
        if reminder >= policy.review_time:
            yield Fault(
                place=policy.sources["reminders"],
                what=f"{policy.gate} would be reminded after its {tier.value} review time has ended.",
                mend="Shorten the reminder, or lengthen `review_time`.",
            )
    before = policy.pool
    for at, rung in enumerate(policy.ladder, 1):
        if before is not None and _names(before) == _names(rung.who) and policy.sources["ladder"] != f"tier {tier}":
            yield Fault(
                place=policy.sources["ladder"],
                what=f"step {at} of {policy.gate}'s ladder asks those who were asked before.",
                mend="Name somebody else: who lets it pass once is not helped by a second message.",
            )
        before = rung.who


def _of_silence(rules: GateRules, policies: Policies) -> Iterator[Fault]:
    """What nobody looks at is low, bounded, explained, and can be undone. Source: threats, T26."""
    name, gate = rules.gate.name, rules.gate.gate
    if Tier.LOW not in rules.tiers():
        for key, value in (("autonomy", rules.file.stated.autonomy), ("on_timeout", rules.file.stated.on_timeout)):
            if value in ("auto", "auto_approve"):
                yield Fault(
                    place=rules.file.place_of(key),
                    what=f"{name} is never low, so nothing of it may pass unseen.",
                    mend="Remove the line.",
                )
        return
    policy = policies.in_tier(name, Tier.LOW)
    if policy.autonomy == "ask" and policy.on_timeout == "reject":
        return
    place = policy.sources["autonomy" if policy.autonomy == "auto" else "on_timeout"]
    if policy.limit is None:
        yield Fault(
            place=place,
            what=f"{name} would pass unseen without a limit.",
            mend="Write `limit: {field: amount, up_to: 50, sum_up_to: 200, window: 1d}`.",
        )
    if not policy.limit_reason:
        yield Fault(place=place, what=f"{name} would pass unseen for no reason.", mend="Write `reason:` and why.")
    label = classified_approving(gate)
    if label is None:
        yield Fault(
            place=place,
            what=f"{name} has no outcome that is known to approve, and none is guessed.",
            mend='State one in the step: metadata={"dispositions": {"<label>": "approve"}}.',
        )
    elif is_irreversible(rules.gate.metadata, label):
        yield Fault(
            place=place,
            what=f"{name}: {label!r} cannot be undone, says the step's `confirm`, so a person has to choose it.",
            mend="Remove the line.",
        )


def _of_pager(layer: Layer, policies: Policies) -> Iterator[Fault]:
    if not policies.pager and any(rung.pager for rung in layer.stated.ladder or ()):
        yield Fault(
            place=layer.place_of("ladder"),
            what="a pager is called that is not set.",
            mend="Write `pager: https://…` above.",
        )


def _names(people: tuple[Who, ...]) -> frozenset[str]:
    return frozenset(who.name for who in people)
