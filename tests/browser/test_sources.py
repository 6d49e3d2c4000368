"""What the page's sources promise: no way for text to become markup, and one word table with no gap."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import PAGE

SOURCES = sorted(path.name for path in PAGE.iterdir() if path.suffix in {".js", ".html", ".css"})
UNSAFE = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|\balert\(")
ELSEWHERE = re.compile(r"(?:src|href|url\(|from|import)\s*=?\s*[\"'(]?https?://")


@pytest.mark.parametrize("name", SOURCES)
def test_sources_use_no_markup_from_text_and_no_file_from_elsewhere(name: str):
    source = (PAGE / name).read_text(encoding="utf-8")

    assert UNSAFE.findall(source) == []
    assert ELSEWHERE.findall(source) == []


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_every_language_has_every_word(open_page: OpenPage):
    page = await open_page()
    await expect(page.get_by_role("log")).to_be_visible()

    keys = await page.evaluate(
        """async () => {
          const { LANGUAGES, wordsFor } = await import("/ui/words.js");
          const keys = (table, prefix = "") => Object.entries(table).flatMap(([key, value]) =>
            typeof value === "object" ? keys(value, `${prefix}${key}.`) : `${prefix}${key}`);
          return Object.fromEntries(LANGUAGES.map(name => [name, keys(wordsFor(name)).sort()]));
        }"""
    )

    assert sorted(keys) == ["en", "ko", "pt"]
    assert keys["pt"] == keys["en"]
    assert keys["ko"] == keys["en"]
