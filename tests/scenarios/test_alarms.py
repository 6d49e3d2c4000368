"""What must be heard: by whoever is asked, by the operators, by the pager, whatever else is stuck."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.reviews.model import ReviewState
from bot.testing.scenario import Scenario, Thread, scenario
from bot.testing.transcript import text_of
from flows.examples import RefundApprovalFlow

POLICY = """
operators: ["@carla"]
pager: {pager}
gates:
  refund_approval.propose:
    tier: critical
    pool: ["@bruno"]
    escalate_to: [{{ask: ["@carla"], review_time: 5m, pager: true}}]
"""


class Pager:
    """A pager on this machine, with the status that it answers."""

    def __init__(self) -> None:
        self.status, self.calls = 200, 0
        self.url = ""

    async def paged(self, _request: web.Request) -> web.Response:
        self.calls += 1
        return web.Response(status=self.status)


@asynccontextmanager
async def served(pager: Pager) -> AsyncGenerator[None, None]:
    app = web.Application()
    app.router.add_post("/page", pager.paged)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    pager.url = f"http://127.0.0.1:{runner.addresses[0][1]}/page"
    try:
        yield
    finally:
        await runner.cleanup()


@pytest.fixture
async def pager() -> AsyncGenerator[Pager, None]:
    made = Pager()
    async with served(made):
        yield made


@pytest.fixture
async def slack(tmp_path, pager) -> AsyncGenerator[Scenario, None]:
    async with scenario(tmp_path, RefundApprovalFlow, policy=POLICY.format(pager=pager.url)) as made:
        yield made


async def started(slack: Scenario, channel: str = "general", customer: str = "Acme") -> Thread:
    thread = await slack.start("Ana", channel, f"refund_approval customer={customer} amount=10.00")
    await slack.card(thread)
    await slack.bot.dispatcher.drain()
    return thread


async def direct(slack: Scenario, user: str) -> str:
    return "\n".join(text_of(one) for one in await slack.slack.messages(f"D{user.upper()}"))


async def test_a_dead_pager_keeps_nobody_from_deciding(slack, pager) -> None:
    pager.status = 503
    thread = await started(slack)
    await slack.pass_time(minutes=5)

    await slack.press("Carla", await slack.card(thread), "Refund")
    await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

    assert pager.calls >= 1


async def test_a_pager_that_stays_dead_is_told_to_the_operators(slack, pager) -> None:
    pager.status = 503
    await started(slack)
    await slack.pass_time(minutes=5)

    await slack.pass_time(seconds=20)
    await slack.pass_time(seconds=20)
    await slack.pass_time(seconds=20)
    await slack.pass_time(seconds=20)

    assert pager.calls == 5
    assert "R-1" in await direct(slack, "Carla")


async def test_an_alert_goes_out_while_everything_is_paused(slack) -> None:
    thread = await started(slack)
    await slack.command("Carla", "general", "pause")

    await slack.pass_time(minutes=5)
    await slack.pass_time(minutes=5)

    assert "🚨 R-1" in await direct(slack, "Carla")
    assert (await slack.review(1)).state is ReviewState.AUTO_REJECTED
    assert not await slack.shows(thread, "No refund")


async def test_many_at_once_are_one_line_in_the_channel_one_alert_and_every_page(slack, pager) -> None:
    threads = [await started(slack, customer=f"N{n}") for n in range(7)]

    await slack.pass_time(minutes=5)
    moved = [text_of(one) for one in await slack.slack.messages("general")]
    await slack.pass_time(minutes=5)
    alerts = (await direct(slack, "Carla")).count("🚨")

    assert sum("7 reviews here have moved on" in text for text in moved) == 1
    assert not await slack.shows(threads[0], "is yours to decide now")
    assert pager.calls == 7
    assert alerts == 1


async def test_a_run_whose_channel_was_archived_still_ends_and_the_operators_hear_of_it(slack) -> None:
    await started(slack)
    await slack.slack.put_channel("general", is_archived=True)

    await slack.pass_time(minutes=5)
    await slack.pass_time(minutes=5)

    assert (await slack.review(1)).state is ReviewState.CANCELLED
    told = await direct(slack, "Carla")
    assert "🚨 R-1" in told
    assert "F-1" in told
