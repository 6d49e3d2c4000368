"""Hours of a review's life: reminder, escalation, its end, and what the history says afterwards."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from bot.reviews.model import ReviewState
from bot.testing.scenario import Scenario, scenario
from flows.examples import RefundApprovalFlow

POLICY = """
operators: ["@carla"]
gates:
  refund_approval.propose:
    tier:
      field: amount
      currency: USD
      bands:
        - {up_to: 500, tier: medium, risk_score: 40}
        - {tier: high, risk_score: 80}
    pool: ["@bruno"]
    escalate_to:
      - {ask: ["@carla"], review_time: 15m}
"""


@pytest.fixture
async def slack(tmp_path) -> AsyncGenerator[Scenario, None]:
    async with scenario(tmp_path, RefundApprovalFlow, policy=POLICY) as made:
        yield made


async def test_a_large_refund_goes_to_a_second_person_when_the_first_does_not_answer(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval customer=Acme amount=4200.00")
    card = await slack.card(thread)

    await slack.pass_time(minutes=8)
    assert await slack.shows(thread, "<@UBRUNO>: R-1 waits for a decision until")
    await slack.pass_time(minutes=7)
    assert await slack.shows(thread, "<@UCARLA>: R-1 is yours to decide now, until")
    await slack.press("Bruno", card, "Refund")
    assert "This has moved on to <@UCARLA>" in await slack.transcript(thread, user="Bruno")
    await slack.press("Carla", await slack.card(thread), "Refund")
    await slack.until(lambda: slack.shows(thread, "Refunded 4,200.00 USD to Acme."))

    kinds = [(entry.kind, entry.actor) for entry in await slack.record(1)]
    assert kinds == [
        ("opened", "TSANDBOX/UANA"),
        ("posted", "system"),
        ("reminded", "system"),
        ("escalated", "system"),
        ("assigned", "system"),
        ("denied", "TSANDBOX/UBRUNO"),
        ("decided", "TSANDBOX/UCARLA"),
        ("started", "system"),
        ("completed", "system"),
    ]
    history = await slack.command("Bruno", "general", "history R-1")
    assert "was asked before: <@UBRUNO> · no answer in time" in history
    assert "decided · Carla · Refund · waiting for review → approved" in history


async def test_a_large_refund_that_nobody_answers_is_rejected_and_the_operators_hear_of_it(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval customer=Acme amount=4200.00")
    await slack.card(thread)

    await slack.pass_time(minutes=15)
    await slack.pass_time(minutes=15)
    await slack.until(lambda: slack.shows(thread, "No refund for Acme"))

    assert (await slack.review(1)).state is ReviewState.CANCELLED
    transcript = await slack.transcript(thread)
    assert "Nobody answered in time: rejected" in transcript
    assert "Refunded" not in transcript
    assert [entry.kind for entry in await slack.record(1)] == [
        "opened",
        "posted",
        # A reminder that fell into the same quarter of an hour is not sent after the move.
        "escalated",
        "assigned",
        "auto_rejected",
        "started",
        "closed",
    ]
    history = await slack.command("Bruno", "general", "history R-1")
    assert "rejected by policy · by the bot · Decline" in history
