"""A review from its start to its record, in a real browser, with the real bot behind the page. Screenshots are kept."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from bot.testing import Scenario, scenario
from tests.browser.conftest import PATIENCE_MS

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SHOTS = Path(__file__).parents[2] / "shots"


@pytest_asyncio.fixture(loop_scope="session")
async def running(tmp_path: Path) -> AsyncIterator[Scenario]:
    async with scenario(tmp_path) as made:
        yield made


async def person(browser: Browser, running: Scenario, user: str, *, width: int = 1280, scheme: str = "light") -> Page:
    """A page on which this person is at the keyboard."""
    context = await browser.new_context(
        viewport={"width": width, "height": 844 if width < 700 else 800},
        reduced_motion="reduce",
        color_scheme="dark" if scheme == "dark" else "light",
    )
    await context.add_init_script(f"localStorage.setItem('sandbox.acting', '{user}')")
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.goto(f"{running.sandbox.url}/#CGENERAL")
    return page


async def shoot(page: Page, name: str) -> None:
    """Keep what the page shows."""
    SHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")], ids=["wide-light", "phone-dark"])
async def test_a_draft_is_started_sent_back_and_published(
    browser: Browser, running: Scenario, width: int, scheme: str
) -> None:
    page = await person(browser, running, "UBRUNO", width=width, scheme=scheme)
    look = f"{width}.{scheme}"
    await shoot(page, f"1-empty.{look}")

    await page.get_by_role("button", name="Start the sample review").click()
    await page.get_by_role("button", name="1 reply").click()
    await expect(page.get_by_text("Publish this draft?").first).to_be_visible()
    await shoot(page, f"2-pending.{look}")

    box = page.get_by_placeholder("Reply")
    await box.fill("more about privacy")
    await box.press("Enter")
    await expect(page.get_by_text("I can't tell if that is a yes")).to_be_visible()
    await shoot(page, f"3-asked-back.{look}")

    await page.get_by_role("button", name=re.compile("^Ask for changes,")).last.click()
    await expect(page.get_by_text("version 2", exact=False).last).to_be_visible()
    await expect(page.get_by_text("It takes up what the review asked for: more about privacy")).to_be_visible()
    await shoot(page, f"4-version-2.{look}")

    await page.get_by_role("button", name=re.compile("^Publish,")).last.click()
    await expect(page.get_by_text("Published “Safe AI in schools” (version 2).").last).to_be_visible()
    await expect(page.get_by_text("Bruno approved").first).to_be_visible()
    await expect(page.get_by_text("was waiting for review").last).to_be_visible()
    await shoot(page, f"5-published.{look}")

    overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    await page.context.close()


async def test_whoever_is_second_reads_who_was_first_in_their_own_language(browser: Browser, running: Scenario) -> None:
    thread = await running.start("Ana", "general", "content_review topic=Bees")
    card = await running.card(thread)
    carla = await person(browser, running, "UCARLA")
    await carla.get_by_role("button", name="1").first.wait_for()
    await running.press("Bruno", card, "Publish")
    await running.until(lambda: running.shows(thread, "Published"))

    await running.press("Carla", card, "Reject")
    await carla.get_by_role("button", name=re.compile("댓글|답글|개")).first.click()

    await expect(carla.get_by_text("이미 승인했습니다").first).to_be_visible()
    await shoot(carla, "6-late.ko.1280.light")
    await carla.context.close()
