"""Acting as one person and then another: what each sees, and what waits for whom."""

import pytest
from playwright.async_api import Page, expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def act_as(page: Page, name: str) -> None:
    await page.get_by_role("radio", name=name).click()


async def test_private_note_is_seen_by_its_owner_only(slack: FakeSlack, open_page: OpenPage):
    slack.message("hello", user="UANA")
    slack.note("UCARLA", "이미 승인했습니다.")

    page = await open_page(acting="UBRUNO")
    await expect(page.get_by_role("article")).to_have_count(1)
    await act_as(page, "Carla")

    await expect(page.get_by_text("이미 승인했습니다.")).to_be_visible()
    await expect(page.get_by_text("나에게만 표시됨")).to_be_visible()
    await act_as(page, "Ana")
    await expect(page.get_by_text("이미 승인했습니다.")).to_have_count(0)


async def test_dismissed_note_is_gone_and_the_server_knows(slack: FakeSlack, open_page: OpenPage):
    slack.note("UBRUNO", "Only @editors decide this.")
    page = await open_page()
    await expect(page.get_by_text("Only visible to you")).to_be_visible()

    async with page.expect_response("**/private_notes/dismiss"):
        await page.get_by_role("button", name="Dismiss").click()

    await expect(page.get_by_text("Only @editors decide this.")).to_have_count(0)
    assert slack.bodies("private_notes/dismiss")[0]["user"] == "UBRUNO"


async def test_switching_keeps_the_place(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    slack.message("reply", thread_ts=root["ts"])
    page = await open_page(acting="UANA", path=f"/#CREVIEWS/{root['ts']}")
    await expect(page.get_by_role("complementary")).to_contain_text("reply")

    await act_as(page, "Bruno")

    await expect(page.get_by_role("complementary", name="Thread, #content-reviews")).to_contain_text("reply")


async def test_switching_in_the_apps_conversation_shows_ones_own(slack: FakeSlack, open_page: OpenPage):
    slack.message("for Ana", channel="DANA")
    slack.message("for Bruno", channel="DBRUNO")
    page = await open_page(acting="UANA", path="/#DANA")
    await expect(page.get_by_text("for Ana")).to_be_visible()

    await act_as(page, "Bruno")

    await expect(page.get_by_text("for Bruno")).to_be_visible()
    await expect(page.get_by_text("for Ana")).to_have_count(0)


async def test_home_is_the_acting_persons(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["homes"] = {
        "UANA": {"id": "VA", "type": "home", "blocks": [cards.mrkdwn("Nada esperando por você.")]},
        "UBRUNO": {"id": "VB", "type": "home", "blocks": [cards.mrkdwn("Nothing is waiting for you.")]},
    }
    page = await open_page(acting="UANA", path="/#DANA")
    async with page.expect_response("**/sandbox/home"):
        await page.get_by_role("tab", name="Início").click()
    await expect(page.get_by_text("Nada esperando por você.")).to_be_visible()

    await act_as(page, "Bruno")

    await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    await expect(page.get_by_text("Nada esperando por você.")).to_have_count(0)
    assert slack.bodies("home") == [{"user": "UANA", "tab": "home"}]


@pytest.mark.parametrize(
    ("person", "language", "placeholder"),
    [
        pytest.param("Ana", "pt", "Mensagem para #content-reviews", id="pt"),
        pytest.param("Bruno", "en", "Message #content-reviews", id="en"),
        pytest.param("Carla", "ko", "#content-reviews에 메시지 보내기", id="ko"),
    ],
)
async def test_client_speaks_the_persons_language(
    slack: FakeSlack, open_page: OpenPage, person: str, language: str, placeholder: str
):
    page = await open_page(acting="UANA" if person != "Ana" else "UBRUNO")

    await act_as(page, person)

    await expect(page.get_by_placeholder(placeholder)).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("lang", language)


async def test_the_person_is_remembered(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UANA")
    await act_as(page, "Carla")

    await page.reload()

    await expect(page.get_by_role("radio", name="Carla")).to_be_checked()


async def test_people_are_chosen_with_arrow_keys(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UANA")
    await page.get_by_role("radio", name="Ana").focus()

    await page.keyboard.press("ArrowRight")

    await expect(page.get_by_role("radio", name="Bruno")).to_be_checked()
    await expect(page.get_by_role("radio", name="Bruno")).to_be_focused()


async def test_mention_is_counted_for_the_one_who_is_named(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UCARLA", path="/#CREVIEWS")
    await page.get_by_role("log").wait_for()

    await slack.show(slack.message("<@UBRUNO> please decide", channel="CGENERAL"), "CGENERAL")

    await expect(page.get_by_role("radio", name="Bruno, reviewer, 멘션 1개")).to_be_visible()
    await expect(page.get_by_role("radio", name="Ana, author", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="general, 읽지 않음")).to_be_visible()


async def test_unread_is_gone_once_the_channel_was_seen(slack: FakeSlack, open_page: OpenPage):
    slack.message("<@UBRUNO> please decide", channel="CGENERAL")
    page = await open_page(acting="UBRUNO", path="/#CREVIEWS")
    await page.get_by_role("button", name="#general, 1 mention").click()

    await expect(page.get_by_role("button", name="#general", exact=True)).to_be_visible()
    await page.get_by_role("button", name="#content-reviews").click()
    await page.reload()
    await expect(page.get_by_role("button", name="#general", exact=True)).to_be_visible()


async def test_own_and_edited_messages_are_no_news(slack: FakeSlack, open_page: OpenPage):
    seen = slack.message("version 1", channel="CGENERAL")
    page = await open_page(acting="UBRUNO", path="/#CGENERAL")
    await page.get_by_text("version 1").wait_for()
    await page.get_by_role("button", name="#content-reviews").click()

    await slack.show({**seen, "text": "version 2 <@UBRUNO>"}, "CGENERAL")
    await slack.show(slack.message("my own", user="UBRUNO", channel="CGENERAL"), "CGENERAL")
    await slack.show(slack.message("last", channel="CREVIEWS"))

    await expect(page.get_by_text("last")).to_be_visible()
    await expect(page.get_by_role("button", name="#general", exact=True)).to_be_visible()


async def test_new_line_stands_where_reading_stopped(slack: FakeSlack, open_page: OpenPage):
    slack.message("read before")
    page = await open_page()
    await page.get_by_text("read before").wait_for()
    await page.get_by_role("button", name="#general").click()
    await slack.show(slack.message("came later"))

    await page.get_by_role("button", name="#content-reviews, unread").click()

    after = page.get_by_role("separator", name="New").locator("xpath=following-sibling::article")
    await expect(after).to_contain_text(["came later"])
