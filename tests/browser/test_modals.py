"""Modals: their inputs, their complaints, their stack, and the way back."""

import pytest
from playwright.async_api import expect

from tests.browser import cards
from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_modal_opens_for_its_person_only(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    await page.get_by_role("log").wait_for()

    await slack.send({"type": "view", "user": "UANA", "view": cards.modal("V1", "For Ana")})
    await slack.send({"type": "view", "user": "UBRUNO", "view": cards.modal("V2", "For Bruno")})

    await expect(page.get_by_role("dialog", name="For Bruno")).to_be_visible()
    await expect(page.get_by_text("For Ana")).to_have_count(0)


async def test_submit_sends_every_value(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal(blocks=cards.EVERY_INPUT)}]
    page = await open_page()
    dialog = page.get_by_role("dialog", name="Ask for changes")

    await dialog.get_by_role("textbox", name="What should change?").fill("more detail\non safety")
    await dialog.get_by_role("combobox", name="Risk").select_option("High")
    await dialog.get_by_role("radio", name="All drafts").check()
    await dialog.get_by_role("checkbox", name="Facts").check()
    await dialog.get_by_role("checkbox", name="Links").check()
    async with page.expect_response("**/submit"):
        await dialog.get_by_role("button", name="Send back").click()

    assert slack.bodies("views/V1/submit") == [
        {
            "user": "UBRUNO",
            "values": {
                "reason": {"note": "more detail\non safety"},
                "tier": {"tier": "high"},
                "scope": {"scope": "all"},
                "checks": {"checks": ["facts", "links"]},
                "due": {"due": "2026-12-01"},
            },
        }
    ]


async def test_app_error_stands_under_its_field(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]
    slack.answers["views/V1/submit"] = (
        200,
        {"ok": False, "response_action": "errors", "errors": {"reason": "Say which part"}},
    )
    page = await open_page()
    field = page.get_by_role("textbox", name="What should change?")
    await field.fill("hm")

    await page.get_by_role("button", name="Send back").click()

    await expect(page.get_by_role("alert")).to_have_text("Say which part")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_accessible_description("Say which part The author sees this.")
    await expect(field).to_be_focused()
    await expect(field).to_have_value("hm")


async def test_error_goes_when_the_field_is_mended(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]
    page = await open_page()
    await page.get_by_role("button", name="Send back").click()
    await expect(page.get_by_role("alert")).to_have_text("Fill this in to continue.")

    await page.keyboard.type("more detail")

    await expect(page.get_by_role("alert")).to_have_count(0)
    await expect(page.get_by_role("textbox", name="What should change?")).to_have_value("more detail")
    assert slack.bodies("views/V1/submit") == []


async def test_silent_app_is_told_in_the_modal_and_the_text_stays(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]
    slack.answers["views/V1/submit"] = (200, {"ok": False, "acked": False, "error": "trouble_connecting"})
    page = await open_page()
    await page.get_by_role("textbox").first.wait_for()
    field = page.get_by_role("textbox", name="What should change?")
    await field.fill("more detail")

    await page.get_by_role("button", name="Send back").click()

    await expect(page.get_by_role("alert")).to_contain_text("The app didn't respond")
    await expect(field).to_have_value("more detail")


async def test_typed_text_survives_an_update_of_the_view(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]
    page = await open_page()
    await page.get_by_role("textbox", name="What should change?").fill("half a sen")

    await slack.send({"type": "view", "user": "UBRUNO", "view": cards.modal(title="Changed title")})

    await expect(page.get_by_role("dialog", name="Changed title")).to_be_visible()
    await expect(page.get_by_role("textbox", name="What should change?")).to_have_value("half a sen")
    await expect(page.get_by_role("textbox", name="What should change?")).to_be_focused()


async def test_stack_shows_the_top_and_comes_back_to_what_was_typed(slack: FakeSlack, open_page: OpenPage):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]
    page = await open_page()
    await page.get_by_role("textbox", name="What should change?").fill("kept")

    await slack.send(
        {"type": "view", "user": "UBRUNO", "view": cards.modal("V2", "Pages", [cards.mrkdwn("page 2 of 9")])}
    )
    await expect(page.get_by_role("dialog", name="Pages")).to_be_visible()
    await page.keyboard.press("Escape")

    await expect(page.get_by_role("dialog", name="Ask for changes")).to_be_visible()
    await expect(page.get_by_role("textbox", name="What should change?")).to_have_value("kept")


async def test_escape_closes_and_gives_the_focus_back(slack: FakeSlack, open_page: OpenPage):
    slack.message("Publish?", blocks=cards.PENDING)
    page = await open_page()
    button = page.get_by_role("button", name=f"Ask for changes, {cards.QUESTION}")
    await button.focus()
    await page.keyboard.press("Enter")
    await slack.send({"type": "view", "user": "UBRUNO", "view": cards.modal()})
    await expect(page.get_by_role("textbox", name="What should change?")).to_be_focused()

    async with page.expect_response("**/views/V1/close"):
        await page.keyboard.press("Escape")

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(button).to_be_focused()


async def test_press_in_a_modal_names_its_view(slack: FakeSlack, open_page: OpenPage):
    blocks = [cards.mrkdwn("page 2 of 9"), cards.actions(cards.button("Next", "next"))]
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal(title="Report", blocks=blocks)}]
    page = await open_page()

    async with page.expect_response("**/views/V1/actions"):
        await page.get_by_role("button", name="Next, Report").click()

    assert slack.bodies("views/V1/actions") == [
        {"user": "UBRUNO", "action_id": "next", "block_id": "decide", "value": "r1:1"}
    ]


@pytest.mark.parametrize(
    ("window", "expected"), [pytest.param(1280, 520, id="wide"), pytest.param(390, 390, id="narrow")]
)
async def test_modal_width(slack: FakeSlack, open_page: OpenPage, window: int, expected: int):
    slack.snapshot["views"] = [{"user": "UBRUNO", "view": cards.modal()}]

    page = await open_page(width=window, height=844)
    box = await page.get_by_role("dialog").bounding_box()

    assert box is not None
    assert box["width"] == expected
