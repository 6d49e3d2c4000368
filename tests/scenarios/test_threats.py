"""The threats of the review's way through Slack, each with the test that proves its defence."""

from __future__ import annotations

import json
import re

import aiohttp
import pytest

from bot.testing import button_labels, text_of
from bot.testing.transcript import choices
from flows import Flow, human_feedback, listen, start

HOSTILE = (
    "<!channel> <!here> <!everyone> <@UBRUNO> <!subteam^S1> @everyone <https://evil.example|your bank> "
    "javascript:alert(1) <slack://open> \u202eevil\u202c ✅ Legal approved"
)


class HostileFlow(Flow):
    """<!channel> a hostile docstring"""

    name = "hostile"

    @start()
    @human_feedback(
        message=f"Publish? {HOSTILE}",
        emit=["approved", "<!here>", "needs_revision"],
        default_outcome="<!here>",
        metadata={"labels": {"approved": {"en": "<!channel>"}}},
    )
    def draft(self) -> dict[str, str]:
        return {HOSTILE: HOSTILE, "text": HOSTILE}

    @listen("approved")
    def publish(self) -> str:
        return HOSTILE


@pytest.fixture
async def hostile(tmp_path):
    from bot.testing import scenario

    async with scenario(tmp_path, HostileFlow) as running:
        yield running


# ---------------------------------------------------------------- T01, T02: forged, replayed, stale


