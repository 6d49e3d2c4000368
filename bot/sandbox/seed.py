"""Who and what is in the workspace before anybody has said a word."""

from bot.sandbox.vocabulary import ChannelId, UserId
from bot.sandbox.workspace import AppIdentity, Channel, Person, Team, Workspace, add_person, put_channel

TEAM = Team(id="TSANDBOX", name="Sandbox", domain="sandbox")
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

CHANNELS = ((ChannelId("CGENERAL"), "general"), (ChannelId("CREVIEWS"), "content-reviews"))


def seeded_workspace(now: float) -> Workspace:
    """A fresh workspace: everybody and the app in both channels, and one direct message each with the app."""
    workspace = Workspace(team=TEAM, app=APP)
    for person in (*PEOPLE, *BOTS):
        add_person(workspace, person)
    everybody = (*(person.id for person in PEOPLE), APP.bot_user_id)
    for channel_id, name in CHANNELS:
        put_channel(workspace, Channel(id=channel_id, name=name, members=everybody, created=int(now)))
    for person in PEOPLE:
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
