"""Which tier a payload gets, and which amount counts against a limit."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reviews.gate_policy import Limit, Tier
from bot.reviews.policy_rules import MISSING, Fields, amount_of
from bot.reviews.tier_rules import HIGHEST, AmountRule, Band, Case, ValueRule, tier_of, tiers_of


class Currency(Enum):
    DOLLAR = "USD"


REFUNDS = AmountRule(
    field="amount",
    currency="USD",
    bands=(
        Band(up_to=Decimal(50), tier=Tier.LOW),
        Band(up_to=Decimal(500), tier=Tier.MEDIUM, risk_score=40),
        Band(up_to=None, tier=Tier.HIGH, risk_score=80),
    ),
)
PLACES = ValueRule(
    field="is_public", cases=(Case(value=True, tier=Tier.HIGH), Case(value=False, tier=Tier.LOW, risk_score=5))
)
KINDS = ValueRule(field="kind", cases=(Case(value="note", tier=Tier.LOW), Case(value="contract", tier=Tier.HIGH)))
LIMIT = Limit(
    field="state.refund.amount",
    up_to=Decimal(50),
    sum_up_to=Decimal(200),
    window=timedelta(days=1),
    currency="USD",
)


def payload(values: Mapping[str, Any]) -> Fields:
    return lambda name: values.get(name, MISSING)


@pytest.mark.parametrize(
    ("amount", "tier", "score"),
    [
        pytest.param(0, Tier.LOW, None, id="nothing"),
        pytest.param(50, Tier.LOW, None, id="the-bound-belongs-below"),
        pytest.param(50.01, Tier.MEDIUM, 40, id="a-cent-above"),
        pytest.param("420.00", Tier.MEDIUM, 40, id="digits-in-a-word"),
        pytest.param(Decimal("500.000001"), Tier.HIGH, 80, id="decimal"),
        pytest.param(10**400, Tier.HIGH, 80, id="huge"),
    ],
)
def test_the_band_that_holds_the_amount_gives_the_tier(amount, tier, score):
    found = tier_of(REFUNDS, payload({"amount": amount, "currency": "USD"}))

    assert (found.tier, found.risk_score, found.trouble) == (tier, score, "")


@pytest.mark.parametrize(
    ("values", "trouble"),
    [
        pytest.param({"currency": "USD"}, "missing", id="missing"),
        pytest.param({"amount": None, "currency": "USD"}, "missing", id="none"),
        pytest.param({"amount": float("nan"), "currency": "USD"}, "unreadable", id="nan"),
        pytest.param({"amount": Decimal("NaN"), "currency": "USD"}, "unreadable", id="decimal-nan"),
        pytest.param({"amount": Decimal("sNaN"), "currency": "USD"}, "unreadable", id="signalling-nan"),
        pytest.param({"amount": float("inf"), "currency": "USD"}, "unreadable", id="infinite"),
        pytest.param({"amount": True, "currency": "USD"}, "unreadable", id="yes-is-no-number"),
        pytest.param({"amount": "about 40", "currency": "USD"}, "unreadable", id="prose"),
        pytest.param({"amount": "1,000", "currency": "USD"}, "unreadable", id="comma"),
        pytest.param({"amount": "1e1", "currency": "USD"}, "unreadable", id="exponent"),
        pytest.param({"amount": "٤٠", "currency": "USD"}, "unreadable", id="other-digits"),
        pytest.param({"amount": "-40", "currency": "USD"}, "unreadable", id="minus-in-a-word"),
        pytest.param({"amount": [40], "currency": "USD"}, "unreadable", id="list"),
        pytest.param({"amount": -40, "currency": "USD"}, "negative", id="negative"),
        pytest.param({"amount": 40, "currency": "EUR"}, "in another currency", id="another-currency"),
        pytest.param({"amount": 40}, "in another currency", id="no-currency"),
        pytest.param({"amount": 40, "currency": 1}, "in another currency", id="currency-is-no-word"),
    ],
)
def test_an_amount_that_cannot_be_trusted_is_critical(values, trouble):
    found = tier_of(REFUNDS, payload(values))

    assert (found.tier, found.risk_score, found.trouble) == (Tier.CRITICAL, 100, trouble)


def test_an_amount_above_every_band_is_critical():
    rule = AmountRule(field="amount", bands=(Band(up_to=Decimal(5), tier=Tier.LOW),))

    assert tier_of(rule, payload({"amount": 6})).tier is Tier.CRITICAL


@given(amount=st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none(), st.decimals()))
def test_no_amount_gets_a_lower_tier_than_a_smaller_one(amount):
    found = tier_of(REFUNDS, payload({"amount": amount, "currency": "USD"}))

    assert found.tier.rank >= tier_of(REFUNDS, payload({"amount": 0, "currency": "USD"})).tier.rank
    assert (found.tier is HIGHEST) == bool(found.trouble)


@pytest.mark.parametrize(
    ("rule", "value", "tier"),
    [
        pytest.param(PLACES, True, Tier.HIGH, id="yes"),
        pytest.param(PLACES, False, Tier.LOW, id="no"),
        pytest.param(PLACES, 0, Tier.CRITICAL, id="zero-is-not-no"),
        pytest.param(PLACES, "false", Tier.CRITICAL, id="a-word-is-not-no"),
        pytest.param(KINDS, "note", Tier.LOW, id="word"),
        pytest.param(KINDS, "Note", Tier.CRITICAL, id="another-case"),
        pytest.param(KINDS, MISSING, Tier.CRITICAL, id="missing"),
        pytest.param(KINDS, None, Tier.CRITICAL, id="none"),
    ],
)
def test_what_a_field_says_gives_the_tier(rule, value, tier):
    assert tier_of(rule, lambda _: value).tier is tier


def test_every_rule_can_give_the_highest_tier():
    assert tiers_of(KINDS) == {Tier.LOW, Tier.HIGH, Tier.CRITICAL}


@pytest.mark.parametrize(
    ("values", "amount"),
    [
        pytest.param({"state.refund.amount": 40, "state.refund.currency": "usd"}, Decimal(40), id="beside-it"),
        pytest.param(
            {"state.refund.amount": 0.1, "state.refund.currency": Currency.DOLLAR}, Decimal("0.1"), id="enum-and-float"
        ),
        pytest.param({"state.refund.amount": 40, "currency": "USD"}, None, id="currency-elsewhere"),
        pytest.param({"state.refund.amount": -1, "state.refund.currency": "USD"}, None, id="negative"),
        pytest.param({"state.refund.amount": float("nan"), "state.refund.currency": "USD"}, None, id="nan"),
        pytest.param({"state.refund.amount": True, "state.refund.currency": "USD"}, None, id="yes"),
        pytest.param({}, None, id="missing"),
    ],
)
def test_only_a_plain_amount_of_the_right_currency_counts_against_a_limit(values, amount):
    assert amount_of(LIMIT, payload(values)) == amount
