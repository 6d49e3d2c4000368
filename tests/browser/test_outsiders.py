"""Guests, outsiders, user groups, archived channels and deactivated people, as the page shows them."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.fake_slack import FakeSlack, workspace

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("acting", "channels"),
    [
        pytest.param("UBRUNO", ["#general", "#content-reviews", "#partners", "Flow reviews"], id="staff"),
        pytest.param("UGIL", ["#content-reviews", "Flow reviews"], id="guest"),
        pytest.param("UEVE", ["#partners"], id="other company"),
    ],
)
async def test_each_sees_their_own_conversations(
    slack: FakeSlack, open_page: OpenPage, acting: str, channels: list[str]
):
    page = await open_page(acting=acting, path="/")

    rows = page.get_by_role("navigation").get_by_role("button")
    await expect(rows).to_have_text(channels)


async def test_becoming_eve_leads_to_the_channel_she_is_in(slack: FakeSlack, open_page: OpenPage):
    slack.message("for our own eyes")
    page = await open_page(acting="UBRUNO")
    await page.get_by_text("for our own eyes").wait_for()

    await page.get_by_role("radio", name="Eve, other company").click()

    await expect(page.get_by_placeholder("Message #partners")).to_be_visible()
    await expect(page.get_by_text("for our own eyes")).to_have_count(0)


@pytest.mark.parametrize("text", ["<!subteam^SEDITORS> please", "<!subteam^SEDITORS|@old-name> please"])
async def test_a_group_reads_as_its_handle_and_is_marked_for_its_members(
    slack: FakeSlack, open_page: OpenPage, text: str
):
    slack.message(text)
    page = await open_page(acting="UBRUNO")
    mention = page.get_by_role("article").locator(".mention")

    await expect(mention).to_have_text("@editors")
    await expect(mention).to_have_class("mention mention-me")
    await page.get_by_role("radio", name="Ana").click()

    await expect(mention).to_have_class("mention")


@pytest.mark.parametrize("place", ["text", "blocks"])
async def test_a_mention_of_a_group_counts_for_its_members_only(slack: FakeSlack, open_page: OpenPage, place: str):
    element = {"type": "usergroup", "usergroup_id": "SEDITORS"}
    section = {"type": "rich_text_section", "elements": [element]}
    said = {
        "text": {"text": "<!subteam^SEDITORS>"},
        "blocks": {"blocks": [{"type": "rich_text", "elements": [section]}]},
    }
    page = await open_page(acting="UANA", path="/#CREVIEWS")
    await page.get_by_role("log").wait_for()

    await slack.show(slack.message(channel="CGENERAL", **said[place]), "CGENERAL")

    await expect(page.get_by_role("radio", name="Bruno, reviewer, 1 menção")).to_be_visible()
    await expect(page.get_by_role("radio", name="Carla, second reviewer, 1 menção")).to_be_visible()
    await expect(page.get_by_role("button", name="#general, não lidas")).to_be_visible()


async def test_a_changed_group_counts_for_its_new_members(slack: FakeSlack, open_page: OpenPage):
    slack.message("<!subteam^SEDITORS>", channel="CPARTNERS")
    page = await open_page(acting="UBRUNO", path="/#CREVIEWS")
    await expect(page.get_by_role("radio", name="Carla, second reviewer, 1 mention")).to_be_visible()

    [group] = workspace()["usergroups"]
    await slack.send({"type": "usergroup", "usergroup": {**group, "members": ["UANA"]}})

    await expect(page.get_by_role("radio", name="Ana, author, 1 mention")).to_be_visible()
    await expect(page.get_by_role("radio", name="Carla, second reviewer", exact=True)).to_be_visible()


async def test_a_group_is_offered_while_typing_and_sent_as_a_token(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder("Message #content-reviews")

    await composer.press_sequentially("@ed")
    await expect(page.get_by_role("option", name="editors")).to_be_visible()
    await composer.press("Enter")
    await composer.press_sequentially("please")
    async with page.expect_response("**/sandbox/messages"):
        await composer.press("Enter")

    assert slack.bodies("messages")[0]["text"] == "<!subteam^SEDITORS> please"


async def test_nothing_is_written_in_an_archived_channel(slack: FakeSlack, open_page: OpenPage):
    page = await open_page()
    composer = page.get_by_placeholder("Message #content-reviews")
    await expect(composer).to_be_visible()
    [channel] = [one for one in slack.snapshot["channels"] if one["id"] == "CREVIEWS"]

    await slack.send({"type": "channel", "channel": {**channel, "is_archived": True}})

    await expect(page.get_by_text("This channel is archived.")).to_be_visible()
    await expect(composer).to_be_hidden()


async def test_nobody_acts_as_a_deactivated_person(slack: FakeSlack, open_page: OpenPage):
    page = await open_page(acting="UBRUNO")
    [bruno] = [one for one in slack.snapshot["users"] if one["id"] == "UBRUNO"]
    await expect(page.get_by_role("radio", name="Bruno")).to_be_checked()

    await slack.send({"type": "user", "user": {**bruno, "deleted": True}})

    await expect(page.get_by_role("radio", name="Bruno")).to_have_count(0)
    await expect(page.get_by_role("radio", name="Ana")).to_be_checked()


@pytest.mark.parametrize("acting", ["Ana", "Eve"])
async def test_who_one_acts_as_is_in_sight_on_a_narrow_screen(slack: FakeSlack, open_page: OpenPage, acting: str):
    page = await open_page(acting=f"U{acting.upper()}", width=360, path="/")

    await expect(page.get_by_role("radio", name=acting)).to_be_in_viewport(ratio=1)
