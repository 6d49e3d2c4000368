"""The cases of the bug log about decisions, time and the record, each with its kind.

What another file proves already is named here and not proved twice:

| case | kind | proof |
|---|---|---|
| S11 openai-agents-python#4244 | decision lost on resume | `test_first_light: …_card_and_click_changes_nothing` |
| S13 dbos-transact-ts#1206 | two recoverers, divergent result | `tests/bot/db/test_two_processes.py` |
| S14 temporal-ruby#258 | words lost in the closing window | `test_first_light: …_behind_a_decision_are_not_swallowed` |
| S20 eve#531 | message-scoped update | `test_reliability: …_are_two_cards_and_each_is_decided_alone` |
| S23 activepieces#6671 | decision on GET | `test_threats: test_t16_…` |
| S25 bugbug#6732 | duplicate resume on double click | `test_races: …_delivered_again_decides_once` |
| S26 pilot#4411 | feedback lost at a restart | `test_crashes`, and the deadline in the gap below |
| langchain#37093, #40491 | a rejected action runs all the same | `test_service: …_executed_that_was_not_approved` |
| pydantic-ai#7624 | an answer of the wrong type | `test_service: …_of_the_wrong_kind_closes_nothing` |
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import pytest

from bot import SlackFeedbackProvider
from bot.render.review_card import DECIDE, REPLY, SKIP
from bot.reviews.model import ReviewState
from bot.testing.scenario import Payload, Scenario, Thread, scenario
from bot.testing.transcript import button_labels, choices, text_of
from flows import Flow, human_feedback, listen, or_, start


class DraftFlow(Flow):
    """A draft that goes round until somebody is content."""

    name = "draft"

    @start()
    def begin(self) -> str:
        return "begun"

    @human_feedback(message="Publish it?", emit=["approved", "rejected", "needs_revision"])
    @listen(or_("begin", "needs_revision"))
    def review(self) -> str:
        return "A draft."

    @listen("approved")
    def publish(self) -> str:
        return "Published once."

    @listen("rejected")
    def archive(self) -> str:
        return "Archived."


class TwoQuestionsFlow(Flow):
    """Two questions at once, with the same answers."""

    name = "two_questions"

    @start()
    @human_feedback(message="Is the text right?", emit=["approved", "rejected"])
    def text(self) -> str:
        return "The text."

    @start()
    @human_feedback(message="Is the picture right?", emit=["approved", "rejected"])
    def picture(self) -> str:
        return "The picture."


class FarFlow(Flow):
    """A gate whose card stands in a channel that is not there yet."""

    name = "far"

    @start()
    @human_feedback(message="Go?", emit=["approved", "rejected"], provider=SlackFeedbackProvider("#later"))
    def plan(self) -> str:
        return "A plan."


GATE = (
    "{tier: medium, review_time: 30m, pool: ['@bruno'], reason_codes: [],"
    " escalate_to: [{ask: ['@carla'], review_time: 15m}]}"
)
Make = Callable[..., AbstractAsyncContextManager[Scenario]]


@pytest.fixture
def make(tmp_path) -> Make:
    """A bot with these flows; its drafts are decided as `gate` says."""

    @asynccontextmanager
    async def made(*flows: type[Flow], gate: str = GATE) -> AsyncGenerator[Scenario, None]:
        policy = f"operators: ['@carla']\ngates:\n  draft.review: {gate}\n" if DraftFlow in flows else None
        async with scenario(tmp_path, *flows, policy=policy) as slack:
            yield slack

    return made


async def asked(slack: Scenario) -> tuple[Thread, Payload]:
    """The thread of a draft of Ana's, and its card."""
    thread = await slack.start("Ana", "general", "draft")
    card = await slack.card(thread)
    await slack.bot.dispatcher.drain()
    return thread, card


async def live(slack: Scenario) -> list[str]:
    """The labels of everything with which anybody can still decide, wherever it stands."""
    places = ["general", "DANA", "DBRUNO", "DCARLA"]
    shown = [one for place in places for one in await slack.slack.messages(place)]
    pressed = [(label, str(element["action_id"])) for one in shown for label, element in choices(one)]
    return [label for label, action in pressed if action.startswith((DECIDE, SKIP, REPLY))]


