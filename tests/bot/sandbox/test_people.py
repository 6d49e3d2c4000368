"""A guest, somebody of another company, and accounts that change while the bot looks."""

import pytest

from bot.sandbox import DEFAULT_MANIFEST, Manifest, SandboxError

KINDS = ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted")


async def kinds_of(slack, user: str) -> list[str]:
    record = (await slack.users_info(user=user))["user"]
    return [kind for kind in KINDS if record[kind]]


async def places_of(control, user: str) -> list[str]:
    return [one["name"] for one in (await control.state())["channels"] if user in one["members"]]


async def last_payload(control, kind: str):
    return (await control.deliveries(kind=kind, wait_s=5))[-1]["payload"]


async def test_gil_is_a_guest_in_one_channel(slack, control):
    assert await kinds_of(slack, "UGIL") == ["is_restricted", "is_ultra_restricted"]
    assert await places_of(control, "UGIL") == ["content-reviews", "@Gil"]


async def test_eve_is_of_another_company_and_in_the_shared_channel_only(slack, control):
    user = (await slack.users_info(user="UEVE"))["user"]

    assert await kinds_of(slack, "UEVE") == ["is_stranger"]
    assert (user["team_id"], user["profile"]["team"], "email" in user["profile"]) == ("TOTHERCO", "TOTHERCO", False)
    assert await places_of(control, "UEVE") == ["partners"]


@pytest.mark.parametrize(("channel", "is_shared"), [("CPARTNERS", True), ("CREVIEWS", False)])
async def test_a_channel_says_whether_it_is_shared(slack, channel, is_shared):
    record = (await slack.conversations_info(channel=channel))["channel"]

    assert (record["is_ext_shared"], "TOTHERCO" in record.get("shared_team_ids", [])) == (is_shared, is_shared)


async def test_what_eve_writes_carries_her_company(control, bot):
    await control.say("Eve", "partners", "@Flow reviews approve")

    bodies = {kind: await bot.next_body(kind) for kind in ("app_mention", "message")}
    told = {
        kind: (body["team_id"], body["is_ext_shared_channel"], body["event"]["team"], body["event"]["user_team"])
        for kind, body in bodies.items()
    }
    assert told == dict.fromkeys(("app_mention", "message"), ("TSANDBOX", True, "TOTHERCO", "TOTHERCO"))


@pytest.mark.parametrize("channel", ["partners", "content-reviews"])
async def test_what_our_own_people_write_carries_no_card(control, bot, channel):
    await control.say("Ana", channel, "hello")

    body = await bot.next_body("message")
    assert (body["is_ext_shared_channel"], "user_team" in body["event"]) == (channel == "partners", False)


@pytest.mark.usefixtures("willing_socket")
async def test_a_press_of_eves_names_her_company_and_our_workspace(slack, control, card):
    ts = (await slack.chat_postMessage(channel="CPARTNERS", text="card", blocks=card))["ts"]

    await control.click("Eve", "partners", ts, "approve")

    body = await last_payload(control, "block_actions")
    assert (body["user"]["team_id"], body["team"]["id"]) == ("TOTHERCO", "TSANDBOX")


@pytest.mark.usefixtures("willing_socket")
async def test_a_form_of_eves_is_of_her_company_and_names_where_the_app_is_installed(slack, control, card):
    title = {"type": "plain_text", "text": "Why"}
    ts = (await slack.chat_postMessage(channel="CPARTNERS", text="card", blocks=card))["ts"]
    await control.click("Eve", "partners", ts, "approve")
    trigger = (await last_payload(control, "block_actions"))["trigger_id"]
    view = {"type": "modal", "title": title, "submit": title, "notify_on_close": True, "blocks": []}
    opened = await slack.views_open(trigger_id=trigger, view=view)

    await control.close("Eve", opened["view"]["id"])

    body = await last_payload(control, "view_closed")
    assert (body["team"], body["user"]["team_id"]) == ({"id": "TOTHERCO", "domain": "otherco"}, "TOTHERCO")
    assert body["view"]["app_installed_team_id"] == "TSANDBOX"


async def test_a_deactivated_person_is_told_of_and_reads_as_such(slack, control, bot):
    await control.change_person("Bruno", deleted=True)

    event = (await bot.next_body("user_change"))["event"]
    assert (event["user"]["id"], event["user"]["deleted"], event["user"]["locale"]) == ("UBRUNO", True, "en-US")
    assert await kinds_of(slack, "UBRUNO") == ["deleted"]


