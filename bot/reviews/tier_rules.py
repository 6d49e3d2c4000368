"""Which tier a payload gets: by an amount in it, or by what one of its fields says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Literal

from bot.reviews.gate_policy import Limit, Tier


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING
"""What a field gives that is not there."""

Fields = Callable[[str], Any]
"""A dotted field of the output, or `state.<field>`; MISSING when it is not there."""

HIGHEST = Tier.CRITICAL
"""What a rule gives that cannot read its field. Source: HITL essay: silence is never the cheap way out."""
_PLAIN = re.compile(r"[0-9]{1,18}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Amounts up to a bound, and their tier."""

    up_to: Decimal | None
    """The last amount that belongs to it; None: everything above the others."""
    tier: Tier
    risk_score: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRule:
    """The tier follows an amount."""

    field: str
    bands: tuple[Band, ...]
    """Ascending."""
    currency: str = ""
    currency_field: str = "currency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One value of a field, and its tier."""

    value: str | bool
    tier: Tier
    risk_score: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRule:
    """The tier follows what a field says: a word, or yes and no."""

    field: str
    cases: tuple[Case, ...]


TierRule = AmountRule | ValueRule

Trouble = Literal["missing", "unreadable", "negative", "in another currency", "not foreseen", ""]
"""Why a rule gave the highest tier; empty when it could read its field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a rule made of one payload."""

    tier: Tier
    risk_score: int | None
    trouble: Trouble = ""


def tier_of(rule: TierRule, payload: Fields) -> Found:
    """The tier of this payload; the highest one when the rule cannot read its field.

    Source: threats, T26: neither a missing amount nor one of another currency, a negative or a malformed one is cheap.
    """
    match rule:
        case AmountRule():
            amount, trouble = _amount(rule.field, rule.currency, rule.currency_field, payload)
            if amount is None:
                return _highest(trouble)
            for band in rule.bands:
                if band.up_to is None or amount <= band.up_to:
                    return Found(tier=band.tier, risk_score=band.risk_score)
        case ValueRule():
            value = payload(rule.field)
            if value is MISSING:
                return _highest("missing")
            value = value.value if isinstance(value, Enum) else value
            for case in rule.cases:
                # True equals 1 in Python, and not in a policy.
                if type(value) is type(case.value) and value == case.value:
                    return Found(tier=case.tier, risk_score=case.risk_score)
    return _highest("not foreseen")


def tiers_of(rule: TierRule) -> frozenset[Tier]:
    """Every tier that the rule can give; the highest is always one of them."""
    parts = rule.bands if isinstance(rule, AmountRule) else rule.cases
    return frozenset({HIGHEST, *(part.tier for part in parts)})


def amount_of(limit: Limit, payload: Fields) -> Decimal | None:
    """The amount that counts against a limit.

    None when it is missing, malformed, not finite, negative or of another currency: then no limit lets it pass.
    """
    return _amount(limit.field, limit.currency, limit.currency_field, payload)[0]


def _amount(field: str, currency: str, currency_field: str, payload: Fields) -> tuple[Decimal | None, Trouble]:
    value = payload(field)
    if value is MISSING or value is None:
        return None, "missing"
    amount = _number(value)
    if amount is None:
        return None, "unreadable"
    if amount < 0:
        return None, "negative"
    if currency:
        said = payload(_beside(field, currency_field))
        said = said.value if isinstance(said, Enum) and said is not MISSING else said
        if not isinstance(said, str) or said.strip().upper() != currency.upper():
            return None, "in another currency"
    return amount, ""


def _beside(field: str, name: str) -> str:
    """The field of that name in the same place; a dotted name is one already."""
    place, dot, _ = field.rpartition(".")
    return name if "." in name else f"{place}{dot}{name}"


def _number(value: Any) -> Decimal | None:
    """The number, unless it is none that a person would call one: yes and no, NaN, infinity, `1e3`, `1,000`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, (float, Decimal)):
        number = value if isinstance(value, Decimal) else Decimal(str(float(value)))
        return number if number.is_finite() else None
    if isinstance(value, str) and _PLAIN.fullmatch(value.strip()):
        return Decimal(value.strip())
    return None


def _highest(trouble: Trouble) -> Found:
    return Found(tier=HIGHEST, risk_score=100, trouble=trouble)
