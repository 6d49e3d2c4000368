"""What the page shows when something is away: the bot, the server, the line between them."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import START, FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_bot_away_is_a_banner_with_its_age_and_goes_by_itself(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    await page.get_by_role("log").wait_for()

    await slack.send({"type": "bot", "connected": False, "last_event_at": START + 560})
    banner = page.locator("#banners").get_by_role("status")
    await expect(banner).to_contain_text("The bot is not connected.")
    await expect(banner).to_contain_text("seconds ago")
    await slack.send({"type": "bot", "connected": True, "last_event_at": START + 601})

    await expect(banner).to_have_count(0)


async def test_bot_that_never_came_is_told_apart(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["bot"] = {"connected": False, "last_event_at": None, "ever_connected": False}

    page = await open_page()

    await expect(page.get_by_role("status").filter(has_text="The bot has not connected yet.")).to_be_visible()


async def test_lost_line_is_told_and_taken_up_again(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    await page.get_by_role("log").wait_for()
    slack.message("said meanwhile", user="UANA")
    refused = page.get_by_role("alert").filter(has_text="The connection to the sandbox is lost.")

    slack.refuses_sockets = True
    await slack.drop_sockets()
    await expect(refused).to_be_visible()
    slack.refuses_sockets = False
    await page.get_by_role("button", name="Try now").click()

    await expect(page.get_by_text("said meanwhile")).to_be_visible()
    await expect(refused).to_have_count(0)


async def test_server_without_a_feed_is_told_with_a_way_on(slack: FakeSlack, open_page: OpenPage):
    slack.refuses_sockets = True

    page = await open_page()

    await expect(page.get_by_role("alert")).to_contain_text("The sandbox does not answer.")
    slack.refused.clear()
    await page.get_by_role("button", name="Try now").click()
    await asyncio.wait_for(slack.refused.wait(), 20)
    slack.refuses_sockets = False
    await expect(page.get_by_role("log")).to_be_visible()


async def test_reset_empties_the_page(slack: FakeSlack, open_page: OpenPage):
    slack.message("before", user="UANA")
    page = await open_page()
    await page.get_by_text("before").wait_for()

    slack.snapshot["messages"] = {}
    await slack.send({"type": "reset"})
    await slack.send(slack.snapshot)

    await expect(page.get_by_role("button", name="Start the sample review")).to_be_visible()


async def test_frames_of_an_unknown_kind_change_nothing(slack: FakeSlack, open_page: OpenPage):
    slack.message("hello", user="UANA")
    page = await open_page()
    await page.get_by_text("hello").wait_for()

    await slack.send({"type": "weather", "sunny": True})
    await slack.show(slack.message("still here", user="UANA"))

    await expect(page.get_by_text("still here")).to_be_visible()


async def test_deleted_message_goes(slack: FakeSlack, open_page: OpenPage):
    gone = slack.message("to be deleted", user="UANA")
    page = await open_page()
    await page.get_by_text("to be deleted").wait_for()

    await slack.send({"type": "message_deleted", "channel": "CREVIEWS", "ts": gone["ts"]})

    await expect(page.get_by_text("to be deleted")).to_have_count(0)


async def test_inspector_shows_calls_deliveries_and_a_payload(slack: FakeSlack, open_page: OpenPage):
    slack.message("hello", user="UANA", metadata={"event_type": "card"})
    slack.logs["calls"] = [{"n": 1, "method": "auth.test", "args": {}, "ok": True, "error": None}]
    page = await open_page()
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="Show payload").click()
    drawer = page.get_by_role("region", name="Inspector")
    await expect(drawer).to_contain_text('"event_type": "card"')

    await drawer.get_by_role("tab", name="Calls").click()
    await slack.send(
        {
            "type": "call",
            "call": {"n": 2, "method": "chat.update", "args": {}, "ok": False, "error": "message_not_found"},
        }
    )
    await expect(drawer.get_by_text("message_not_found")).to_be_visible()
    await expect(drawer.get_by_text("auth.test")).to_be_visible()
    delivery = {"n": 1, "kind": "events_api", "type": "message", "payload": {}, "acked": None, "attempt": 0}
    await slack.send({"type": "delivery", "delivery": delivery})
    await slack.send({"type": "delivery", "delivery": {**delivery, "acked": True}})
    await drawer.get_by_role("tab", name="Deliveries").click()

    await expect(drawer.get_by_text("events_api · message")).to_have_count(1)
    await expect(drawer.get_by_text("acked", exact=True)).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(drawer).to_have_count(0)


async def test_what_the_app_is_doing_stands_in_its_thread_until_it_answers(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    page = await open_page(path=f"/#CREVIEWS/{root['ts']}")
    await expect(page.get_by_role("complementary")).to_contain_text("root")

    await slack.send({"type": "status", "channel": "CREVIEWS", "thread_ts": root["ts"], "status": "is thinking…"})
    await expect(page.get_by_text("Flow reviews is thinking…")).to_be_visible()
    await slack.show(slack.message("done", thread_ts=root["ts"]))

    await expect(page.get_by_role("complementary")).to_contain_text("done")
    await expect(page.get_by_text("Flow reviews is thinking…")).to_have_count(0)


async def test_reactions_are_counted_under_their_message(slack: FakeSlack, open_page: OpenPage):
    slack.message("hello", user="UANA", reactions=[{"name": "eyes", "count": 2, "users": ["UFLOWBOT", "UBRUNO"]}])

    page = await open_page()

    await expect(page.get_by_title("Flow reviews, Bruno")).to_have_text("👀2")
