"""A flow is reviewed in a thread, end to end: real Bolt app, real client, real SQLite, the sandbox as Slack."""

from __future__ import annotations

import json
import re

import pytest

from bot.testing import Thread, button_labels, text_of


async def notes(slack, user: str, thread: Thread) -> list[str]:
    """What this person alone was told in a thread."""
    return [str(one["text"]) for one in await slack.messages(thread, user=user) if one.get("ephemeral")]


async def test_a_draft_is_sent_back_then_approved_and_published(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review topic=wasps")
    first = await slack.card(thread)
    assert "About wasps, version 1." in text_of(first)

    await slack.press("Bruno", first, "Ask for changes")
    await slack.until(lambda: slack.shows(thread, "version 2."))
    second = await slack.card(thread)
    await slack.press("Bruno", second, "Approve")
    await slack.until(lambda: slack.shows(thread, "Published wasps"))

    transcript = await slack.transcript(thread)
    assert "Bruno asked for changes" in transcript
    assert "✅ Bruno approved" in transcript
    assert transcript.count("was waiting for review") == 2
    assert {tuple(button_labels(message)) for message in await slack.messages(thread)} == {()}


async def test_whoever_must_act_is_mentioned_once_per_review_and_nobody_else_ever(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.press("Bruno", await slack.card(thread), "Ask for changes")
    await slack.until(lambda: slack.shows(thread, "version 2."))
    await slack.press("Bruno", await slack.card(thread), "Approve")
    await slack.until(lambda: slack.shows(thread, "Published"))

    posted = [call["args"] for call in await slack.slack.calls(method="chat.postMessage")]
    mentions = [re.findall(r"<@(\w+)>", json.dumps(args["blocks"])) for args in posted]
    assert [found for found in mentions if found] == [["UANA"], ["UANA"]]


@pytest.mark.parametrize(
    ("label", "shown", "final"),
    [
        ("Approve", "✅ Bruno approved", "Published bees"),
        ("Reject", "❌ Bruno rejected", "Archived bees"),
        ("Skip: Ask for changes", "↩️ Bruno skipped: Ask for changes", "version 2."),
    ],
)
async def test_each_button_takes_its_outcome(slack, label: str, shown: str, final: str) -> None:
    thread = await slack.start("Ana", "general", "draft_review")

    await slack.press("Bruno", await slack.card(thread), label)

    await slack.until(lambda: slack.shows(thread, shown))
    await slack.until(lambda: slack.shows(thread, final))


async def test_the_exact_label_in_words_decides(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)

    await slack.say("Bruno", thread, "  Approved ")

    await slack.until(lambda: slack.shows(thread, "Published bees"))


@pytest.mark.parametrize(
    "words", ["looks good to me", "not approved", "approved?", "approve it once the date is right", "👍", "ok ok ok"]
)
async def test_words_that_are_no_label_decide_nothing_and_show_the_buttons_again(slack, words: str) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)

    await slack.say("Bruno", thread, words)
    await slack.until(lambda: slack.shows(thread, "I can't tell if that is a yes."))

    assert "approved" not in (await slack.transcript(thread)).replace(words, "")
    assert button_labels(await slack.card(thread))[:3] == ["Approve", "Reject", "Ask for changes"]


async def test_unread_words_go_with_the_button_that_their_author_presses_below_them(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)
    await slack.say("Bruno", thread, "more about their nests")
    await slack.until(lambda: slack.shows(thread, "I can't tell"))

    await slack.press("Bruno", await slack.card(thread), "Reject")

    await slack.until(lambda: slack.shows(thread, "Archived bees: more about their nests"))
    assert {tuple(button_labels(message)) for message in await slack.messages(thread)} == {()}


async def test_quoted_words_name_people_and_mention_nobody(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)

    await slack.say("Bruno", thread, "ask <@UCARLA> first")

    await slack.until(lambda: slack.shows(thread, "> ask @Carla first"))


async def test_somebody_elses_press_below_unread_words_does_not_carry_them(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)
    await slack.say("Bruno", thread, "more about their nests")
    await slack.until(lambda: slack.shows(thread, "I can't tell"))

    await slack.press("Carla", await slack.card(thread), "Approve")

    await slack.until(lambda: slack.shows(thread, "Published bees (no comment)"))


async def test_a_late_click_is_told_privately_who_decided(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    await slack.press("Bruno", card, "Approve")
    await slack.until(lambda: slack.shows(thread, "Published"))

    await slack.press("Carla", card, "Reject")

    async def told() -> list[str]:
        return await notes(slack, "Carla", thread)

    assert "Bruno님이 이미 승인했습니다" in (await slack.until(told))[0]
    assert await notes(slack, "Bruno", thread) == []


async def test_a_gate_without_outcomes_is_answered_through_its_form(slack) -> None:
    thread = await slack.start("Ana", "general", "opinion")
    card = await slack.card(thread)
    assert button_labels(card) == ["Reply", "Skip"]

    await slack.press("Bruno", card, "Reply")
    await slack.submit("Bruno", "answer", "text", "Needs a source.")

    await slack.until(lambda: slack.shows(thread, "Noted: Needs a source."))
    assert "💬 Bruno answered" in await slack.transcript(thread)


async def test_a_gate_without_outcomes_takes_a_reply_as_its_answer(slack) -> None:
    thread = await slack.start("Ana", "general", "opinion")
    await slack.card(thread)

    await slack.say("Bruno", thread, "approved, I think")

    await slack.until(lambda: slack.shows(thread, "Noted: approved, I think"))


async def test_a_gate_without_outcomes_can_be_skipped(slack) -> None:
    thread = await slack.start("Ana", "general", "opinion")

    await slack.press("Bruno", await slack.card(thread), "Skip")

    await slack.until(lambda: slack.shows(thread, "Noted: nothing"))
    assert "Bruno skipped" in await slack.transcript(thread)


async def test_a_gate_in_another_channel_is_linked_both_ways(slack) -> None:
    home = await slack.start("Ana", "general", "elsewhere")
    await slack.until(lambda: slack.shows(home, "The decision is taken in"))
    [root] = [one for one in await slack.slack.messages("content-reviews") if button_labels(one)]
    there = Thread(channel="CREVIEWS", ts=str(root["ts"]))
    assert f"/archives/CGENERAL/p{home.ts.replace('.', '')}" in await slack.transcript(there)
    assert f"/archives/CREVIEWS/p{there.ts.replace('.', '')}" in await slack.transcript(home)

    await slack.say("Bruno", there, "approved")

    await slack.until(lambda: slack.shows(there, "Published elsewhere"))
    assert "Bruno approved" in await slack.transcript(home)


async def test_a_flow_that_asks_nobody_answers_in_its_thread(slack) -> None:
    thread = await slack.start("Ana", "general", "silent")

    await slack.until(lambda: slack.shows(thread, "All done: &lt;!channel&gt;"))


async def test_a_step_that_fails_after_the_approval_ends_in_somebodys_hands(slack) -> None:
    thread = await slack.start("Ana", "general", "broken")

    await slack.press("Bruno", await slack.card(thread), "Approve")

    await slack.until(lambda: slack.shows(thread, "⚠️ Bruno approved"))
    transcript = await slack.transcript(thread)
    assert "Nothing runs again by itself. Reference" in transcript
    assert "secret" not in transcript


async def test_a_restart_between_card_and_click_changes_nothing(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)

    await slack.restart()
    await slack.press("Bruno", card, "Approve")

    await slack.until(lambda: slack.shows(thread, "Published bees"))


async def test_a_mention_starts_a_flow_in_its_own_thread(slack) -> None:
    ts = await slack.slack.say("Ana", "general", "<@UFLOWBOT> start draft_review topic=moths")

    thread = Thread(channel="CGENERAL", ts=ts)
    assert "About moths, version 1." in text_of(await slack.card(thread))


async def test_a_direct_message_starts_a_flow_without_a_mention(slack) -> None:
    ts = await slack.slack.say("Ana", "DANA", "start draft_review topic=moths")
    thread = Thread(channel="DANA", ts=ts)

    await slack.press("Ana", await slack.card(thread), "Approve")

    await slack.until(lambda: slack.shows(thread, "Published moths"))


async def test_status_can_be_asked_inside_a_thread(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.card(thread)

    await slack.say("Bruno", thread, "<@UFLOWBOT> status")

    await slack.until(lambda: slack.shows(thread, "F-1 · *Draft review* · waiting for a decision"))
    await slack.until(lambda: slack.shows(thread, "R-1 · version 1 · waiting for review"))


async def test_two_flows_in_one_thread_never_mix_up(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review topic=first")
    first = await slack.card(thread)
    await slack.say("Ana", thread, "<@UFLOWBOT> start draft_review topic=second")
    await slack.until(lambda: slack.shows(thread, "About second"))

    await slack.say("Bruno", thread, "approved")
    await slack.until(lambda: slack.shows(thread, "2 decisions are open here."))
    await slack.press("Bruno", first, "Approve")

    await slack.until(lambda: slack.shows(thread, "Published first"))
    assert button_labels(await slack.card(thread))[0] == "Approve"
    assert "Published second" not in await slack.transcript(thread)


async def test_words_behind_a_decision_are_not_swallowed(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.press("Bruno", await slack.card(thread), "Approve")
    await slack.until(lambda: slack.shows(thread, "Published"))

    await slack.say("Carla", thread, "wait, use the other address")

    async def told() -> list[str]:
        return await notes(slack, "Carla", thread)

    assert "이미 승인했습니다" in (await slack.until(told))[0]