async def test_t01_a_click_with_an_invented_review_decides_nothing(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    action_id = str(dict(choices(card))["Approve"]["action_id"])

    for value in ("ffffffffffffffffffffffffffffffff:1", "1:1", "R-1:1", "' or 1=1 --:1"):
        assert await slack.slack.click("Bruno", "general", str(card["ts"]), action_id, value=value)

    assert button_labels(await slack.card(thread))[0] == "Approve"
    assert "Published" not in await slack.transcript(thread)


async def test_t01_a_click_from_another_card_is_refused_and_recorded(slack) -> None:
    first = await slack.start("Ana", "general", "draft_review topic=first")
    one = await slack.card(first)
    second = await slack.start("Ana", "general", "draft_review topic=second")
    other = await slack.card(second)
    value = dict(choices(one))["Approve"]["value"]

    await slack.slack.click(
        "Bruno", "general", str(other["ts"]), str(dict(choices(other))["Approve"]["action_id"]), value=value
    )

    review = await slack.bot.reviews.store.by_number(slack.bot.team, 1)
    kinds = [entry.kind for entry in await slack.bot.reviews.store.audit(slack.bot.team, review.id)]
    assert kinds == ["opened", "posted", "denied"]
    assert review.is_pending


async def test_t01_an_outcome_that_the_gate_does_not_have_decides_nothing(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    value = str(dict(choices(card))["Approve"]["value"])

    verdict = await slack.bot.host.answer(
        _decision(slack, review=value.split(":")[0], version=1, choice=7, card_ts=str(card["ts"]))
    )

    assert type(verdict).__name__ == "Unreadable"


async def test_t02_the_same_click_again_after_the_decision_is_told_and_decides_nothing(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    await slack.press("Bruno", card, "Ask for changes")
    await slack.until(lambda: slack.shows(thread, "version 2."))

    for _ in range(3):
        await slack.press("Bruno", card, "Approve")

    review = await slack.bot.reviews.store.by_number(slack.bot.team, 2)
    assert review.is_pending
    assert "Published" not in await slack.transcript(thread)


@pytest.mark.parametrize("version", [0, 2, 99])
async def test_t02_a_click_of_another_version_is_stale(slack, version: int) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    element = dict(choices(card))["Approve"]
    value = f"{str(element['value']).split(':')[0]}:{version}"

    await slack.slack.click("Bruno", "general", str(card["ts"]), str(element["action_id"]), value=value)

    async def told() -> list[str]:
        return [str(m["text"]) for m in await slack.messages(thread, user="Bruno") if m.get("ephemeral")]

    assert "This changed after you opened it" in (await slack.until(told))[0]
    assert button_labels(await slack.card(thread))[0] == "Approve"


# ---------------------------------------------------------------- T05: bots


@pytest.mark.parametrize("kind", ["app", "bot_message", "workflow", "as_user"])
async def test_t05_no_bot_decides_whatever_it_writes(slack, kind: str) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)

    await slack.slack.say("Ana", "general", "approved", thread_ts=thread.ts, bot_kind=kind)
    await slack.say("Bruno", thread, "<@UFLOWBOT> status")
    await slack.until(lambda: slack.shows(thread, "F-1"))

    assert button_labels(await slack.card(thread))[0] == "Approve"
    assert "Published" not in await slack.transcript(thread)


async def test_t05_a_bot_user_that_clicks_is_refused(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    review = str(dict(choices(card))["Approve"]["value"]).split(":")[0]

    verdict = await slack.bot.host.answer(
        _decision(slack, review=review, version=1, choice=0, card_ts=str(card["ts"]), user="UOTHERBOT")
    )

    assert verdict.refusal.reason == "bot"


async def test_t05_somebody_whom_slack_does_not_know_decides_nothing(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    await slack.slack.faults(method="users.info", times=10, fault="fatal_error")

    await slack.press("Bruno", card, "Approve")

    async def told() -> list[str]:
        return [str(m["text"]) for m in await slack.messages(thread, user="Bruno") if m.get("ephemeral")]

    assert "Slack could not confirm who you are" in (await slack.until(told))[0]
    assert button_labels(await slack.card(thread))[0] == "Approve"


# ---------------------------------------------------------------- T10: markup


async def test_t10_nothing_that_leaves_carries_a_token_from_people_or_models(hostile) -> None:
    thread = await hostile.start("Ana", "general", "hostile")
    await hostile.card(thread)
    await hostile.say("Bruno", thread, HOSTILE)
    await hostile.until(lambda: hostile.shows(thread, "I can't tell"))
    await hostile.say("Ana", thread, "<@UFLOWBOT> status <!channel>")
    await hostile.say("Ana", thread, "<@UFLOWBOT> list")
    await hostile.slack.command("Ana", "general", "/flows", "start <!channel> a=<!here>")
    await hostile.slack.command("Ana", "general", "/flows", "<!channel>")
    await hostile.press("Bruno", await hostile.card(thread), "&lt;!channel&gt;")
    await hostile.until(lambda: hostile.shows(thread, "✅"))
    await hostile.until(lambda: hostile.shows(thread, "javascript"))

    sent = [json.dumps(call["args"], ensure_ascii=False) for call in await hostile.slack.calls()]
    notes = json.dumps(await hostile.messages(thread, user="Ana"), ensure_ascii=False)
    allowed = r"<(?!!date\^|@UANA>|@UFLOWBOT>|#C|http://127\.0\.0\.1:)"
    assert [found for text in sent for found in re.findall(allowed + ".{0,30}", text)] == []
    assert "\u202e" not in "".join(sent)
    own = [m for m in json.loads(notes) if m.get("bot_id")]
    assert re.findall(allowed, json.dumps(own, ensure_ascii=False)) == []


async def test_t10_content_is_bounded_so_that_it_cannot_pass_for_the_bots_own_words(slack) -> None:
    thread = await slack.start("Ana", "general", 'draft_review topic="✅ Legal approved"')

    lines = text_of(await slack.card(thread)).split("\n")

    assert [line for line in lines if "Legal approved" in line and not line.startswith("> ")] == []


async def test_t10_links_are_never_fetched_by_slack_for_us(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review topic=https://intranet.example/x")
    await slack.card(thread)

    posts = await slack.slack.calls(method="chat.postMessage")
    assert {(call["args"]["unfurl_links"], call["args"]["unfurl_media"]) for call in posts} <= {
        (False, False),
        ("0", "0"),
    }


# ---------------------------------------------------------------- T16: GET


async def test_t16_no_link_of_any_message_decides_when_it_is_fetched(slack) -> None:
    home = await slack.start("Ana", "general", "elsewhere")
    await slack.until(lambda: slack.shows(home, "The decision is taken in"))
    shown = json.dumps(
        [
            *await slack.slack.messages("general"),
            *await slack.messages(home),
            *await slack.slack.messages("content-reviews"),
        ]
    )
    links = set(re.findall(r"http://127\.0\.0\.1:\d+/[^|>\"\\]+", shown))

    async with aiohttp.ClientSession() as session:
        for link in sorted(links) * 3:
            async with session.get(link) as response:
                await response.read()

    review = await slack.bot.reviews.store.by_number(slack.bot.team, 1)
    assert links
    assert review.is_pending


# ---------------------------------------------------------------- T17, as far as this path goes


async def test_t17_no_token_reaches_the_database_or_slack(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.press("Bruno", await slack.card(thread), "Approve")
    await slack.until(lambda: slack.shows(thread, "Published"))
    sent = json.dumps([call["args"] for call in await slack.slack.calls()])
    await slack.stop_bot()

    stored = b"".join(path.read_bytes() for path in slack.database.parent.glob("placet.db*"))
    for secret in ("xoxb-", "xapp-", "/reply/"):
        assert secret.encode() not in stored
        assert secret not in sent


def _decision(slack, *, review: str, version: int, choice: int, card_ts: str, user: str = "UBRUNO"):
    from bot.reviews.model import Decision
    from bot.types import ChannelId, MessageRef, ReviewId, Ts, UserId

    return Decision(
        team=slack.bot.team,
        review=ReviewId(review),
        version=version,
        choice=choice,
        user=UserId(user),
        user_team=slack.bot.team,
        source="button",
        card=MessageRef(channel=ChannelId("CGENERAL"), ts=Ts(card_ts)),
    )
