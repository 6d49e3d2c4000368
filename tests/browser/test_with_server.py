"""The page on the real sandbox, with a real Bolt app behind it: what people do reaches the app and comes back."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import APP_TOKEN, BOT_TOKEN, Sandbox
from tests.browser import cards

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

APPROVE = f"Publish, {cards.QUESTION}"


def make_app(sandbox: Sandbox) -> AsyncApp:
    """An app with one command, one card and one modal."""
    app = AsyncApp(client=AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url))

    @app.command("/flows")
    async def start(ack: Any, client: AsyncWebClient, command: dict[str, Any]) -> None:
        await ack()
        await client.chat_postMessage(channel=command["channel_id"], text="<@UBRUNO> decides", blocks=cards.PENDING)
        await client.chat_postEphemeral(
            channel=command["channel_id"], user=command["user_id"], text="Bruno was asked & told"
        )

    @app.action("approve")
    async def approve(ack: Any, client: AsyncWebClient, body: dict[str, Any]) -> None:
        await ack()
        at = {"channel": body["channel"]["id"], "ts": body["message"]["ts"]}
        await client.chat_update(**at, text="approved", blocks=cards.APPROVED)

    @app.action("revise")
    async def revise(ack: Any, client: AsyncWebClient, body: dict[str, Any]) -> None:
        await ack()
        view = {key: value for key, value in cards.modal().items() if key != "id"}
        await client.views_open(trigger_id=body["trigger_id"], view={**view, "callback_id": "changes"})

    @app.view("changes")
    async def changes(ack: Any, client: AsyncWebClient, view: dict[str, Any]) -> None:
        wish = view["state"]["values"]["reason"]["note"]["value"]
        if len(wish) < 5:
            await ack(response_action="errors", errors={"reason": "Say a little more"})
            return
        await ack()
        await client.chat_postMessage(channel="CREVIEWS", text=f"Wish: {wish}")

    @app.event("app_home_opened")
    async def home(client: AsyncWebClient, event: dict[str, Any]) -> None:
        blocks = [cards.mrkdwn("Nothing is waiting for you.")]
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    @app.event("message")
    async def hear(event: dict[str, Any]) -> None:
        """Heard, and left alone."""

    @app.event("app_mention")
    async def answer(client: AsyncWebClient, event: dict[str, Any]) -> None:
        await client.chat_postMessage(channel=event["channel"], thread_ts=event["ts"], text=f"Heard <@{event['user']}>")

    return app


@pytest_asyncio.fixture(loop_scope="session")
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, sandbox: Sandbox) -> AsyncIterator[Page]:
    """Bruno's page, with the app connected."""
    handler = AsyncSocketModeHandler(make_app(sandbox), APP_TOKEN)
    await handler.connect_async()
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    await context.add_init_script("localStorage.setItem('sandbox.acting', 'UBRUNO')")
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    await page.goto(f"{sandbox.url}/#CREVIEWS")
    yield page
    await context.close()
    await handler.close_async()
    assert errors == []


async def test_sample_review_brings_a_card_and_a_private_note(page: Page):
    await page.get_by_role("button", name="Start the sample review").click()

    await expect(page.get_by_role("button", name=APPROVE)).to_be_visible()
    await expect(page.get_by_role("article").filter(has_text="Only visible to you")).to_contain_text(
        "Bruno was asked & told"
    )


async def test_click_changes_the_card(page: Page):
    await page.get_by_role("button", name="Start the sample review").click()

    await page.get_by_role("button", name=APPROVE).click()

    await expect(page.get_by_text("✅ Bruno approved · 14:07 · “good to go”")).to_be_visible()
    await expect(page.get_by_role("button", name=APPROVE)).to_have_count(0)


async def test_modal_is_refused_mended_and_accepted(page: Page):
    await page.get_by_role("button", name="Start the sample review").click()
    await page.get_by_role("button", name=f"Ask for changes, {cards.QUESTION}").click()
    field = page.get_by_role("textbox", name="What should change?")

    await field.fill("hm")
    await page.get_by_role("button", name="Send back").click()
    await expect(page.get_by_role("alert")).to_have_text("Say a little more")
    await field.fill("more on *safety* & <b>")
    await page.get_by_role("button", name="Send back").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_text("Wish: more on safety")).to_be_visible()


