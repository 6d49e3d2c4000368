"""The browser, pages in it, and the scripted server behind them."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.fake_slack import FakeSlack

HOW_TO_GET_IT = "no Chromium found: apt-get install chromium, or set CHROMIUM to its path"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

PATIENCE_MS = 30_000
"""How long a slow machine may take for what takes no time; nothing is measured by it."""
expect.set_options(timeout=PATIENCE_MS)

OpenPage = Callable[..., Awaitable[Page]]


def chromium_path() -> str | None:
    """Where Chromium is: named by CHROMIUM, else found on the path."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


# One browser for all tests of a run: starting it costs more than most of them. Its pages share nothing.
@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    path = chromium_path()
    if path is None:
        if os.environ.get("REQUIRE_ALL"):
            pytest.fail(HOW_TO_GET_IT)
        pytest.skip(HOW_TO_GET_IT)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack().serve() as fake:
        yield fake


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, slack: FakeSlack) -> AsyncIterator[OpenPage]:
    """Makes pages on the scripted server, as a person; at the end none of them may have had an uncaught error."""
    errors: list[str] = []

    async def make(
        *, acting: str = "UBRUNO", path: str = "/#CREVIEWS", width: int = 1280, height: int = 800, **context: Any
    ) -> Page:
        made = await browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **context
        )
        contexts.append(made)
        await made.add_init_script(
            f"localStorage.getItem('sandbox.acting') ?? localStorage.setItem('sandbox.acting', '{acting}')"
        )
        page = await made.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
        await page.goto(slack.url + path)
        return page

    contexts: list[Any] = []
    yield make
    for made in contexts:
        await made.close()
    assert errors == []