class TestWithoutTheEvent:
    """A manifest that asks neither for user_change nor for email addresses."""

    @pytest.fixture
    def manifest(self) -> Manifest:
        return Manifest(
            scopes=DEFAULT_MANIFEST.scopes - {"users:read.email"},
            commands=DEFAULT_MANIFEST.commands,
            bot_events=DEFAULT_MANIFEST.bot_events - {"user_change"},
        )

    async def test_a_change_is_not_told(self, control):
        await control.change_person("Bruno", deleted=True)

        assert await control.deliveries() == []

    async def test_addresses_are_not_told(self, slack):
        user = (await slack.users_info(user="UCARLA"))["user"]

        assert "email" not in user["profile"]


async def test_what_changes_nothing_is_not_told(control):
    await control.change_person("Bruno", deleted=False)

    assert await control.deliveries() == []


@pytest.mark.parametrize(
    ("user", "change", "kinds"),
    [
        pytest.param("UANA", {"is_restricted": True}, ["is_restricted"], id="guest"),
        pytest.param(
            "UANA", {"is_ultra_restricted": True}, ["is_restricted", "is_ultra_restricted"], id="single-channel guest"
        ),
        pytest.param("UGIL", {"is_restricted": False}, [], id="full member"),
        pytest.param("UEVE", {"is_stranger": False}, [], id="known outsider"),
    ],
)
async def test_a_persons_kind_can_be_changed(slack, control, user, change, kinds):
    await control.change_person(user, **change)

    assert await kinds_of(slack, user) == kinds


async def test_a_persons_language_and_address_can_be_changed(slack, control):
    await control.change_person("Bruno", locale="pt-PT", email="b@example.test")

    user = (await slack.users_info(user="UBRUNO", include_locale=True))["user"]
    assert (user["locale"], user["profile"]["email"]) == ("pt-PT", "b@example.test")


@pytest.mark.parametrize("address", ["ana@example.test", "ANA@example.test"])
async def test_a_person_is_found_by_address(slack, address):
    assert (await slack.users_lookupByEmail(email=address))["user"]["id"] == "UANA"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"user": "Zoe", "deleted": True}, "user", id="nobody"),
        pytest.param({"user": "UFLOWBOT", "deleted": True}, "user", id="an app"),
        pytest.param({"user": "Ana", "deleted": "yes"}, "deleted", id="no flag"),
        pytest.param({"user": "Ana", "locale": 7}, "locale", id="no text"),
        pytest.param({"user": "Ana", "name": "x"}, "name", id="unknown field"),
        pytest.param(
            {"user": "Ana", "is_restricted": False, "is_ultra_restricted": True}, "is_restricted", id="contradiction"
        ),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused(control, change, field):
    with pytest.raises(SandboxError) as refused:
        await control.change_person(**change)

    assert (refused.value.status, refused.value.answer["field"]) == (400, field)


@pytest.mark.parametrize(
    ("act", "args"),
    [
        pytest.param("say", ("Bruno", "general", "hi"), id="say"),
        pytest.param("command", ("Bruno", "general", "/flows"), id="command"),
        pytest.param("open_home", ("Bruno",), id="home"),
    ],
)
async def test_a_deactivated_person_does_nothing_more(control, act, args):
    await control.change_person("Bruno", deleted=True)

    with pytest.raises(SandboxError) as refused:
        await getattr(control, act)(*args)

    assert "deactivated" in refused.value.answer["expected"]


@pytest.mark.usefixtures("willing_socket")
async def test_a_press_that_was_on_its_way_still_arrives(slack, control, card):
    ts = (await slack.chat_postMessage(channel="CREVIEWS", text="card", blocks=card))["ts"]
    await control.change_person("Bruno", deleted=True)

    await control.click("Bruno", "content-reviews", ts, "approve")

    assert (await last_payload(control, "block_actions"))["user"]["id"] == "UBRUNO"


async def test_the_direct_message_with_a_deactivated_person_says_so(slack, control):
    await control.change_person("Bruno", deleted=True)

    record = (await slack.conversations_info(channel="DBRUNO"))["channel"]

    assert record["is_user_deleted"] is True


async def test_starting_over_brings_everybody_back(slack, control):
    await control.change_person("Bruno", deleted=True)

    await control.reset()

    assert await kinds_of(slack, "UBRUNO") == []
