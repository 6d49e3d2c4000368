"""An operator at a terminal, beside the bot that serves the same database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest
from typer.testing import CliRunner

from bot import SlackFeedbackProvider
from bot.cli import app
from bot.reviews.model import ReviewState
from bot.testing.scenario import Scenario, scenario
from flows import Flow, human_feedback, start
from flows.examples import RefundApprovalFlow

POLICY = """
operators: ["@carla"]
gates:
  refund_approval.propose:
    tier: critical
    pool: ["@bruno"]
    escalate_to:
      - {ask: ["@carla"], review_time: 5m}
"""


class ElsewhereFlow(Flow):
    """A gate whose card stands in another channel."""

    name = "elsewhere"

    @start()
    @human_feedback(message="Go on?", emit=["approved", "rejected"], provider=SlackFeedbackProvider("#content-reviews"))
    def ask(self) -> str:
        return "A text."


@pytest.fixture
async def slack(tmp_path) -> AsyncGenerator[Scenario, None]:
    async with scenario(tmp_path, RefundApprovalFlow, policy=POLICY) as made:
        yield made


async def placet(slack: Scenario, *words: str):
    """What `placet …` says about the bot's database."""
    return await asyncio.to_thread(CliRunner().invoke, app, [*words, "--db", str(slack.database)])


async def test_what_waits_is_listed_and_shown(slack) -> None:
    await slack.card(await slack.start("Ana", "general", "refund_approval amount=10.00"))

    listed = await placet(slack, "reviews", "list")
    shown = await placet(slack, "reviews", "show", "R-1", "--json")

    assert "R-1     pending_review  refund_approval.propose  critical  UBRUNO" in listed.stdout
    assert json.loads(shown.stdout)["asked"] == ["UBRUNO"]


async def test_one_review_says_the_same_of_who_decides_as_in_slack(slack) -> None:
    await slack.card(await slack.start("Ana", "general", "refund_approval amount=10.00"))

    here = json.loads((await placet(slack, "reviews", "show", "R-1", "--json")).stdout)["autonomy"]

    assert here == "a person decides"
    assert f"critical risk · {here}" in await slack.command("Bruno", "general", "show R-1")
    assert f"critical risk · {here}" in await slack.command("Bruno", "general", "history R-1")


async def test_of_a_card_that_nobody_sees_nobody_is_reminded(tmp_path) -> None:
    async with scenario(tmp_path, ElsewhereFlow) as slack:
        await slack.slack.put_channel("content-reviews", is_archived=True)
        await slack.start("Ana", "general", "elsewhere")
        await slack.bot.dispatcher.drain()

        here = await placet(slack, "reviews", "remind", "R-1")
        in_slack = await slack.command("Ana", "general", "remind R-1")

        assert str(here.exception) == "The card of R-1 is not posted yet. Nobody was reminded."
        assert in_slack == "O cartão de R-1 ainda não foi publicado. Ninguém foi lembrado."
        assert "reminded" not in [line.kind for line in await slack.record(1)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param((), "Everything is paused. Go on with: placet continue\n", id="its-own-workspace"),
        pytest.param(("--team", "T2"), "Everything is paused. Go on with: placet continue\n", id="another"),
    ],
)
async def test_everything_is_paused_before_there_is_any_review(words, says, slack) -> None:
    assert (await placet(slack, "pause", *words)).stdout == says


async def test_a_database_that_no_bot_has_served_asks_for_its_workspace(tmp_path) -> None:
    path = tmp_path / "new.db"
    path.touch()

    without = await asyncio.to_thread(CliRunner().invoke, app, ["pause", "--db", str(path)])
    named = await asyncio.to_thread(CliRunner().invoke, app, ["pause", "--db", str(path), "--team", "T1"])

    assert "Name it with --team" in str(without.exception)
    assert named.stdout.startswith("Everything is paused.")


async def test_a_review_is_moved_on_and_whoever_is_asked_then_hears_of_it(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
    await slack.card(thread)

    said = await placet(slack, "reviews", "escalate", "R-1")

    assert said.stdout == "R-1 is for @carla now.\n"
    await slack.until(lambda: slack.shows(thread, "<@UCARLA>: R-1 is yours to decide now"))
    entry = next(line for line in await slack.record(1) if line.kind == "escalated")
    assert entry.actor.startswith("cli/")


async def test_a_cancelled_review_ends_its_run_in_the_thread(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
    await slack.card(thread)

    await placet(slack, "reviews", "cancel", "r1")

    await slack.until(lambda: slack.shows(thread, "The run ends here."))
    assert (await slack.review(1)).state is ReviewState.CANCELLED
    await slack.until(lambda: slack.shows(thread, "Refund approval* · started by Ana · cancelled"))


async def test_what_is_paused_starts_when_it_goes_on_and_decisions_are_kept_meanwhile(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
    card = await slack.card(thread)

    await placet(slack, "pause")
    await slack.press("Bruno", card, "Decline")
    await slack.submit_reason("Bruno", "not_allowed", "No budget left.")
    await slack.bot.dispatcher.drain()
    decided = (await slack.review(1)).state
    await placet(slack, "continue")
    await slack.until(lambda: slack.shows(thread, "No refund for"))

    assert decided is ReviewState.REJECTED
    assert (await placet(slack, "reviews", "stats")).stdout.splitlines()[1].split() == [
        "refund_approval.propose",
        "not_allowed",
        "1",
    ]


async def test_a_block_is_lifted_once(slack) -> None:
    thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
    await slack.card(thread)
    await slack.pass_time(minutes=5)
    await slack.pass_time(minutes=5)
    await slack.until(lambda: slack.shows(thread, "Approving “refund_approval.propose” is blocked now"))

    first = await placet(slack, "reviews", "lift", "R-1")
    second = await placet(slack, "reviews", "lift", "R-1")

    assert first.stdout == "The block since R-1 is lifted.\n"
    assert str(second.exception) == "R-1 blocks nothing."


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(("show", "R-9"), "There is no review R-9", id="unknown-number"),
        pytest.param(("show", "seven"), "There is no review seven", id="no-number"),
        pytest.param(("reassign", "R-1", "bruno"), "'bruno' is no id", id="no-id"),
        pytest.param(("reassign", "R-1", "UANA"), "lets nobody approve their own request", id="to-the-requester"),
    ],
)
async def test_what_cannot_be_done_says_why(words, says, slack) -> None:
    await slack.card(await slack.start("Ana", "general", "refund_approval amount=10.00"))

    assert says in str((await placet(slack, "reviews", *words)).exception)
