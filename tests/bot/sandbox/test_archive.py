"""Archived channels: what is told, what is refused, and what comes back."""

import pytest
from slack_sdk.errors import SlackApiError

from bot.sandbox import SandboxError


@pytest.mark.parametrize(("is_private", "family"), [(False, "channel"), (True, "group")], ids=["public", "private"])
async def test_the_bot_is_told_when_a_channel_is_archived_and_when_it_is_back(control, bot, is_private, family):
    made = await control.put_channel("plans", members=["Ana", "flowreviews"], is_private=is_private)

    await control.put_channel("plans", is_archived=True, user="Bruno")
    await control.put_channel("plans", is_archived=False, user="Bruno")

    events = [(await bot.next_body(f"{family}_{act}"))["event"] for act in ("archive", "unarchive")]
    assert [(one["channel"], one["user"]) for one in events] == [(made["id"], "UBRUNO")] * 2


async def test_the_bot_hears_nothing_of_a_private_channel_it_is_not_in(control):
    await control.put_channel("secret", members=["Ana"], is_private=True)

    await control.put_channel("secret", is_archived=True)

    assert await control.deliveries(kind="group_archive") == []


async def test_posting_works_again_once_the_channel_is_back(slack, control):
    await control.put_channel("content-reviews", is_archived=True)
    with pytest.raises(SlackApiError) as refused:
        await slack.chat_postMessage(channel="CREVIEWS", text="hi")

    await control.put_channel("content-reviews", is_archived=False)

    assert refused.value.response["error"] == "is_archived"
    assert (await slack.chat_postMessage(channel="CREVIEWS", text="hi"))["ok"]


@pytest.mark.parametrize("act", ["say", "command", "edit", "delete"])
async def test_people_write_nothing_in_an_archived_channel(control, act):
    ts = await control.say("Ana", "general", "hi")
    await control.put_channel("general", is_archived=True)
    args = {"say": ("more",), "command": ("/flows",), "edit": (ts, "other"), "delete": (ts,)}[act]

    with pytest.raises(SandboxError) as refused:
        await getattr(control, act)("Ana", "general", *args)

    assert "archived" in refused.value.answer["expected"]


async def test_a_changed_channel_keeps_what_is_not_spoken_of(control):
    before = next(one for one in (await control.state())["channels"] if one["id"] == "CPARTNERS")

    after = await control.put_channel("partners", is_archived=True)

    assert after == {**before, "is_archived": True}
