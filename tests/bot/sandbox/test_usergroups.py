"""User groups: what the bot reads of them, how they change, how they are mentioned."""

import pytest

from bot.sandbox import DEFAULT_MANIFEST, Command, Manifest, SandboxError


async def test_the_editors_are_bruno_and_carla(slack):
    assert (await slack.usergroups_users_list(usergroup="SEDITORS"))["users"] == ["UBRUNO", "UCARLA"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        pytest.param({}, {}, id="neither"),
        pytest.param({"include_users": True}, {"users": ["UBRUNO", "UCARLA"]}, id="users"),
        pytest.param({"include_count": True}, {"user_count": 2}, id="count"),
    ],
)
async def test_a_group_is_listed_with_what_is_asked_for(slack, asked, told):
    [group] = (await slack.usergroups_list(**asked))["usergroups"]

    assert (group["id"], group["handle"], group["name"], group["date_delete"]) == ("SEDITORS", "editors", "Editors", 0)
    assert {key: group[key] for key in ("users", "user_count") if key in group} == told


async def test_a_disabled_group_is_there_for_those_who_ask_for_such(slack, control):
    await control.put_group("editors", is_disabled=True)

    listed = [(await slack.usergroups_list(include_disabled=flag))["usergroups"] for flag in (False, True)]
    members = await slack.usergroups_users_list(usergroup="SEDITORS", include_disabled=True)

    assert [[one["id"] for one in groups] for groups in listed] == [[], ["SEDITORS"]]
    assert listed[1][0]["date_delete"] > 0
    assert members["users"] == ["UBRUNO", "UCARLA"]


async def test_a_group_may_be_empty(slack, control):
    await control.put_group("editors", members=[])

    assert (await slack.usergroups_users_list(usergroup="SEDITORS"))["users"] == []


async def test_changed_members_are_told_with_who_came_and_who_went(control, bot, clock):
    clock.advance(60)

    await control.put_group("@editors", members=["Ana", "Bruno"])

    event = (await bot.next_body("subteam_members_changed"))["event"]
    assert (event["subteam_id"], event["added_users"], event["removed_users"]) == ("SEDITORS", ["UANA"], ["UCARLA"])
    assert event["date_update"] - event["date_previous_update"] == 60


async def test_a_disabled_group_is_told_and_its_members_are_not_said_to_have_changed(control, bot):
    await control.put_group("editors", is_disabled=True)

    assert (await bot.next_body("subteam_updated"))["event"]["subteam"]["date_delete"] > 0
    assert await control.deliveries(kind="subteam_members_changed") == []


async def test_a_new_group_is_told_and_has_an_id_of_its_own(slack, control, bot):
    made = await control.put_group("oncall", name="On call", members=["Ana", "ana"])

    assert (await bot.next_body("subteam_created"))["event"]["subteam"]["handle"] == "oncall"
    assert (made["id"][0], made["members"]) == ("S", ["UANA"])
    assert (await slack.usergroups_users_list(usergroup=made["id"]))["users"] == ["UANA"]


async def test_what_changes_nothing_is_not_told(control):
    await control.put_group("editors", members=["Bruno", "Carla"])

    assert await control.deliveries() == []


async def test_a_mention_reaches_the_bot_as_a_token(control, bot):
    await control.say("Ana", "content-reviews", "@editors please")

    event = (await bot.next_body("message"))["event"]
    assert event["text"] == "<!subteam^SEDITORS> please"
    [part] = event["blocks"][0]["elements"]
    assert part["elements"][0] == {"type": "usergroup", "usergroup_id": "SEDITORS"}


async def test_a_disabled_group_cannot_be_mentioned(control):
    await control.put_group("editors", is_disabled=True)

    await control.say("Ana", "content-reviews", "@editors please")

    [message] = await control.messages("content-reviews")
    assert message["text"] == "@editors please"


class TestEscapedCommand:
    """A command for which Slack puts tokens in the place of mentions."""

    @pytest.fixture
    def manifest(self) -> Manifest:
        return Manifest(
            scopes=DEFAULT_MANIFEST.scopes,
            commands=(Command(command="/flows", should_escape=True),),
            bot_events=DEFAULT_MANIFEST.bot_events,
        )

    async def test_a_group_is_a_token_with_its_handle(self, control):
        await control.command("Ana", "general", "/flows", "ask @editors")

        [sent] = await control.deliveries(kind="/flows")
        assert sent["payload"]["text"] == "ask <!subteam^SEDITORS|@editors>"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"handle": "editors", "members": ["Zoe"]}, "members", id="nobody"),
        pytest.param({"handle": "@"}, "handle", id="no handle"),
        pytest.param({"handle": "editors", "is_disabled": 1}, "is_disabled", id="no flag"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused(control, change, field):
    with pytest.raises(SandboxError) as refused:
        await control.put_group(**change)

    assert refused.value.answer["field"] == field
