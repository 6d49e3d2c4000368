"""How mrkdwn reads: one row per rule, each shown to Bruno (en-US, London, 21:26 on the message's day)."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

# What the text node tree must be, written as compact markup: <tag>text</tag>, attributes left out.
AS_MARKUP = """node => {
  const write = n => n.nodeType === Node.TEXT_NODE ? n.data
    : `<${n.localName}>${[...n.childNodes].map(write).join("")}</${n.localName}>`;
  return [...node.childNodes].map(write).join("");
}"""


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        pytest.param("*bold* _italic_ ~strike~", "<strong>bold</strong> <em>italic</em> <s>strike</s>", id="styles"),
        pytest.param("*_both_*", "<strong><em>both</em></strong>", id="nested"),
        pytest.param("2*3*4 and snake_case_name", "2*3*4 and snake_case_name", id="marks-inside-words"),
        pytest.param("* not bold * and *open", "* not bold * and *open", id="marks-beside-spaces"),
        pytest.param("*a\nb*", "*a<br></br>b*", id="styles-end-with-the-line"),
        pytest.param(
            "(*bold*), *bold*.", "(<strong>bold</strong>), <strong>bold</strong>.", id="styles-beside-punctuation"
        ),
        pytest.param("`*raw* &amp; <b>`", "<code>*raw* & <b></code>", id="code"),
        pytest.param("*a `*` b*", "<strong>a <code>*</code> b</strong>", id="code-hides-marks"),
        pytest.param("x\n```\na *b*\n  c\n```\ny", "x<pre>a *b*\n  c</pre>y", id="pre"),
        pytest.param("``` open", "``` open", id="pre-left-open"),
        pytest.param("> one\n> two\nthree", "<blockquote>one<br></br>two</blockquote>three", id="quote"),
        pytest.param("&gt; one", "<blockquote>one</blockquote>", id="quote-as-entity"),
        pytest.param(">>> one\ntwo", "<blockquote>one<br></br>two</blockquote>", id="quote-to-the-end"),
        pytest.param("• one\n• two", "• one<br></br>• two", id="lists-are-text"),
        pytest.param("a &lt;b&gt; &amp;amp; &quot;", "a <b> &amp; &quot;", id="exactly-three-entities"),
        pytest.param(
            "<https://example.com/a|read>",
            "<span><a>read</a><span> (example.com)</span></span>",
            id="link-shows-its-host",
        ),
        pytest.param("<https://example.com/a>", "<a>https://example.com/a</a>", id="bare-token-link"),
        pytest.param("see https://example.com/a.", "see <a>https://example.com/a</a>.", id="bare-address"),
        pytest.param(
            "<mailto:a@example.com|write>", "<span><a>write</a><span> (a@example.com)</span></span>", id="mail"
        ),
        pytest.param("<javascript:x|y>", "<javascript:x|y>", id="no-link-to-script"),
        pytest.param("<@UANA> <@UNOBODY>", "<span>@Ana</span> <span>@UNOBODY</span>", id="people"),
        pytest.param("<#CGENERAL> <!here>", "<span>#general</span> <span>@here</span>", id="channel-and-here"),
        pytest.param("<!subteam^S1|@editors>", "<span>@editors</span>", id="group"),
        pytest.param(":white_check_mark: :nope: 10:30:20", "✅ :nope: 10:30:20", id="short-codes"),
        pytest.param("<!date^1780000000^{time}|x>", "<time>21:26</time>", id="date-time"),
        pytest.param("<!date^1780000000^{date_num} {date}|x>", "<time>05/28/2026 May 28, 2026</time>", id="date-forms"),
        pytest.param("<!date^1780000000^{date_short_pretty} {time}|x>", "<time>today 21:26</time>", id="date-today"),
        pytest.param("<!date^1780000000^{nonsense}|fall back>", "fall back", id="date-unknown-form"),
        pytest.param("<!date^soon^{time}|fall back>", "fall back", id="date-no-number"),
    ],
)
async def test_mrkdwn(slack: FakeSlack, open_page: OpenPage, text: str, markup: str):
    slack.message(text)

    page = await open_page()

    assert await page.locator("article .text").evaluate(AS_MARKUP) == markup


async def test_links_open_apart_and_tell_nothing(slack: FakeSlack, open_page: OpenPage):
    slack.message("<https://example.com/a|read>")

    page = await open_page()
    link = page.get_by_role("link", name="read")

    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(link).to_have_attribute("target", "_blank")


@pytest.mark.parametrize(
    ("person", "shown"),
    [
        pytest.param("UANA", "hoje 17:26", id="pt-in-sao-paulo"),
        pytest.param("UBRUNO", "today 21:26", id="en-in-london"),
        pytest.param("UCARLA", "어제 05:26", id="ko-in-seoul"),
    ],
)
async def test_dates_are_in_the_readers_zone_and_language(
    slack: FakeSlack, open_page: OpenPage, person: str, shown: str
):
    slack.message("<!date^1780000000^{date_short_pretty} {time}|x>")
    slack.snapshot["now"] += 86_400 if person == "UCARLA" else 0

    page = await open_page(acting=person)

    await expect(page.locator("article .text time")).to_have_text(shown)
