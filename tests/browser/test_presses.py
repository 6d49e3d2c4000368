"""From a press to the app's answer: spinner, confirm, silence, refusal, and where the focus goes."""

import pytest
from playwright.async_api import expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PUBLISH = f"Publish, {cards.QUESTION}"
SILENCE = "The app didn't respond"


async def test_press_tells_who_pressed_what(slack: FakeSlack, open_page: OpenPage):
    card = slack.message("Publish?", blocks=cards.PENDING)

    page = await open_page()
    async with page.expect_response("**/sandbox/actions"):
        await page.get_by_role("button", name=PUBLISH).click()

    assert slack.bodies("actions") == [
        {
            "user": "UBRUNO",
            "channel": "CREVIEWS",
            "message_ts": card["ts"],
            "action_id": "approve",
            "block_id": "decide",
            "value": "r1:1",
        }
    ]


async def test_pressed_button_spins_until_the_app_answers(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    answer = slack.hold("actions")

    page = await open_page()
    button = page.get_by_role("button", name=PUBLISH)
    await button.click()

    await expect(button).to_have_attribute("aria-busy", "true")
    await expect(button.locator(".spinner")).to_be_visible()
    answer.set()
    await expect(button).not_to_have_attribute("aria-busy", "true")
    await expect(page.get_by_text(SILENCE)).to_have_count(0)


async def test_second_press_on_a_spinning_button_sends_nothing(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    answer = slack.hold("actions")

    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).dblclick()
    await expect(page.locator("[aria-busy=true]")).to_have_count(1)
    answer.set()
    await expect(page.locator("[aria-busy=true]")).to_have_count(0)

    assert len(slack.bodies("actions")) == 1


async def test_unacknowledged_press_says_that_the_app_did_not_respond(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    slack.answers["actions"] = (200, {"acked": False})

    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).click()

    await expect(page.get_by_role("article").get_by_role("status")).to_have_text(f"⚠️ {SILENCE}")


async def test_server_that_never_answers_ends_the_spinner(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    slack.hold("actions")

    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).click()

    await expect(page.get_by_text(SILENCE)).to_be_visible()
    await expect(page.locator("[aria-busy=true]")).to_have_count(0)


async def test_refused_press_shows_what_the_server_said(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    slack.answers["actions"] = (404, {"error": "action_not_found", "message": "no such action"})

    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).click()

    await expect(page.get_by_role("article").get_by_role("status")).to_contain_text("no such action")


async def test_warning_goes_when_the_card_changes(slack: FakeSlack, open_page: OpenPage):
    card = slack.message("Publish?", blocks=cards.PENDING)
    slack.answers["actions"] = (200, {"acked": False})
    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).click()
    await expect(page.get_by_text(SILENCE)).to_be_visible()

    await slack.show({**card, "blocks": cards.QUORUM})

    await expect(page.get_by_text("1 of 2 · Bruno approved 14:07")).to_be_visible()
    await expect(page.get_by_text(SILENCE)).to_have_count(0)


async def test_focus_stays_on_the_card_when_its_buttons_go(slack: FakeSlack, open_page: OpenPage):
    card = slack.message("Publish?", blocks=cards.PENDING)
    page = await open_page()
    await page.get_by_role("button", name=PUBLISH).focus()
    await page.keyboard.press("Enter")

    await slack.show({**card, "blocks": cards.WORKING})

    await expect(page.get_by_role("article")).to_be_focused()


async def test_focus_stays_on_a_button_that_is_drawn_again(slack: FakeSlack, open_page: OpenPage):
    card = slack.message("Publish?", blocks=cards.PENDING)
    page = await open_page()
    await page.get_by_role("button", name=f"Reject, {cards.QUESTION}").focus()

    await slack.show({**card, "blocks": cards.QUORUM})

    await expect(page.get_by_text("1 of 2 · Bruno approved")).to_be_visible()
    await expect(page.get_by_role("button", name=f"Reject, {cards.QUESTION}")).to_be_focused()


async def test_confirm_dialog_is_asked_before_anything_is_sent(slack: FakeSlack, open_page: OpenPage):
    slack.message("Approve?", blocks=cards.LONG)
    page = await open_page()
    reject = page.get_by_role("button", name="Reject, Approve the Q3 report?")

    await reject.click()
    dialog = page.get_by_role("dialog", name="Reject the report?")
    await dialog.get_by_role("button", name="Keep it open").click()

    await expect(dialog).to_have_count(0)
    await expect(reject).to_be_focused()
    assert slack.bodies("actions") == []


async def test_confirmed_press_is_sent(slack: FakeSlack, open_page: OpenPage):
    slack.message("Approve?", blocks=cards.LONG)
    page = await open_page()
    await page.get_by_role("button", name="Reject, Approve the Q3 report?").click()

    async with page.expect_response("**/sandbox/actions"):
        await page.get_by_role("dialog").get_by_role("button", name="Reject").click()

    assert [body["action_id"] for body in slack.bodies("actions")] == ["reject"]


async def test_overflow_menu_works_by_keys_alone(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    page = await open_page()
    more = page.get_by_role("button", name=f"More actions, {cards.QUESTION}")

    await more.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("menuitem", name="Edit and approve")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(more).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowUp")
    async with page.expect_response("**/sandbox/actions"):
        await page.keyboard.press("Enter")

    assert slack.bodies("actions")[0] | {"message_ts": ""} == {
        "user": "UBRUNO",
        "channel": "CREVIEWS",
        "message_ts": "",
        "action_id": "more",
        "block_id": "decide",
        "value": "history",
    }


async def test_choosing_in_a_select_sends_the_option(slack: FakeSlack, open_page: OpenPage):
    select = {
        "type": "static_select",
        "action_id": "pick",
        "placeholder": {"type": "plain_text", "text": "Another answer"},
        "options": [cards.option("Needs legal check", "legal"), cards.option("Later", "later")],
    }
    slack.message("", blocks=[cards.mrkdwn("*Publish?*"), cards.actions(select)])
    page = await open_page()

    async with page.expect_response("**/sandbox/actions"):
        await page.get_by_role("combobox", name="Another answer, Publish?").select_option("Later")

    assert slack.bodies("actions")[0]["value"] == "later"
