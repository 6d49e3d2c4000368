"""How the page fits its window, its theme and the keyboard."""

import pytest
from playwright.async_api import Page, expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LONG_WORD = "https://example.com/" + "a" * 300
GALLERY = (
    cards.PENDING,
    cards.QUORUM,
    cards.APPROVED,
    cards.ESCALATED,
    cards.EXPIRED,
    cards.SENT_BACK,
    cards.PROPOSALS,
    cards.LONG,
    cards.HALF_DONE,
    cards.PENDING_KO,
    cards.TABLE,
    [{"type": "carousel"}],
    [cards.mrkdwn(LONG_WORD, accessory=cards.button("B" * 75, "b"))],
)

# Every piece of text and every control that reaches beyond the window; a table's own frame may scroll.
BEYOND = """() => {
  const bad = [];
  const walker = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
  for (let t = walker.nextNode(); t; t = walker.nextNode()) {
    if (!t.parentElement.checkVisibility() || t.parentElement.closest(".table-frame, [role=option]")) continue;
    const range = document.createRange();
    range.selectNodeContents(t);
    if ([...range.getClientRects()].some(box => box.right > innerWidth || box.left < 0)) bad.push(t.data.slice(0, 40));
  }
  for (const node of document.querySelectorAll("#app :is(button, input, select, textarea)")) {
    const isBeyond = node.checkVisibility() && node.getBoundingClientRect().right > innerWidth;
    if (isBeyond) bad.push(node.outerHTML.slice(0, 80));
  }
  return bad;
}"""


@pytest.mark.parametrize("person", ["UANA", "UBRUNO", "UCARLA"])
async def test_nothing_reaches_beyond_a_360_px_screen(slack: FakeSlack, open_page: OpenPage, person: str):
    for blocks in GALLERY:
        slack.message("card", blocks=blocks)
    slack.message(LONG_WORD, user="UANA")
    slack.note(person, LONG_WORD)

    page = await open_page(acting=person, width=360, height=740)
    await page.get_by_role("article").last.wait_for()

    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    assert await page.evaluate(BEYOND) == []


async def test_button_beside_a_text_does_not_squeeze_it_on_a_narrow_screen(slack: FakeSlack, open_page: OpenPage):
    slack.message("card", blocks=cards.PENDING)

    page = await open_page(width=360, height=740)
    box = await page.locator("blockquote").bounding_box()

    assert box is not None
    assert box["width"] > 250


async def test_buttons_of_a_narrow_screen_are_big_enough_to_touch(slack: FakeSlack, open_page: OpenPage):
    slack.message("card", blocks=cards.PENDING)

    page = await open_page(width=390, height=844)
    await page.get_by_role("article").wait_for()

    heights = await page.locator(".actions button").evaluate_all("nodes => nodes.map(node => node.offsetHeight)")
    assert min(heights) >= 44


async def test_narrow_screen_goes_from_list_to_channel_to_thread_and_back(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    slack.message("reply", thread_ts=root["ts"])
    page = await open_page(width=390, height=844, path="/#list")

    await page.get_by_role("button", name="#content-reviews").click()
    await page.get_by_role("button", name="1 reply").click()
    await expect(page.get_by_role("complementary")).to_contain_text("reply")
    await expect(page.get_by_role("main")).to_be_hidden()
    await page.get_by_role("button", name="Back").click()
    await expect(page.get_by_role("main")).to_be_visible()
    await page.get_by_role("button", name="Conversations").click()

    await expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()
    await expect(page.get_by_role("main")).to_be_hidden()
    await page.go_back()
    await expect(page.get_by_role("main")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "visible"),
    [
        pytest.param(1280, ["navigation", "main", "complementary"], id="wide"),
        pytest.param(900, ["navigation", "main", "complementary"], id="just-wide"),
        pytest.param(800, ["navigation", "complementary"], id="medium"),
        pytest.param(390, ["complementary"], id="narrow"),
    ],
)
async def test_panes_that_fit(slack: FakeSlack, open_page: OpenPage, width: int, visible: list[str]):
    root = slack.message("root", user="UANA")

    page = await open_page(width=width, path=f"/#CREVIEWS/{root['ts']}")
    await expect(page.get_by_role("complementary")).to_be_visible()

    shown = [role for role in ("navigation", "main", "complementary") if await page.get_by_role(role).count()]
    assert shown == visible


async def ground_of(page: Page) -> str:
    return await page.evaluate("getComputedStyle(document.body).backgroundColor")


LIGHT, DARK = "rgb(255, 255, 255)", "rgb(26, 29, 33)"


@pytest.mark.parametrize(("scheme", "ground"), [("light", LIGHT), ("dark", DARK)])
async def test_theme_follows_the_system(slack: FakeSlack, open_page: OpenPage, scheme: str, ground: str):
    page = await open_page(color_scheme=scheme)
    await page.get_by_role("log").wait_for()

    assert await ground_of(page) == ground


