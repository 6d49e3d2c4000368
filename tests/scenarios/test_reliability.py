"""What happens when Slack, a flow or the catalog lets the bot down: nothing is lost, nothing is said twice."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from bot.testing import Thread, button_labels, scenario, text_of
from flows import Flow, HumanFeedbackPending, PendingFeedbackContext, human_feedback, listen, start


class MailProvider:
    """A flow author's own provider, which pauses and knows nothing of Slack."""

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        raise HumanFeedbackPending(context=context, callback_info={"slack_channel": "#content-reviews", "mail": "x"})


class OwnProviderFlow(Flow):
    """A gate with a provider of its own."""

    name = "own_provider"

    @start()
    @human_feedback(message="Send it?", emit=["approved", "rejected"], provider=MailProvider())
    def ask(self) -> str:
        return "A letter."

    @listen("approved")
    def send(self) -> str:
        return "The letter is sent."


class TwoGatesFlow(Flow):
    """Two questions at once."""

    name = "two_gates"

    @start()
    @human_feedback(message="Is the text right?", emit=["text_ok", "rejected"])
    def text(self) -> str:
        return "The text."

    @start()
    @human_feedback(message="Is the picture right?", emit=["picture_ok", "rejected"])
    def picture(self) -> str:
        return "The picture."

    @listen("text_ok")
    def use_text(self) -> str:
        return "text used"

    @listen("picture_ok")
    def use_picture(self) -> str:
        return "picture used"


@pytest.fixture
async def others(tmp_path):
    async with scenario(tmp_path, OwnProviderFlow, TwoGatesFlow) as running:
        yield running


async def count(slack, thread: Thread, text: str) -> int:
    return (await slack.transcript(thread)).count(text)


async def test_a_flows_own_pausing_provider_still_gets_a_card_in_its_thread(others) -> None:
    thread = await others.start("Ana", "general", "own_provider")

    await others.press("Bruno", await others.card(thread), "Approve")

    await others.until(lambda: others.shows(thread, "The letter is sent."))


async def test_two_gates_of_one_run_are_two_cards_and_each_is_decided_alone(others) -> None:
    thread = await others.start("Ana", "general", "two_gates")

    async def both() -> list[Any]:
        live = [one for one in await others.messages(thread) if button_labels(one)]
        return live if len(live) == 2 else []

    for card in await others.until(both):
        label = "Text ok" if "text right" in text_of(card) else "Picture ok"
        await others.press("Bruno", {**card, "channel": thread.channel}, label)

    # The run's result is what its last branch gave; it stands on the card that was decided last.
    await others.until(lambda: others.shows(thread, " used"))
    assert await count(others, thread, "was waiting for review") == 2


async def test_a_post_whose_answer_is_lost_is_not_posted_again(slack) -> None:
    await slack.slack.faults(method="chat.postMessage", fault="http_500_after_write", times=1)
    thread = await slack.start("Ana", "general", "draft_review")
    await slack.slack.faults(method="chat.postMessage", fault="http_500_after_write", times=1)

    await slack.press("Bruno", await slack.card(thread), "Approve")
    await slack.until(lambda: slack.shows(thread, "Published"))

    assert await count(slack, thread, "*Publish this draft?*") == 1
    assert await count(slack, thread, "was waiting for review") == 1
    roots = [one for one in await slack.slack.messages("general") if one.get("thread_ts") in (None, one["ts"])]
    assert len(roots) == 1


