"""The clock in the page: what time it is in the sandbox, and the steps by which it is moved."""

import pytest
from playwright.async_api import Page, expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import START, FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HOUR = 3_600
DEADLINE = "<!date^%d^{date_short_pretty} {time}|later>"


def rich_date(unix: float) -> dict[str, object]:
    date = {"type": "date", "timestamp": int(unix), "format": "{time}", "fallback": "later"}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [date]}]}


async def steps_taken(page: Page, slack: FakeSlack, press: str) -> list[float]:
    async with page.expect_response("**/sandbox/clock"):
        await page.get_by_role("group", name="Sandbox time").get_by_role("button", name=press).click()
    return [body["advance_s"] for body in slack.bodies("clock")]


@pytest.mark.parametrize(("press", "seconds"), [("+5 min", 300), ("+1 h", HOUR)], ids=["minutes", "hour"])
async def test_a_step_asks_for_that_much(slack: FakeSlack, open_page: OpenPage, press: str, seconds: int):
    page = await open_page()

    assert await steps_taken(page, slack, press) == [seconds]


async def test_the_time_shown_follows_the_sandbox(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UCARLA")
    chip = page.get_by_role("group", name="샌드박스 시각")
    await expect(chip.get_by_role("time").first).to_have_text("05:36")

    await slack.send({"type": "clock", "now": START + 600 + HOUR, "offset_s": HOUR})

    await expect(chip.get_by_role("time").first).to_have_text("06:36")


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("text", id="text"),
        pytest.param("blocks", id="card"),
        pytest.param("rich", id="rich text"),
        pytest.param("note", id="private note"),
    ],
)
async def test_the_next_deadline_is_offered_and_reached(slack: FakeSlack, open_page: OpenPage, place: str):
    due = int(START + 2 * HOUR)
    slack.message(f"past {DEADLINE % (START - HOUR)}, far {DEADLINE % (START + 9 * HOUR)}", channel="CGENERAL")
    match place:
        case "text":
            slack.message(f"until {DEADLINE % due}")
        case "blocks":
            slack.message("card", blocks=[cards.mrkdwn(f"until {DEADLINE % due}")])
        case "rich":
            slack.message("rich", blocks=[rich_date(due)])
        case _:
            slack.note("UBRUNO", f"until {DEADLINE % due}")
    page = await open_page()

    [seconds] = await steps_taken(page, slack, "To the next deadline")

    # Page and server start counting within a moment of each other; one second is added to be past it.
    assert due - (START + 600) - 30 < seconds <= due - (START + 600) + 1


async def test_without_a_deadline_ahead_none_is_offered(slack: FakeSlack, open_page: OpenPage):
    slack.message(f"until {DEADLINE % (START + HOUR)}")
    page = await open_page()
    offer = page.get_by_role("button", name="To the next deadline")
    await expect(offer).to_be_visible()

    await slack.send({"type": "clock", "now": START + HOUR + 1, "offset_s": HOUR})

    await expect(offer).to_have_count(0)


async def test_a_second_press_waits_for_the_first(slack: FakeSlack, open_page: OpenPage):
    release = slack.hold("clock")
    page = await open_page()
    step = page.get_by_role("button", name="+1 h")

    async with page.expect_response("**/sandbox/clock"):
        async with page.expect_request("**/sandbox/clock"):
            await step.click()
        await step.click()
        release.set()
    await steps_taken(page, slack, "+5 min")

    assert [body["advance_s"] for body in slack.bodies("clock")] == [HOUR, 300]


@pytest.mark.parametrize("width", [360, 699, 900])
async def test_where_room_is_short_the_steps_are_a_menu(slack: FakeSlack, open_page: OpenPage, width: int):
    slack.message(f"until {DEADLINE % (START + HOUR)}")
    page = await open_page(acting="UANA", width=width)
    opener = page.get_by_role("button", name="Hora do sandbox, 17:36. Avançar a hora")

    await opener.click()
    items = page.get_by_role("menu", name="Avançar a hora").get_by_role("menuitem")
    await expect(items).to_have_text(["+5 min", "+1 h", "Até o próximo prazo18:26"])
    async with page.expect_response("**/sandbox/clock"):
        await items.nth(1).click()

    assert slack.bodies("clock") == [{"advance_s": HOUR}]
    await expect(opener).to_be_focused()


async def test_what_was_due_today_is_due_yesterday_once_the_day_has_passed(slack: FakeSlack, open_page: OpenPage):
    slack.message(f"until {DEADLINE % (START + HOUR)}")
    page = await open_page()
    await expect(page.get_by_role("article")).to_contain_text("until today")

    await slack.send({"type": "clock", "now": START + 24 * HOUR, "offset_s": 24 * HOUR})

    await expect(page.get_by_role("article")).to_contain_text("until yesterday")
