"""A policy that names people, none of whom can decide, does not start."""

from textwrap import dedent

import pytest

from bot.reviews import policy_checks, policy_file
from bot.reviews.gate_policy import Who
from bot.reviews.policy_faults import PolicyError
from bot.reviews.policy_rules import GateOf, Policies

REFUND = GateOf(flow_name="refund", flow_class="RefundFlow", method="review", emit=("approved", "rejected"))
NAMES = ("@ana", "@gil", "@editors", "@silent")
FULL = {"@ana": True, "@gil": False, "@editors": False, "@silent": None}
"""Whether anybody behind each name can decide."""


def named(text: str) -> Policies:
    people = {name: Who(kind="group", id=f"S{name[1:].upper()}", name=name) for name in NAMES}
    return policy_file.read(dedent(text).encode(), "reviews.yml", (REFUND,)).with_people(people)


def found(gate: str) -> list[str]:
    policies = named(f"operators: ['@ana']\ngates:\n  refund.review: {gate}\n")
    able = {who: FULL[who.name] for who in policy_checks.deciders(policies)}
    return [str(fault) for fault in policy_checks.faults_of_people(policies, able)]


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        pytest.param(
            "{tier: high, pool: ['@gil', '@editors'], escalate_to: ['@ana']}",
            "reviews.yml:3: nobody whom refund.review asks can decide: @gil, @editors.",
            id="a-pool-of-guests",
        ),
        pytest.param(
            "{tier: high, pool: ['@ana'], escalate_to: ['@gil']}",
            "reviews.yml:3: nobody whom step 1 of refund.review's ladder asks can decide: @gil.",
            id="a-step-of-guests",
        ),
        pytest.param(
            "{tier: medium, pool: ['@ana', '@silent'], escalate_to: ['@ana']}",
            "reviews.yml:3: Slack does not say who @silent is, whom refund.review asks.",
            id="a-group-that-slack-does-not-answer-for",
        ),
    ],
)
def test_a_gate_that_nobody_can_decide_is_a_fault_that_names_it(gate, says) -> None:
    assert found(gate)[0].startswith(says)


@pytest.mark.parametrize(
    "gate",
    [
        pytest.param("{tier: high, pool: ['@gil', '@ana'], escalate_to: ['@ana']}", id="one-can"),
        pytest.param("{pool: ['@gil'], escalate_to: ['@silent']}", id="low"),
    ],
)
def test_one_who_can_is_enough_and_low_is_not_looked_at(gate) -> None:
    assert found(gate) == []


def test_all_faults_are_told_at_once() -> None:
    policies = named("""
        operators: ["@ana"]
        gates:
          refund.review: {tier: critical, pool: ["@gil"], escalate_to: ["@editors"]}
        """)

    with pytest.raises(PolicyError) as refused:
        policy_checks.check_people(policies, {who: FULL[who.name] for who in policy_checks.deciders(policies)})

    assert len(refused.value.faults) == 2
