"""Words and cards in several threads and channels: nothing is decided, shown or started in the wrong place."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from bot import SlackFeedbackProvider
from bot.testing import Thread, button_labels, scenario, text_of
from flows import Flow, human_feedback, listen, or_, start

HOLD: dict[str, asyncio.Event] = {}


class LoopState(BaseModel):
    topic: str = "bees"
    version: int = 0


class LoopElsewhereFlow(Flow[LoopState]):
    """A review loop whose cards stand in another channel."""

    name = "loop_elsewhere"

    @start()
    def write(self) -> str:
        return "draft"

    @human_feedback(
        message="Publish it?",
        emit=["approved", "needs_revision"],
        default_outcome="needs_revision",
        provider=SlackFeedbackProvider("#content-reviews"),
    )
    @listen(or_("write", "needs_revision"))
    def review(self) -> str:
        self.state.version += 1
        return f"Draft, version {self.state.version}."

    @listen("approved")
    def publish(self) -> str:
        return f"Published version {self.state.version}"


class SlowRevisionFlow(Flow[LoopState]):
    """A loop whose revision takes as long as the test lets it."""

    name = "slow_revision"

    @start()
    def write(self) -> str:
        return "draft"

    @human_feedback(message="Publish it?", emit=["approved", "needs_revision"], default_outcome="needs_revision")
    @listen(or_("write", "needs_revision"))
    async def review(self) -> str:
        self.state.version += 1
        if self.state.version == 2:
            await HOLD["revision"].wait()
        return f"Draft, version {self.state.version}."

    @listen("approved")
    def publish(self) -> str:
        return f"Published version {self.state.version}"


class UnknownChannelFlow(Flow):
    """A gate that names a channel which does not exist."""

    name = "unknown_channel"

    @start()
    @human_feedback(message="Go?", emit=["approved"], provider=SlackFeedbackProvider("#no-such-channel"))
    def ask(self) -> str:
        return "A text."


class ChooserFlow(Flow):
    """A label of the flow's own."""

    name = "chooser"

    @start()
    @human_feedback(message="Which way?", emit=["needs_legal_check", "rejected"])
    def ask(self) -> str:
        return "A text."


class PlainAnswerFlow(Flow):
    """A gate without outcomes."""

    name = "plain_answer"

    @start()
    @human_feedback(message="What do you think?")
    def ask(self) -> str:
        return "A text."

    @listen(ask)
    def note(self, result: Any) -> str:
        return f"Noted: {result.feedback or 'nothing'}"


FLOWS = (LoopElsewhereFlow, SlowRevisionFlow, UnknownChannelFlow, ChooserFlow, PlainAnswerFlow)


@pytest.fixture
async def slack(tmp_path):
    HOLD["revision"] = asyncio.Event()
    async with scenario(tmp_path, *FLOWS) as running:
        yield running


async def card_threads(slack) -> list[Thread]:
    """The cards in #content-reviews, oldest first."""
    roots = [one for one in await slack.slack.messages("content-reviews") if "Publish it?" in text_of(one)]
    return [Thread(channel="CREVIEWS", ts=str(root["ts"])) for root in roots]


async def notes(slack, user: str, channel: str) -> list[str]:
    return [str(one["text"]) for one in await slack.slack.messages(channel, user=user) if one.get("ephemeral")]


async def test_words_decide_only_a_version_that_their_author_has_seen(slack) -> None:
    thread = await slack.start("Ana", "general", "slow_revision")
    await slack.press("Bruno", await slack.card(thread), "Ask for changes")
    await slack.until(lambda: slack.shows(thread, "Bruno asked for changes"))

    await slack.say("Carla", thread, "approved")
    HOLD["revision"].set()
    await slack.until(lambda: slack.shows(thread, "version 2."))
    await slack.bot.dispatcher.drain()

    assert "Published" not in await slack.transcript(thread)
    assert "Approve" in button_labels(await slack.card(thread))


async def test_words_in_the_thread_of_a_closed_card_decide_nothing_elsewhere(slack) -> None:
    await slack.start("Ana", "general", "loop_elsewhere")
    [first] = await slack.until(lambda: card_threads(slack))
    await slack.say("Bruno", first, "needs_revision")

    async def two() -> list[Thread]:
        found = await card_threads(slack)
        return found if len(found) == 2 else []

    _, second = await slack.until(two)
    await slack.say("Carla", first, "approved")
    await slack.say("Carla", second, "<@UFLOWBOT> status")
    await slack.until(lambda: slack.shows(second, "version 2"))
    await slack.bot.dispatcher.drain()

    assert "Approve" in button_labels(await slack.card(second))


async def test_words_in_the_runs_thread_decide_nothing_about_a_card_in_another_channel(slack) -> None:
    home = await slack.start("Ana", "DANA", "loop_elsewhere")
    [there] = await slack.until(lambda: card_threads(slack))

    await slack.say("Ana", home, "between us: this is not ready")
    await slack.say("Ana", home, "approved")
    await slack.say("Ana", home, "status")
    await slack.until(lambda: slack.shows(home, "R-1"))

    assert "between us" not in await slack.transcript(there)
    assert "Approve" in button_labels(await slack.card(there))


async def test_a_channel_that_slack_does_not_name_now_is_waited_for_and_not_replaced(slack) -> None:
    await slack.slack.faults(method="conversations.list", fault="fatal_error", times=1)

    home = await slack.start("Ana", "general", "loop_elsewhere")

    await slack.until(lambda: card_threads(slack))
    assert "Publish it?" not in await slack.transcript(home)


