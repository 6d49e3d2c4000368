"""Two people at once: one decision, and a polite note for whoever was second."""

from __future__ import annotations

import asyncio

import pytest

from bot.testing import Thread


@pytest.mark.timeout(300)
@pytest.mark.parametrize("times", [10, pytest.param(200, marks=pytest.mark.slow)])
async def test_two_people_press_different_buttons_at_once_again_and_again(slack, times: int) -> None:
    for n in range(1, times + 1):
        thread = await slack.start("Ana", "general", f"draft_review topic=t{n}")
        card = await slack.card(thread)
        before = await slack.look()

        acked = await asyncio.gather(slack.press("Bruno", card, "Approve"), slack.press("Carla", card, "Reject"))
        assert acked == [True, True]
        await slack.slack.wait_for_call("chat.postEphemeral", after=before)
        await slack.until(lambda thread=thread: _ended(slack, thread))

        review = await slack.bot.reviews.store.by_number(slack.bot.team, n)
        audit = await slack.bot.reviews.store.audit(slack.bot.team, review.id)
        assert [entry.kind for entry in audit if entry.kind == "decided"] == ["decided"]
        told = [
            str(call["args"]["user"]) for call in await slack.slack.calls(method="chat.postEphemeral", after=before)
        ]
        loser = "UCARLA" if review.decided_by == "UBRUNO" else "UBRUNO"
        assert told == [loser]
        transcript = await slack.transcript(thread)
        assert transcript.count("was waiting for review") == 1
        assert ("Published" in transcript) != ("Archived" in transcript)


async def test_the_same_click_delivered_again_decides_once(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)

    await asyncio.gather(*(slack.press("Bruno", card, "Ask for changes") for _ in range(5)))
    await slack.until(lambda: slack.shows(thread, "version 2."))

    transcript = await slack.transcript(thread)
    assert transcript.count("was waiting for review") == 1
    assert "version 3." not in transcript


async def _ended(slack, thread: Thread) -> bool:
    transcript = await slack.transcript(thread)
    return "Published" in transcript or "Archived" in transcript