async def test_mention_is_answered_in_its_thread(page: Page):
    composer = page.get_by_placeholder("Message #content-reviews")
    await composer.fill("@Flow reviews hello")
    await composer.press("Escape")
    await composer.press("Enter")

    await page.get_by_role("button", name="1 reply").click()

    await expect(page.get_by_role("complementary")).to_contain_text("Heard @Bruno")


async def test_home_is_drawn_when_it_is_opened(page: Page):
    await page.get_by_role("button", name="Flow reviews", exact=True).click()
    await page.get_by_role("tab", name="Home").click()

    await expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()


async def test_fault_set_in_the_inspector_befalls_the_next_press(page: Page):
    await page.get_by_role("button", name="Start the sample review").click()
    await page.get_by_role("button", name=APPROVE).wait_for()
    await page.get_by_role("button", name="Inspector").click()
    await page.get_by_role("tab", name="Faults").click()
    await page.get_by_role("button", name="Lose the next ack").click()
    await expect(page.get_by_text("drop_ack ×1")).to_be_visible()

    await page.get_by_role("button", name=f"Ask for changes, {cards.QUESTION}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    await expect(page.get_by_role("article").get_by_role("status")).to_contain_text("The app didn't respond")


async def test_press_nobody_listens_for_is_told(page: Page):
    await page.get_by_role("button", name="Start the sample review").click()

    await page.get_by_role("button", name=f"Reject, {cards.QUESTION}").click()

    await expect(page.get_by_role("article").get_by_role("status")).to_contain_text("The app didn't respond")


async def test_edited_message_carries_its_mark(page: Page):
    composer = page.get_by_placeholder("Message #content-reviews")
    await composer.fill("first wording")
    await composer.press("Enter")
    await page.get_by_role("article").hover()
    await page.get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Edit message").click()

    await page.get_by_role("textbox", name="Edit message").fill("second wording")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("article")).to_contain_text("second wording (edited)")


async def test_step_of_the_clock_moves_what_is_written_next(page: Page, sandbox: Sandbox):
    composer = page.get_by_placeholder("Message #content-reviews")
    await composer.fill("before")
    await composer.press("Enter")
    await page.get_by_role("article").wait_for()

    async with page.expect_response("**/sandbox/clock"):
        await page.get_by_role("button", name="+1 h").click()
    await composer.fill("after")
    await composer.press("Enter")

    await expect(page.get_by_role("article")).to_have_count(2)
    before, after = [float(await one.get_attribute("data-ts") or 0) for one in await page.get_by_role("article").all()]
    assert 3_600 <= after - before < 3_660
    assert sandbox.world.offset_s == 3_600


async def test_eve_presses_what_is_asked_in_the_shared_channel(page: Page):
    await page.get_by_role("button", name="#partners").click()
    await page.get_by_role("button", name="Start the sample review").click()
    await page.get_by_role("button", name=APPROVE).wait_for()

    await page.get_by_role("radio", name="Eve, other company").click()
    await page.get_by_role("button", name=APPROVE).click()

    await expect(page.get_by_role("button", name=APPROVE)).to_have_count(0)


async def test_typed_markup_comes_back_as_text(page: Page):
    composer = page.get_by_placeholder("Message #content-reviews")

    await composer.fill("<script>x</script> & &lt; *a*")
    await composer.press("Enter")

    await expect(page.get_by_role("article")).to_contain_text("<script>x</script> & &lt; *a*")


async def test_followed_permalink_opens_the_message(page: Page, sandbox: Sandbox):
    composer = page.get_by_placeholder("Message #content-reviews")
    await composer.fill("the one")
    await composer.press("Enter")
    ts = await page.get_by_role("article").get_attribute("data-ts")
    assert ts is not None

    await page.goto(f"{sandbox.url}/archives/CREVIEWS/p{ts.replace('.', '')}")

    await expect(page.get_by_role("article").filter(has_text="the one")).to_be_focused()
