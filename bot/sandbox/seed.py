"""Who and what is in the workspace before anybody has said a word."""

from dataclasses import replace

from bot.sandbox.vocabulary import ChannelId, GroupId, UserId
from bot.sandbox.workspace import (
    AppIdentity,
    Channel,
    Person,
    Team,
    UserGroup,
    Workspace,
    put_channel,
    put_group,
    put_person,
)

TEAM = Team(id="TSANDBOX", name="Sandbox", domain="sandbox")
OTHER_TEAM = Team(id="TOTHERCO", name="Other company", domain="otherco")
"""A company that is not ours; one channel is shared with it."""

APP = AppIdentity(id="ASANDBOX", name="Flow reviews", bot_user_id=UserId("UFLOWBOT"), bot_id="BFLOWBOT")

OTHER_BOT = AppIdentity(id="AOTHERAPP", name="Some other app", bot_user_id=UserId("UOTHERBOT"), bot_id="BOTHERBOT")
"""An app that is not ours; it exists so that its messages can be shown to count for nothing."""

PEOPLE = (
    Person(
        id=UserId("UANA"),
        name="ana",
        real_name="Ana",
        title="author",
        locale="pt-BR",
        tz="America/Sao_Paulo",
        tz_offset=-10_800,
        color="9f3a38",
        email="ana@example.test",
        team_id=TEAM.id,
    ),
    Person(
        id=UserId("UBRUNO"),
        name="bruno",
        real_name="Bruno",
        title="reviewer",
        locale="en-US",
        tz="Europe/Lisbon",
        tz_offset=0,
        color="2b6cb0",
        email="bruno@example.test",
        team_id=TEAM.id,
    ),
    Person(
        id=UserId("UCARLA"),
        name="carla",
        real_name="Carla",
        title="second reviewer",
        locale="ko-KR",
        tz="Asia/Seoul",
        tz_offset=32_400,
        color="2f855a",
        email="carla@example.test",
        team_id=TEAM.id,
    ),
    Person(
        id=UserId("UGIL"),
        name="gil",
        real_name="Gil",
        title="guest",
        locale="en-US",
        tz="Europe/Madrid",
        tz_offset=3_600,
        color="b7791f",
        email="gil@example.test",
        team_id=TEAM.id,
        is_restricted=True,
        is_ultra_restricted=True,
    ),
    # No email: of a stranger, an app is not told one.
    Person(
        id=UserId("UEVE"),
        name="eve",
        real_name="Eve",
        title="other company",
        locale="en-US",
        tz="America/New_York",
        tz_offset=-18_000,
        color="6b46c1",
        team_id=OTHER_TEAM.id,
        is_stranger=True,
    ),
)

BOTS = (
    Person(
        id=APP.bot_user_id,
        name="flowreviews",
        real_name=APP.name,
        title="app",
        color="5a3d8a",
        team_id=TEAM.id,
        is_bot=True,
    ),
    Person(
        id=OTHER_BOT.bot_user_id,
        name="otherapp",
        real_name=OTHER_BOT.name,
        title="another app",
        color="6b7280",
        team_id=TEAM.id,
        is_bot=True,
    ),
)

_STAFF = tuple(person.id for person in PEOPLE if person.team_id == TEAM.id and not person.is_restricted)

CHANNELS = (
    Channel(id=ChannelId("CGENERAL"), name="general", members=(*_STAFF, APP.bot_user_id)),
    Channel(id=ChannelId("CREVIEWS"), name="content-reviews", members=(*_STAFF, UserId("UGIL"), APP.bot_user_id)),
    Channel(
        id=ChannelId("CPARTNERS"),
        name="partners",
        members=(*_STAFF, UserId("UEVE"), APP.bot_user_id),
        is_ext_shared=True,
    ),
)

GROUPS = (
    UserGroup(id=GroupId("SEDITORS"), handle="editors", name="Editors", members=(UserId("UBRUNO"), UserId("UCARLA"))),
)


def seeded_workspace(now: float) -> Workspace:
    """A fresh workspace: who is where, and one direct message with the app for everybody of our own company."""
    workspace = Workspace(team=TEAM, app=APP, connected=(OTHER_TEAM,))
    for person in (*PEOPLE, *BOTS):
        put_person(workspace, person)
    for channel in CHANNELS:
        put_channel(workspace, replace(channel, created=int(now)))
    for group in GROUPS:
        put_group(workspace, replace(group, created=int(now), updated=int(now)))
    for person in PEOPLE:
        if person.team_id != TEAM.id:
            continue
        put_channel(
            workspace,
            Channel(
                id=ChannelId(f"D{person.id[1:]}"),
                name=f"@{person.real_name}",
                members=(person.id, APP.bot_user_id),
                is_im=True,
                user=person.id,
                created=int(now),
            ),
        )
    return workspace