async def test_a_channel_that_does_not_exist_is_named_and_gets_its_card_once_it_does(slack) -> None:
    home = await slack.start("Ana", "general", "unknown_channel")
    await slack.until(lambda: slack.shows(home, "A decision is needed in #no-such-channel"))
    assert "Go?" not in await slack.transcript(home)

    await slack.slack.put_channel("no-such-channel", members=["Ana", "Bruno", "Flow reviews"])
    await slack.restart()

    async def there() -> list[Any]:
        return [one for one in await slack.slack.messages("no-such-channel") if button_labels(one)]

    assert await slack.until(there)


async def test_a_card_that_cannot_be_posted_leaves_the_version_before_settled(slack) -> None:
    home = await slack.start("Ana", "general", "loop_elsewhere")
    [first] = await slack.until(lambda: card_threads(slack))
    card = await slack.card(first)
    await slack.slack.put_channel("content-reviews", members=["Ana", "Bruno", "Carla"])

    await slack.press("Bruno", card, "Ask for changes")

    await slack.until(lambda: slack.shows(home, "A decision is needed in"))
    review = await slack.bot.reviews.store.by_number(slack.bot.team, 1)
    assert review.state == "completed"


async def test_the_status_of_a_private_run_is_told_in_private(slack) -> None:
    await slack.slack.put_channel("board", members=["Ana", "Flow reviews"], is_private=True)
    secret = await slack.start("Ana", "board", "slow_revision")
    await slack.card(secret)

    ts = await slack.slack.say("Ana", "general", "<@UFLOWBOT> status R-1")

    async def told() -> list[str]:
        return [note for note in await notes(slack, "Ana", "general") if "Slow revision" in note]

    assert await slack.until(told)
    assert "Slow revision" not in await slack.transcript(Thread(channel="CGENERAL", ts=ts))


async def test_a_flow_started_under_a_card_elsewhere_gets_a_thread_of_its_own_there(slack) -> None:
    await slack.slack.put_channel("board", members=["Ana", "Flow reviews"], is_private=True)
    home = await slack.start("Ana", "board", "loop_elsewhere")
    [there] = await slack.until(lambda: card_threads(slack))

    await slack.say("Bruno", there, "<@UFLOWBOT> start slow_revision topic=hornets")

    async def started() -> list[Any]:
        return [one for one in await slack.slack.messages("content-reviews") if "hornets" in text_of(one)]

    assert await slack.until(started)
    assert "hornets" not in await slack.transcript(home)


@pytest.mark.parametrize("words", ["<@UFLOWBOT>", "<@UFLOWBOT>  "], ids=["mention", "mention-and-space"])
async def test_saying_nothing_answers_no_gate(slack, words: str) -> None:
    thread = await slack.start("Ana", "general", "plain_answer")
    await slack.card(thread)

    await slack.say("Bruno", thread, words)
    await slack.until(lambda: slack.shows(thread, "what is running here"))

    assert "Noted" not in await slack.transcript(thread)


async def test_words_wait_until_slack_says_who_wrote_them(slack) -> None:
    thread = await slack.start("Ana", "general", "slow_revision")
    await slack.card(thread)
    await slack.slack.faults(method="users.info", fault="fatal_error", times=1)

    await slack.say("Bruno", thread, "approved")

    await slack.until(lambda: slack.shows(thread, "Published version 1"))


async def test_a_click_whose_channel_cannot_be_asked_is_no_refusal_of_the_person(slack) -> None:
    thread = await slack.start("Ana", "general", "slow_revision")
    card = await slack.card(thread)
    await slack.restart()
    await slack.slack.faults(method="conversations.members", fault="fatal_error", times=1)

    await slack.press("Bruno", card, "Approve")

    async def told() -> list[str]:
        return [str(one["text"]) for one in await slack.messages(thread, user="Bruno") if one.get("ephemeral")]

    assert "Slack could not confirm who you are" in (await slack.until(told))[0]
    review = await slack.bot.reviews.store.by_number(slack.bot.team, 1)
    audit = await slack.bot.reviews.store.audit(slack.bot.team, review.id)
    assert audit[-1].reason_code == "unknown_person"


async def test_somebody_who_has_just_joined_may_decide(slack) -> None:
    channel = await slack.slack.put_channel("small", members=["Ana", "Flow reviews"])
    thread = await slack.start("Ana", "small", "slow_revision")
    card = await slack.card(thread)
    await slack.slack.put_channel("small", members=["Ana", "Bruno", "Flow reviews"])

    await slack.press("Bruno", card, "Approve")

    await slack.until(lambda: slack.shows(thread, "Published version 1"))
    assert channel["name"] == "small"


async def test_a_late_click_on_a_label_of_the_flows_own_is_told_truly(slack) -> None:
    thread = await slack.start("Ana", "general", "chooser")
    card = await slack.card(thread)
    await slack.press("Bruno", card, "Needs legal check")
    await slack.until(lambda: slack.shows(thread, "Bruno chose “Needs legal check”"))

    await slack.press("Ana", card, "Reject")

    async def told() -> list[str]:
        return [str(one["text"]) for one in await slack.messages(thread, user="Ana") if one.get("ephemeral")]

    assert "Bruno já escolheu “Needs legal check”" in (await slack.until(told))[0]


async def test_a_chatty_thread_costs_one_edit_for_each_repeated_question(slack) -> None:
    thread = await slack.start("Ana", "general", "slow_revision")
    await slack.card(thread)
    before = await slack.look()

    for n in range(8):
        await slack.say("Bruno", thread, f"hm {n}")
    await slack.until(lambda: slack.shows(thread, "> hm 7"))
    await slack.bot.dispatcher.drain()

    edits = await slack.slack.calls(method="chat.update", after=before)
    assert len([call for call in edits if call["args"]["text"] == "The buttons are further down."]) == 7
    assert [len(button_labels(one)) for one in await slack.messages(thread) if button_labels(one)] == [3, 2]
