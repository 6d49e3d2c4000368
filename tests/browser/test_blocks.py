"""How Block Kit is drawn: every block, each with the marks that people, readers and tests find it by."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_card_shows_question_terms_and_named_buttons(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)

    page = await open_page()

    card = page.get_by_role("article")
    await expect(card.locator("strong").first).to_have_text(cards.QUESTION)
    await expect(card.get_by_text("no answer: rejected")).to_contain_text("@Bruno or @editors · by 21:26")
    await expect(card.get_by_role("button", name=f"Publish, {cards.QUESTION}")).to_be_visible()
    await expect(card.get_by_role("button", name=f"Ask for changes, {cards.QUESTION}")).to_be_visible()


async def test_every_interactive_node_carries_its_action_and_block(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)

    page = await open_page()
    await page.get_by_role("article").wait_for()

    marks = await page.locator("article .content :is(button, select, input)").evaluate_all(
        "nodes => nodes.map(node => [node.dataset.blockId, node.dataset.actionId])"
    )
    assert marks == [
        ["draft", "read_all"],
        ["decide", "approve"],
        ["decide", "reject"],
        ["decide", "revise"],
        ["decide", "more"],
    ]


RICH: dict[str, Any] = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "bold", "style": {"bold": True}},
                {"type": "text", "text": " and "},
                {"type": "user", "user_id": "UANA"},
                {"type": "link", "url": "https://example.com/a", "text": "here"},
            ],
        },
        {
            "type": "rich_text_list",
            "style": "ordered",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "first"}]}],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "code"}]},
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "said"}]},
    ],
}
MARKDOWN = (
    "# Title\n**bold** and *italic*, ~~gone~~, `code`\n- one\n- two\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](javascript:y)"
)


@pytest.mark.parametrize(
    ("block", "selector", "texts"),
    [
        pytest.param(
            {"type": "header", "text": {"type": "plain_text", "text": "Head"}}, "[role=heading]", ["Head"], id="header"
        ),
        pytest.param({"type": "divider"}, ".content hr", [""], id="divider"),
        pytest.param(
            {
                "type": "section",
                "fields": [{"type": "mrkdwn", "text": "*Amount*\n12"}, {"type": "plain_text", "text": "*Who*"}],
            },
            ".fields > *",
            ["Amount12", "*Who*"],
            id="fields",
        ),
        pytest.param(
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "small _print_"}]},
            ".context em",
            ["print"],
            id="context",
        ),
        pytest.param(
            {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "A chart"},
            "[role=img]",
            ["A chart (image, not loaded here · example.com)"],
            id="image-elsewhere-is-named-not-loaded",
        ),
        pytest.param(
            RICH,
            ".rich strong, .rich a, .rich li, .rich pre, .rich blockquote",
            ["bold", "here", "first", "code", "said"],
            id="rich_text",
        ),
        pytest.param(
            {"type": "markdown", "text": MARKDOWN},
            ".rich strong, .rich em, .rich s, .rich code",
            ["bold", "italic", "gone", "code"],
            id="markdown-styles",
        ),
        pytest.param(
            {"type": "markdown", "text": MARKDOWN},
            ".rich li, .rich td",
            ["one", "two", "1", "2"],
            id="markdown-lists-and-tables",
        ),
        pytest.param({"type": "markdown", "text": MARKDOWN}, ".rich a", [], id="markdown-link-to-script-is-text"),
        pytest.param(cards.TABLE[0], "th, td", ["Region", "Amount", "North", "1,200", "South", "860"], id="table"),
        pytest.param(
            {"type": "carousel", "elements": []}, ".unknown-block", ["This page cannot draw “carousel”."], id="unknown"
        ),
        pytest.param(
            {"type": "table", "rows": 3}, ".unknown-block", ["This page cannot draw “table”."], id="malformed"
        ),
    ],
)
async def test_block_is_drawn(
    slack: FakeSlack, open_page: OpenPage, block: dict[str, Any], selector: str, texts: list[str]
):
    slack.message("", blocks=[block])

    page = await open_page()

    await page.locator(".content .block").first.wait_for()
    assert await page.locator(f"article .content :is({selector})").all_text_contents() == texts


HOSTILE = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'> <javascript:alert(1)|press me>"


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param(None, id="text"),
        pytest.param([cards.mrkdwn(HOSTILE)], id="mrkdwn"),
        pytest.param([{"type": "header", "text": {"type": "plain_text", "text": HOSTILE}}], id="plain_text"),
        pytest.param([{"type": "markdown", "text": HOSTILE}], id="markdown"),
        pytest.param([cards.actions(cards.button(HOSTILE, "a", url="javascript:window.hit=1"))], id="button"),
        pytest.param([{"type": HOSTILE}], id="block-type"),
        pytest.param(
            [
                {
                    "type": "rich_text",
                    "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": HOSTILE}]}],
                }
            ],
            id="rich_text",
        ),
    ],
)
async def test_hostile_text_stays_text(slack: FakeSlack, open_page: OpenPage, blocks: list[Any] | None):
    slack.message(HOSTILE, **({"blocks": blocks} if blocks else {}))

    page = await open_page()

    await expect(page.get_by_role("article")).to_contain_text("window.hit = 1</script>")
    assert await page.locator("article :is(script, img, a)").count() == 0
    assert await page.evaluate("window.hit") is None


async def test_long_section_is_folded_and_opens(slack: FakeSlack, open_page: OpenPage):
    slack.message("", blocks=[cards.mrkdwn("long text " * 200)])

    page = await open_page()
    more = page.get_by_role("button", name="Show more")
    await more.click()

    await expect(page.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")


async def test_section_with_expand_shows_all(slack: FakeSlack, open_page: OpenPage):
    slack.message("", blocks=[cards.mrkdwn("long text " * 200, expand=True)])

    page = await open_page()
    await page.get_by_role("article").wait_for()

    await expect(page.get_by_role("button", name="Show more")).to_have_count(0)


async def test_table_scrolls_in_its_own_frame_when_it_is_wide(slack: FakeSlack, open_page: OpenPage):
    row = [{"type": "raw_text", "text": f"column number {n}"} for n in range(20)]
    slack.message("", blocks=[{"type": "table", "rows": [row, row]}])

    page = await open_page(width=360, height=740)
    await page.get_by_role("table").wait_for()

    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    assert await page.locator(".table-frame").evaluate("frame => (frame.scrollLeft = 1000, frame.scrollLeft)") == 1000