# ---------------------------------------------------------------- decisions


async def test_s07_pause_treated_as_error(make) -> None:
    async with make(DraftFlow) as slack:
        thread, _ = await asked(slack)

        status = await slack.command("Bruno", "general", "status")

        assert "waiting" in status
        assert "failed" not in status + await slack.transcript(thread)


async def test_s10_stale_resume_data(make) -> None:
    async with make(DraftFlow) as slack:
        thread, card = await asked(slack)
        await slack.say("Bruno", thread, "hmm, half as long?")
        await slack.until(lambda: slack.shows(thread, "I can't tell"))
        await slack.press("Bruno", await slack.card(thread), "Ask for changes")
        await slack.until(lambda: slack.shows(thread, "was waiting for review"))
        await slack.bot.dispatcher.drain()

        second = await slack.review(2)
        assert (second.is_pending, second.note, second.outcome) == (True, "", None)
        assert (await slack.review(1)).note == "hmm, half as long?"
        assert "Published" not in await slack.transcript(thread)
        assert (await slack.card(thread))["ts"] != card["ts"]


async def test_s12_resume_enters_the_asking_step_again(make) -> None:
    async with make(DraftFlow) as slack:
        thread, card = await asked(slack)

        await slack.press("Bruno", card, "Approve")
        await slack.until(lambda: slack.shows(thread, "Published once."))
        await slack.bot.dispatcher.drain()

        asking = [one for one in await slack.messages(thread) if "Publish it?" in text_of(one)]
        assert len(asking) == 1
        assert await live(slack) == []


async def by_button(slack: Scenario, thread: Thread) -> None:
    await slack.press("Bruno", await slack.card(thread), "Reject")


async def by_words(slack: Scenario, thread: Thread) -> None:
    await slack.say("Bruno", thread, "rejected")


async def by_command(slack: Scenario, thread: Thread) -> None:
    await slack.command("Carla", "general", "cancel R-1")


async def by_escalation(slack: Scenario, thread: Thread) -> None:
    await slack.pass_time(minutes=30)
    await slack.press("Carla", await slack.card(thread), "Reject")


async def by_timeout(slack: Scenario, thread: Thread) -> None:
    await slack.pass_time(minutes=30)
    await slack.pass_time(minutes=15)


@pytest.mark.parametrize("shows", ["link", "content"])
@pytest.mark.parametrize("ends", [by_button, by_words, by_command, by_escalation, by_timeout])
async def test_s21_stale_card(ends: Callable[[Scenario, Thread], Awaitable[None]], shows: str, make) -> None:
    async with make(DraftFlow, gate=GATE.replace("tier: medium", f"tier: medium, escalation_shows: {shows}")) as slack:
        await slack.slack.put_channel("general", members=["Ana", "Carla", "Flow reviews"])
        thread, card = await asked(slack)
        await slack.slack.put_channel("general", members=["Ana", "Bruno", "Carla", "Flow reviews"])

        await ends(slack, thread)

        async def over() -> bool:
            await slack.bot.dispatcher.drain()
            return (await slack.review(1)).state is ReviewState.CANCELLED and await live(slack) == []

        await slack.until(over)
        await slack.press("Bruno", card, "Approve")
        assert (await slack.review(1)).state is ReviewState.CANCELLED
        assert "Published" not in await slack.transcript(thread)


async def test_s21_whoever_was_asked_before_learns_who_decided(make) -> None:
    async with make(DraftFlow) as slack:
        thread, card = await asked(slack)
        await by_escalation(slack, thread)
        await slack.until(lambda: slack.shows(thread, "Archived."))

        await slack.press("Bruno", card, "Approve")

        async def told() -> str | None:
            shown = await slack.transcript(thread, user="Bruno")
            return shown if "Carla" in shown.rpartition("---")[2] else None

        assert "rejected" in (await slack.until(told)).rpartition("---")[2]


