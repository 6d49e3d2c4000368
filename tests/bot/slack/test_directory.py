"""Who a policy means, asked of a real Slack API."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot import manifest
from bot.errors import SlackRefused, SlackUnavailable
from bot.reviews.gate_policy import Who
from bot.sandbox import BOT_TOKEN, Manifest, Sandbox, SandboxClient, read_manifest
from bot.slack.directory import Directory
from bot.slack.people import People
from bot.types import TeamId, UserId

EDITORS = Who(kind="group", id="SEDITORS", name="@editors")
REVIEWS = Who(kind="channel", id="CREVIEWS", name="#content-reviews")
ANA = Who(kind="person", id="UANA", name="@ana")


@dataclass
class Watch:
    """A clock that is moved by hand."""

    seconds: float = field(default=0.0)

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def app() -> Manifest:
    return read_manifest(manifest.text())


@pytest.fixture
async def sandbox(app: Manifest) -> AsyncIterator[Sandbox]:
    async with Sandbox(manifest=app) as running:
        yield running


@pytest.fixture
async def control(sandbox: Sandbox) -> AsyncIterator[SandboxClient]:
    async with SandboxClient(sandbox.url) as client:
        yield client


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def directory(sandbox: Sandbox, watch: Watch) -> Directory:
    client = AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url, retry_handlers=[])
    return Directory(client, People(client, TeamId("TSANDBOX"), monotonic=watch), monotonic=watch)


@pytest.mark.parametrize(
    ("name", "kind", "who"),
    [
        pytest.param("@editors", "group", "SEDITORS", id="group"),
        pytest.param("@Editors", "group", "SEDITORS", id="another-case"),
        pytest.param("@bruno", "person", "UBRUNO", id="person"),
        pytest.param("#content-reviews", "channel", "CREVIEWS", id="channel"),
        pytest.param("ana@example.test", "person", "UANA", id="address"),
        pytest.param("UCARLA", "person", "UCARLA", id="person-id"),
        pytest.param("SEDITORS", "group", "SEDITORS", id="group-id"),
        pytest.param("CGENERAL", "channel", "CGENERAL", id="channel-id"),
    ],
)
async def test_every_way_to_name_somebody_is_understood(directory, name, kind, who):
    assert await directory.find([name]) == {name: Who(kind=kind, id=who, name=name)}


@pytest.mark.parametrize(
    "name",
    ["@zoe", "#nowhere", "zoe@example.test", "UNOBODY", "SNOBODY", "CNOWHERE", "@eve", "@flowreviews", "UFLOWBOT"],
)
async def test_whoever_is_not_one_of_ours_is_not_found(directory, name):
    assert name not in await directory.find([name])


async def test_somebody_who_has_left_is_not_found(directory, control):
    await control.change_person("Bruno", deleted=True)

    assert await directory.find(["@bruno", "UBRUNO", "bruno@example.test"]) == {}


async def test_a_disabled_group_is_not_found(directory, control):
    await control.put_group("editors", is_disabled=True)

    assert "@editors" not in await directory.find(["@editors", "SEDITORS"])


@pytest.mark.parametrize(("wrong", "near"), [("@editor", "@editors"), ("@brumo", "@bruno")])
async def test_for_a_slip_the_nearest_name_is_given(directory, wrong, near):
    assert list(await directory.find([wrong])) == [near]


async def test_somebody_on_a_later_page_is_found(sandbox, control):
    client = AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url, retry_handlers=[])
    directory = Directory(client, People(client, TeamId("TSANDBOX")), page=2)

    assert (await directory.find(["@carla"]))["@carla"].id == "UCARLA"
    assert len(await control.calls(method="users.list")) > 1


async def test_nothing_is_asked_for_no_names(directory, control):
    assert await directory.find([]) == {}
    assert await control.calls() == []


async def test_a_workspace_whose_plan_has_no_groups_still_has_people(directory, control):
    await control.faults(switch="plan_upgrade_required", on=True)

    assert list(await directory.find(["@bruno"])) == ["@bruno"]


async def test_an_app_without_the_right_to_ask_is_told_so(sandbox):
    client = AsyncWebClient(token="xoxb-wrong", base_url=sandbox.api_url, retry_handlers=[])

    with pytest.raises(SlackRefused):
        await Directory(client, People(client, TeamId("TSANDBOX"))).find(["@editors"])


@pytest.mark.parametrize("name", ["@editors", "UANA", "ana@example.test", "#general"])
async def test_no_answer_is_never_taken_for_nobody(name):
    client = AsyncWebClient(token=BOT_TOKEN, base_url="http://127.0.0.1:9/api/", retry_handlers=[])

    with pytest.raises(SlackUnavailable):
        await Directory(client, People(client, TeamId("TSANDBOX"))).find([name])


async def test_those_who_are_meant_are_everybody_in_every_part(directory):
    assert await directory.people([EDITORS, ANA]) == {"UANA", "UBRUNO", "UCARLA"}
    assert "UGIL" in (await directory.people([REVIEWS]) or ())
    assert await directory.people([]) == frozenset()


async def test_a_name_that_was_never_looked_up_is_nobody(directory):
    assert await directory.people([Who(kind="name", id="@editors", name="@editors")]) == frozenset()


async def test_who_left_a_group_is_meant_for_a_minute_at_most(directory, control, watch):
    await directory.people([EDITORS])
    await control.put_group("editors", members=["Carla"])

    watch.seconds = 59.9
    within = await directory.people([EDITORS], asking=UserId("UBRUNO"))
    watch.seconds = 60.0
    after = await directory.people([EDITORS], asking=UserId("UBRUNO"))

    assert (within, after) == ({"UBRUNO", "UCARLA"}, {"UCARLA"})


async def test_who_joined_a_group_is_meant_at_once(directory, control):
    await directory.people([EDITORS])
    await control.put_group("editors", members=["Ana", "Bruno"])

    assert await directory.people([EDITORS], asking=UserId("UANA")) == {"UANA", "UBRUNO"}


async def test_after_a_change_was_told_nothing_old_is_used(directory, control):
    await directory.people([EDITORS])
    await control.put_group("editors", members=["Carla"])

    directory.forget()

    assert await directory.people([EDITORS], asking=UserId("UBRUNO")) == {"UCARLA"}


async def test_known_members_are_not_asked_for_again(directory, control):
    await directory.people([EDITORS], asking=UserId("UBRUNO"))
    before = await control.last_call()

    await directory.people([EDITORS], asking=UserId("UCARLA"))

    assert await control.calls(after=before) == []


async def test_a_group_that_was_disabled_is_nobody(directory, control):
    await control.put_group("editors", is_disabled=True)

    assert await directory.people([EDITORS]) == frozenset()


@pytest.mark.parametrize("who", [EDITORS, REVIEWS], ids=["group", "channel"])
async def test_nobody_acts_while_slack_does_not_say(who):
    client = AsyncWebClient(token=BOT_TOKEN, base_url="http://127.0.0.1:9/api/", retry_handlers=[])

    assert await Directory(client, People(client, TeamId("TSANDBOX"))).people([ANA, who]) is None


def test_the_manifest_asks_for_what_looking_people_up_needs(app):
    assert {"usergroups:read", "users:read", "users:read.email"} <= app.scopes
    assert {"user_change", "subteam_updated", "subteam_members_changed"} <= app.bot_events
    assert {"channel_archive", "channel_unarchive", "group_archive", "group_unarchive"} <= app.bot_events


GIL = Who(kind="person", id="UGIL", name="@gil")
EVE = Who(kind="person", id="UEVE", name="@eve")


@pytest.mark.parametrize(
    ("who", "can"),
    [
        pytest.param(ANA, True, id="a-full-member"),
        pytest.param(GIL, False, id="a-guest"),
        pytest.param(EVE, False, id="a-stranger"),
        pytest.param(EDITORS, True, id="a-group"),
        pytest.param(REVIEWS, True, id="a-channel"),
        pytest.param(Who(kind="name", id="@ana", name="@ana"), False, id="never-looked-up"),
    ],
)
async def test_who_can_decide_at_all_is_known(directory, who, can):
    assert await directory.deciding([who]) == {who: can}


@pytest.mark.parametrize(
    ("members", "can"), [([], False), (["Gil"], False), (["Gil", "Eve"], False), (["Gil", "Bruno"], True)]
)
async def test_a_group_can_decide_when_one_of_its_members_can(directory, control, members, can):
    await control.put_group("editors", members=members)

    assert await directory.deciding([EDITORS]) == {EDITORS: can}


async def test_whoever_has_left_cannot_decide(directory, control):
    await control.change_person("Ana", deleted=True)

    assert await directory.deciding([ANA]) == {ANA: False}


@pytest.mark.parametrize(
    ("who", "method"), [(EDITORS, "usergroups.users.list"), (REVIEWS, "conversations.members"), (ANA, "users.info")]
)
async def test_when_slack_is_silent_nobody_is_known_to_be_able_to_decide(directory, control, who, method):
    await control.faults(method=method, fault="fatal_error", times=5)

    assert await directory.deciding([who]) == {who: None}
