"""Writing: sending, mentions, commands, and what happens to a line that could not be sent."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

COMPOSER = "Message #content-reviews"


async def test_enter_sends_and_shift_enter_breaks_the_line(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)

    await composer.press_sequentially("one")
    await composer.press("Shift+Enter")
    await composer.press_sequentially("two")
    await composer.press("Enter")

    await expect(page.get_by_role("article")).to_contain_text("one")
    await expect(composer).to_have_value("")
    assert slack.bodies("messages") == [{"user": "UBRUNO", "channel": "CREVIEWS", "text": "one\ntwo"}]


async def test_reply_goes_to_its_thread(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    page = await open_page()
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="Reply in thread").click()

    await expect(page.get_by_placeholder("Reply")).to_be_focused()
    await page.keyboard.type("looks good")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("complementary")).to_contain_text("looks good")
    await expect(page.get_by_role("button", name="1 reply")).to_be_visible()
    assert slack.bodies("messages")[0]["thread_ts"] == root["ts"]


async def test_text_waits_at_its_place(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    await page.get_by_placeholder(COMPOSER).fill("half a line")

    await page.get_by_role("button", name="#general").click()
    await expect(page.get_by_placeholder("Message #general")).to_have_value("")
    await page.get_by_role("button", name="#content-reviews").click()

    await expect(page.get_by_placeholder(COMPOSER)).to_have_value("half a line")


async def test_slash_offers_the_apps_commands(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)

    await composer.press_sequentially("/fl")
    await expect(page.get_by_role("option", name="/flows")).to_contain_text("Start and follow flows")
    await composer.press("Enter")
    await composer.press_sequentially("status")
    async with page.expect_response("**/sandbox/commands"):
        await composer.press("Enter")

    assert slack.bodies("commands") == [
        {"user": "UBRUNO", "channel": "CREVIEWS", "command": "/flows", "text": "status"}
    ]
    assert slack.bodies("messages") == []


async def test_mention_is_chosen_and_sent_as_a_token(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)

    await composer.press_sequentially("@fl")
    await expect(page.get_by_role("option", name="Flow reviews")).to_be_visible()
    await composer.press("Tab")
    await composer.press_sequentially("and @Ana님, mail me@Ana.org")
    await composer.press("Escape")
    async with page.expect_response("**/sandbox/messages"):
        await composer.press("Enter")

    assert slack.bodies("messages")[0]["text"] == "<@UFLOWBOT> and <@UANA>님, mail me@Ana.org"


async def test_command_in_a_thread_is_refused_and_kept(slack: FakeSlack, open_page: OpenPage):
    root = slack.message("root", user="UANA")
    page = await open_page(path=f"/#CREVIEWS/{root['ts']}")
    composer = page.get_by_placeholder("Reply")

    await composer.fill("/flows status")
    await composer.press("Enter")

    await expect(page.get_by_text("/flows can't be used in a thread.")).to_be_visible()
    await expect(composer).to_have_value("/flows status")
    assert slack.requests == []


async def test_unknown_command_is_refused_and_kept(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)

    await composer.fill("/nope")
    await composer.press("Enter")

    await expect(page.get_by_text("/nope is not a command here.")).to_be_visible()
    await expect(composer).to_have_value("/nope")


async def test_unacknowledged_command_says_so(slack: FakeSlack, open_page: OpenPage):
    slack.answers["commands"] = (200, {"acked": False})
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)

    await composer.fill("/flows status")
    await composer.press("Enter")

    await expect(page.get_by_text("/flows: The app didn't respond")).to_be_visible()


async def test_unsent_message_stays_until_retry_succeeds(slack: FakeSlack, open_page: OpenPage):
    slack.answers["messages"] = (500, {"error": "broken", "message": "broken on purpose"})
    page = await open_page()
    composer = page.get_by_placeholder(COMPOSER)
    await composer.fill("do not lose me")
    await composer.press("Enter")
    unsent = page.get_by_role("article", name="Not sent")
    await expect(unsent).to_contain_text("do not lose me")
    await expect(unsent.get_by_role("alert")).to_contain_text("Not sent: broken on purpose")

    del slack.answers["messages"]
    await unsent.get_by_role("button", name="Retry").click()

    await expect(unsent).to_have_count(0)
    await expect(page.get_by_role("article")).to_contain_text("do not lose me")
    assert [body["text"] for body in slack.bodies("messages")] == ["do not lose me"] * 2


async def test_unsent_message_can_be_discarded(slack: FakeSlack, open_page: OpenPage):
    slack.answers["messages"] = (500, {"error": "broken"})
    page = await open_page()
    await page.get_by_placeholder(COMPOSER).fill("never mind")
    await page.get_by_placeholder(COMPOSER).press("Enter")

    await page.get_by_role("button", name="Discard").click()

    await expect(page.get_by_text("never mind")).to_have_count(0)


async def test_empty_channel_says_what_to_type_and_starts_the_sample(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    await expect(page.get_by_text('/flows start content_review topic="Safe AI in schools"')).to_be_visible()

    async with page.expect_response("**/sandbox/commands"):
        await page.get_by_role("button", name="Start the sample review").click()

    assert slack.bodies("commands") == [
        {
            "user": "UBRUNO",
            "channel": "CREVIEWS",
            "command": "/flows",
            "text": 'start content_review topic="Safe AI in schools"',
        }
    ]


async def test_enter_that_ends_a_korean_syllable_does_not_send(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UCARLA")
    composer = page.get_by_role("combobox", name="#content-reviews에 메시지 보내기")
    await composer.fill("승인")

    await composer.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True, "cancelable": True})
    await composer.press("End")

    await expect(composer).to_have_value("승인")
    assert slack.requests == []


async def test_own_message_is_edited_in_place(slack: FakeSlack, open_page: OpenPage):
    said = slack.message("<@UANA> a &lt;b&gt;", user="UBRUNO")
    page = await open_page()
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Edit message").click()
    editor = page.get_by_role("textbox", name="Edit message")
    await expect(editor).to_be_focused()
    await expect(editor).to_have_value("@Ana a <b>")

    await editor.press("End")
    await editor.press_sequentially(" c")
    async with page.expect_response("**/messages/edit"):
        await editor.press("Enter")

    assert slack.bodies("messages/edit") == [
        {"user": "UBRUNO", "channel": "CREVIEWS", "ts": said["ts"], "text": "<@UANA> a <b> c"}
    ]
    await expect(editor).to_have_count(0)


async def test_escape_leaves_an_edited_message_as_it_was(slack: FakeSlack, open_page: OpenPage):
    slack.message("as it was", user="UBRUNO")
    page = await open_page()
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Edit message").click()

    await page.get_by_role("textbox", name="Edit message").fill("changed")
    await page.keyboard.press("Escape")

    await expect(page.get_by_text("as it was")).to_be_visible()
    assert slack.requests == []


async def test_own_message_is_deleted_after_a_question(slack: FakeSlack, open_page: OpenPage):
    said = slack.message("regret", user="UBRUNO")
    page = await open_page()
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Delete message").click()

    async with page.expect_response("**/messages/delete"):
        await page.get_by_role("dialog").get_by_role("button", name="Delete message").click()

    assert slack.bodies("messages/delete") == [{"user": "UBRUNO", "channel": "CREVIEWS", "ts": said["ts"]}]


async def test_messages_of_others_cannot_be_changed(slack: FakeSlack, open_page: OpenPage):
    slack.message("not yours", user="UANA")
    page = await open_page()

    await page.get_by_role("article").hover()

    await expect(page.get_by_role("button", name="Show payload")).to_be_visible()
    await expect(page.get_by_role("button", name="More actions")).to_have_count(0)