async def test_langgraph_6108_an_answer_without_an_id_goes_to_an_arbitrary_request(make) -> None:
    async with make(TwoQuestionsFlow) as slack:
        thread = await slack.start("Ana", "general", "two_questions")
        await slack.card(thread)
        await slack.bot.dispatcher.drain()

        await slack.say("Bruno", thread, "approved")
        await slack.until(lambda: slack.shows(thread, "2 decisions are open here"))
        await slack.bot.dispatcher.drain()

        assert [(await slack.review(n)).is_pending for n in (1, 2)] == [True, True]


# ---------------------------------------------------------------- time


async def test_airflow_55866_the_clock_starts_before_the_request_is_sent(make) -> None:
    async with make(FarFlow) as slack:
        home = await slack.start("Ana", "general", "far")
        await slack.until(lambda: slack.shows(home, "A decision is needed in #later"))
        await slack.pass_time(hours=3)
        unseen = await slack.review(1)
        await slack.slack.put_channel("later", members=["Ana", "Bruno", "Flow reviews"])
        await slack.restart()

        async def there() -> bool:
            return any(button_labels(one) for one in await slack.slack.messages("later"))

        await slack.until(there)
        await slack.bot.dispatcher.drain()

        seen = await slack.review(1)
        assert (unseen.posted_at, unseen.expires_at) == (None, None)
        assert seen.posted_at is not None
        assert seen.posted_at - seen.opened_at > timedelta(hours=3)
        assert seen.expires_at == seen.posted_at + timedelta(hours=4)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("times", [5, pytest.param(100, marks=pytest.mark.slow)])
async def test_airflow_55243_answer_and_timeout_in_one_instant(times: int, make) -> None:
    async with make(DraftFlow, gate="{tier: low, review_time: 1m}") as slack:
        for n in range(1, times + 1):
            thread, card = await asked(slack)
            await slack.slack.advance_clock(60)

            acked, _ = await asyncio.gather(slack.press("Bruno", card, "Approve"), slack.bot.escalation.tick())
            await slack.bot.dispatcher.drain()

            assert acked
            review = await slack.review(n)
            kinds = [entry.kind for entry in await slack.record(n)]
            assert kinds.count("decided") + kinds.count("auto_rejected") == 1
            assert review.state in (ReviewState.COMPLETED, ReviewState.CANCELLED)
            shown = await slack.transcript(thread, user="Bruno")
            assert ("Published once." in shown) != ("Archived." in shown)
            assert "error" not in shown.casefold()


async def test_parity_dynatrace_5_an_expiry_that_nothing_calls(make) -> None:
    async with make(DraftFlow, gate="{tier: low, review_time: 2m}") as slack:
        thread, _ = await asked(slack)

        # Nobody calls the clock's work here: the bot's own ticker does.
        await slack.slack.advance_clock(120)
        await slack.until(lambda: slack.shows(thread, "Archived."), within=15)

        assert (await slack.review(1)).source == "timeout"


async def test_s26_a_deadline_that_passes_while_the_bot_is_down(make) -> None:
    async with make(DraftFlow, gate="{tier: low, review_time: 2m}") as slack:
        thread, card = await asked(slack)
        await slack.stop_bot()
        await slack.slack.advance_clock(3_600)

        await slack.start_bot()
        await slack.until(lambda: slack.shows(thread, "Archived."), within=15)
        await slack.bot.dispatcher.drain()
        await slack.press("Bruno", card, "Approve")

        kinds = [entry.kind for entry in await slack.record(1)]
        assert kinds == ["opened", "posted", "auto_rejected", "started", "closed"]
        assert await live(slack) == []


# ---------------------------------------------------------------- the record


async def test_s08_a_refusal_is_no_silence_in_the_record(make) -> None:
    async with make(DraftFlow) as slack:
        thread, card = await asked(slack)

        await slack.press("Carla", card, "Approve")
        await slack.bot.dispatcher.drain()

        assert [(entry.kind, entry.actor, entry.reason_code) for entry in await slack.record(1)][-1] == (
            "denied",
            "TSANDBOX/UCARLA",
            "not_asked",
        )
        assert "Published" not in await slack.transcript(thread)