async def test_chosen_theme_is_remembered_and_can_be_given_up(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(color_scheme="light")
    await page.get_by_role("button", name="Theme: as the system").click()
    await page.get_by_role("button", name="Theme: light").click()

    await page.reload()
    await expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert await ground_of(page) == DARK
    await page.get_by_role("button", name="Theme: dark").click()

    await expect(page.get_by_role("button", name="Theme: as the system")).to_be_visible()
    assert await ground_of(page) == LIGHT


CONTRASTS = """() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = node => {
    for (let n = node; n; n = n.parentElement) {
      const colour = rgb(getComputedStyle(n).backgroundColor);
      if ((colour[3] ?? 1) > 0.5) return colour;
    }
    return [255, 255, 255];
  };
  const skipped = "[aria-hidden], option, script, noscript, .side-time";
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let t = walker.nextNode(); t; t = walker.nextNode()) {
    const node = t.parentElement;
    if (!t.data.trim() || !node.checkVisibility() || node.closest(skipped)) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${node.className} ${t.data.slice(0, 30)}`);
  }
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_all_text_can_be_read_in_both_themes(slack: FakeSlack, open_page: OpenPage, scheme: str):
    for blocks in GALLERY:
        slack.message("card `code` <@UBRUNO>", blocks=blocks)
    slack.message("text `code` <@UBRUNO> <@UANA> ~gone~ <https://example.com|link>", user="UANA")
    slack.note("UBRUNO", "private `code` <https://example.com|link>")
    slack.message("unread", channel="CGENERAL")
    slack.answers["messages"] = (500, {"error": "broken"})
    slack.answers["actions"] = (200, {"acked": False})
    slack.snapshot["bot"] = {"connected": False, "last_event_at": None, "ever_connected": False}
    page = await open_page(color_scheme=scheme)
    await page.get_by_placeholder("Message #content-reviews").fill("unsent")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Choose A").click()
    await page.get_by_role("button", name="Inspector").click()
    await expect(page.get_by_text("The app didn't respond")).to_be_visible()
    await expect(page.get_by_role("button", name="Retry", exact=True)).to_be_visible()

    assert await page.evaluate(CONTRASTS) == []


async def test_thread_opens_and_closes_by_keys_and_gives_the_focus_back(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    slack.message("reply", thread_ts=root["ts"])
    page = await open_page()
    replies = page.get_by_role("button", name="1 reply")
    await replies.focus()

    await page.keyboard.press("Enter")
    await expect(page.get_by_placeholder("Reply")).to_be_focused()
    await page.keyboard.press("Escape")

    await expect(page.get_by_role("complementary")).to_have_count(0)
    await expect(replies).to_be_focused()


async def test_tab_reaches_the_buttons_of_a_card_and_the_composer(slack: FakeSlack, open_page: OpenPage):
    slack.message("card", blocks=cards.EXPIRED)
    page = await open_page()
    await page.get_by_role("log").focus()

    stops: list[str] = []
    for _ in range(4):
        await page.keyboard.press("Tab")
        stops.append(await page.evaluate("document.activeElement.getAttribute('aria-label')"))

    assert stops == [
        "Ask again, ⏰ Nobody answered (Bruno, Carla) · rejected by policy · 15:45 · nothing was published",
        "Reply in thread",
        "Show payload",
        "Message #content-reviews",
    ]


async def test_focused_button_has_a_ring(slack: FakeSlack, open_page: OpenPage):
    slack.message("card", blocks=cards.EXPIRED)
    page = await open_page()
    await page.get_by_role("log").focus()

    await page.keyboard.press("Tab")

    assert await page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


async def test_messages_of_one_author_are_grouped_and_days_are_divided(slack: FakeSlack, open_page: OpenPage):
    slack.message("first", user="UANA", after=-86_400)
    slack.message("second", user="UANA")
    slack.message("third", user="UANA")
    slack.message("fourth", user="UANA", after=400)

    page = await open_page()
    await page.get_by_text("fourth").wait_for()

    await expect(page.get_by_role("separator")).to_have_text(["Yesterday", "Today"])
    assert await page.locator("article .author").count() == 3
    await expect(page.locator("article.grouped")).to_contain_text(["third"])


async def test_permalink_opens_its_message(slack: FakeSlack, open_page: OpenPage):
    target = slack.message("look here", user="UANA")
    for n in range(40):
        slack.message(f"later {n}", user="UCARLA")
    link = f"{slack.url}/archives/CREVIEWS/p{target['ts'].replace('.', '')}"
    slack.message(f"<{link}|that one>", channel="CGENERAL")
    page = await open_page(path="/#CGENERAL")

    await page.get_by_role("link", name="that one").click()

    await expect(page.get_by_text("look here")).to_be_in_viewport()
    await expect(page.get_by_role("article").filter(has_text="look here")).to_be_focused()


async def test_composer_is_whole_in_a_pane_that_was_hidden(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    page = await open_page(width=390, height=844, path=f"/#CREVIEWS/{root['ts']}")

    await page.get_by_role("button", name="Back").click()
    composer = page.get_by_placeholder("Message #content-reviews")
    await expect(composer).to_be_visible()

    assert await composer.evaluate("node => node.clientHeight >= 44 && node.scrollHeight <= node.clientHeight")


async def test_card_taller_than_its_pane_is_shown_from_its_question_on(slack: FakeSlack, open_page: OpenPage):
    slack.message("before", user="UANA")
    slack.message(
        "card", blocks=[cards.mrkdwn("*The question?*"), *[cards.mrkdwn(f"line {n}", f"l{n}") for n in range(40)]]
    )

    page = await open_page()

    await expect(page.get_by_text("The question?")).to_be_in_viewport()
    await page.get_by_role("button", name="Latest messages").click()
    await expect(page.get_by_text("line 39")).to_be_in_viewport()


async def test_name_and_time_stand_in_one_line_beside_the_tools(slack: FakeSlack, open_page: OpenPage):
    slack.message("card", blocks=cards.PENDING)

    page = await open_page(width=360, height=740, has_touch=True)
    await page.get_by_role("article").wait_for()

    assert await page.locator(".message-head").evaluate("head => head.clientHeight") <= 24
    name, tool = page.locator(".message-head time"), page.get_by_role("button", name="Reply in thread")
    name_box, tool_box = await name.bounding_box(), await tool.bounding_box()
    assert name_box is not None
    assert tool_box is not None
    assert name_box["x"] + name_box["width"] <= tool_box["x"]