async def test_a_card_that_slack_did_not_update_is_drawn_again(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    await slack.slack.faults(method="chat.update", fault="internal_error", times=3)

    await slack.press("Bruno", card, "Approve")

    await slack.until(lambda: slack.shows(thread, "✅ Bruno approved"))
    await slack.until(lambda: slack.shows(thread, "Published bees"))


async def test_a_card_beyond_the_edit_window_does_not_stop_the_flow(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    await slack.slack.faults(switch="edit_window_closed", on=True)

    await slack.press("Bruno", card, "Approve")

    await slack.until(lambda: slack.shows(thread, "Bruno approved"))
    await slack.press("Carla", card, "Reject")

    async def told() -> list[str]:
        return [str(one["text"]) for one in await slack.messages(thread, user="Carla") if one.get("ephemeral")]

    assert "이미 승인했습니다" in (await slack.until(told))[0]


async def test_one_message_delivered_twice_starts_one_flow(slack) -> None:
    await slack.slack.faults(delivery="duplicate", times=2)

    ts = await slack.slack.say("Ana", "general", "<@UFLOWBOT> start draft_review")
    thread = Thread(channel="CGENERAL", ts=ts)
    await slack.card(thread)
    await slack.bot.dispatcher.drain()

    assert await count(slack, thread, "*Publish this draft?*") == 1


async def test_a_flow_that_left_the_catalog_keeps_its_decision_until_it_is_back(slack) -> None:
    thread = await slack.start("Ana", "general", "draft_review")
    card = await slack.card(thread)
    offered = [entry.flow_class for entry in slack.flows]
    await slack.restart(OwnProviderFlow)

    await slack.press("Bruno", card, "Approve")
    await slack.until(lambda: slack.shows(thread, "Draft review can't go on"))
    await slack.restart(*offered)

    await slack.until(lambda: slack.shows(thread, "Published bees"))


async def test_a_flow_cannot_be_started_where_the_bot_may_not_post(slack) -> None:
    await slack.slack.put_channel("private-talk", members=["Ana"], is_private=True)

    await slack.slack.command("Ana", "private-talk", "/flows", "start draft_review")

    async def told() -> list[str]:
        return [text_of(one) for one in await slack.slack.messages("DANA")]

    assert "Não consigo publicar em" in (await slack.until(told))[0]


async def test_a_run_of_another_channel_is_not_shown_to_who_cannot_see_it(slack) -> None:
    await slack.slack.put_channel("board", members=["Ana", "Flow reviews"], is_private=True)
    thread = await slack.start("Ana", "board", "draft_review topic=secret")
    await slack.card(thread)

    await slack.slack.command("Bruno", "general", "/flows", "status R-1")
    await slack.slack.command("Ana", "general", "/flows", "status R-1")

    async def told(user: str) -> list[str]:
        return [text_of(one) for one in await slack.slack.messages("general", user=user) if one.get("ephemeral")]

    assert "There is no “R-1” that you can see." in (await slack.until(lambda: told("Bruno")))[0]
    assert "Draft review" in (await slack.until(lambda: told("Ana")))[0]


async def test_a_person_outside_the_channel_decides_nothing(slack) -> None:
    await slack.slack.put_channel("board", members=["Ana", "Flow reviews"], is_private=True)
    thread = await slack.start("Ana", "board", "draft_review")
    card = await slack.card(thread)
    review = await slack.bot.reviews.store.by_number(slack.bot.team, 1)

    from bot.reviews.model import Decision
    from bot.types import ChannelId, MessageRef, Ts, UserId

    verdict = await slack.bot.host.answer(
        Decision(
            team=slack.bot.team,
            review=review.id,
            version=1,
            choice=0,
            user=UserId("UBRUNO"),
            user_team=slack.bot.team,
            source="button",
            card=MessageRef(channel=ChannelId(thread.channel), ts=Ts(str(card["ts"]))),
        )
    )

    assert verdict.refusal.reason == "not_member"


class RefundState(BaseModel):
    order: str
    amount: float = 1.0


class RefundFlow(Flow[RefundState]):
    """A flow that needs an input."""

    name = "refund_payment"

    @start()
    def work(self) -> str:
        return f"Refunded {self.state.amount} for {self.state.order}"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("start refund_payment", "Refund payment needs: `order`. For example: `/flows start refund_payment order=…`"),
        ("start refund_payment order=A-1 amount=lots", "“lots” is no valid value for `amount`."),
        ("start refund-pament", "Did you mean `refund_payment`?"),
        ("list", "`/flows start refund_payment order=…`"),
    ],
    ids=["missing", "invalid", "unknown", "list"],
)
async def test_what_could_only_fail_is_told_privately_before_it_starts(tmp_path, text: str, answer: str) -> None:
    async with scenario(tmp_path, RefundFlow) as slack:
        await slack.slack.command("Bruno", "general", "/flows", text)

        told = [text_of(one) for one in await slack.slack.messages("general", user="Bruno") if one.get("ephemeral")]
        assert answer in told[0]
        assert await slack.bot.sessions.in_channel(slack.bot.team, "CGENERAL") == []


async def test_the_command_that_the_list_prints_starts_the_flow(tmp_path) -> None:
    async with scenario(tmp_path, RefundFlow) as slack:
        thread = await slack.start("Bruno", "general", "refund_payment order=A-1")

        await slack.until(lambda: slack.shows(thread, "Refunded 1.0 for A-1"))


async def test_what_was_decided_on_can_be_read_again_in_full(slack) -> None:
    thread = await slack.start(
        "Ana", "general", f"draft_review topic={'word ' * 10}{'x' * 700}END".replace("word ", "w")
    )
    await slack.press("Bruno", await slack.card(thread), "Approve")
    await slack.until(lambda: slack.shows(thread, "✅ Bruno approved"))

    assert "END, version 1." in await slack.transcript(thread)
