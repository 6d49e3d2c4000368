"""Who is asked, where they see it, and what passes without anybody."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.reviews.model import ReviewState
from bot.reviews.policy_faults import PolicyError
from bot.testing.scenario import Scenario, Thread, scenario
from bot.testing.transcript import button_labels, text_of
from flows import Flow, human_feedback, listen, or_, start
from flows.examples import RefundApprovalFlow

Make = Callable[..., AbstractAsyncContextManager[Scenario]]


class RoundsFlow(Flow):
    """A draft that can be sent back for ever."""

    name = "rounds"

    @start()
    def begin(self) -> str:
        return "begun"

    @human_feedback(message="Good?", emit=["approved", "rejected", "needs_revision"], default_outcome="rejected")
    @listen(or_("begin", "needs_revision"))
    def review(self) -> str:
        return "a draft"

    @listen("approved")
    def publish(self) -> str:
        return "published"


@asynccontextmanager
async def pager() -> AsyncGenerator[tuple[str, list[dict[str, Any]]], None]:
    """A pager on this machine: its address, and what it was told."""
    pages: list[dict[str, Any]] = []

    async def paged(request: web.Request) -> web.Response:
        pages.append(await request.json())
        return web.Response()

    app = web.Application()
    app.router.add_post("/page", paged)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/page", pages
    finally:
        await runner.cleanup()


@pytest.fixture
def make(tmp_path) -> Make:
    @asynccontextmanager
    async def made(gate: str, *flows: type[Flow], more: str = "") -> AsyncGenerator[Scenario, None]:
        name = "rounds.review" if RoundsFlow in flows else "refund_approval.propose"
        policy = f"operators: ['@carla']\n{more}\ngates:\n  {name}: {gate}\n"
        async with scenario(tmp_path, *(flows or (RefundApprovalFlow,)), policy=policy) as slack:
            yield slack

    return made


async def arrived(slack: Scenario) -> bool:
    """Whether Carla has got a direct message."""
    await slack.bot.dispatcher.drain()
    return bool(await slack.slack.messages("DCARLA"))


async def test_whoever_is_asked_and_does_not_see_the_card_hears_of_it_without_its_content(make) -> None:
    async with make("{tier: high, pool: ['@carla']}") as slack:
        await slack.slack.say("Ana", "DANA", "start refund_approval customer=Secret amount=10.00")
        await slack.until(lambda: arrived(slack))

        shown = "\n".join(text_of(one) for one in await slack.slack.messages("DCARLA"))

    assert "R-1 · Refund approval" in shown
    assert "Secret" not in shown


async def test_with_its_content_they_decide_on_their_own_copy_and_every_copy_shows_it(make) -> None:
    async with make("{tier: high, pool: ['@carla'], escalation_shows: content}") as slack:
        ts = await slack.slack.say("Ana", "DANA", "start refund_approval customer=Acme amount=10.00")
        thread = Thread(channel="DANA", ts=ts)
        await slack.until(lambda: arrived(slack))
        [copy] = [{**one, "channel": "DCARLA"} for one in await slack.slack.messages("DCARLA")]

        await slack.press("Carla", copy, "환불")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))
        await slack.bot.dispatcher.drain()

        assert (await slack.review(1)).decided_by == "UCARLA"
        assert not any(button_labels(one) for one in await slack.slack.messages("DCARLA"))


async def direct(slack: Scenario, user: str) -> list[str]:
    """What the bot has written to this person alone."""
    await slack.bot.dispatcher.drain()
    return [text_of(one) for one in await slack.slack.messages(f"D{user.upper()}")]


@pytest.mark.parametrize("shows", ["content", "link"])
@pytest.mark.parametrize("outsider", ["Gil", "Eve"])
async def test_whoever_may_not_decide_gets_no_copy_through_a_group(outsider, shows, make) -> None:
    async with make(f"{{tier: high, pool: ['@editors'], escalation_shows: {shows}}}") as slack:
        await slack.slack.put_group("editors", members=["Carla", outsider])
        await slack.slack.say("Ana", "DANA", "start refund_approval customer=Secret amount=10.00")
        await slack.until(lambda: arrived(slack))

        await slack.bot.dispatcher.drain()

        told = {call["args"]["users"] for call in await slack.slack.calls(method="conversations.open")}
        assert told == {"UCARLA"}


async def test_whoever_let_it_pass_keeps_nothing_of_it_but_where_it_went(make) -> None:
    gate = "{tier: high, pool: ['@carla'], escalate_to: ['@bruno'], escalation_shows: content}"
    async with make(gate) as slack:
        await slack.slack.say("Ana", "DANA", "start refund_approval customer=Secret amount=10.00")
        await slack.until(lambda: arrived(slack))

        await slack.pass_time(minutes=15)
        moved = await direct(slack, "Carla")
        [copy] = [{**one, "channel": "DBRUNO"} for one in await slack.slack.messages("DBRUNO") if button_labels(one)]
        await slack.press("Bruno", copy, button_labels(copy)[0])
        await slack.bot.dispatcher.drain()

        assert moved[0].startswith("R-1 · Refund approval: 담당 변경: <@UBRUNO> · <http")
        assert (await slack.review(1)).decided_by == "UBRUNO"
        assert await direct(slack, "Carla") == moved
        assert not any(button_labels(one) for one in await slack.slack.messages("DCARLA"))


async def test_a_channel_that_let_it_pass_keeps_nothing_of_it_but_where_it_went(make) -> None:
    gate = "{tier: high, pool: ['#content-reviews'], escalate_to: ['@carla'], escalation_shows: content}"
    async with make(gate) as slack:
        thread = await slack.start("Ana", "general", "refund_approval customer=Secret amount=10.00")
        await slack.card(thread)
        await slack.pass_time(minutes=15)

        [copy] = [text_of(one) for one in await slack.slack.messages("content-reviews")]

    assert copy.startswith("R-1 · Refund approval: moved on to <@UCARLA> · <http")


async def test_a_copy_with_its_content_is_in_its_readers_language(make) -> None:
    async with make("{tier: high, pool: ['@bruno', '@carla'], escalation_shows: content}") as slack:
        await slack.slack.say("Ana", "DANA", "start refund_approval customer=Acme amount=10.00")
        await slack.until(lambda: arrived(slack))
        await slack.bot.dispatcher.drain()
        copies = {user: (await slack.slack.messages(f"D{user.upper()}"))[-1] for user in ("Bruno", "Carla")}
        labels = {user: button_labels(one)[:2] for user, one in copies.items()}

        await slack.press("Bruno", {**copies["Bruno"], "channel": "DBRUNO"}, "Refund")
        await slack.until(lambda: drawn_over(slack))

        assert labels == {"Bruno": ["Refund", "Decline"], "Carla": ["환불", "거절"]}
        assert "Bruno님 승인" in (await direct(slack, "Carla"))[-1]


async def drawn_over(slack: Scenario) -> bool:
    """Whether nothing is left to press in Carla's direct messages."""
    await slack.bot.dispatcher.drain()
    return not any(button_labels(one) for one in await slack.slack.messages("DCARLA"))


async def test_a_gate_that_only_a_guest_may_decide_does_not_start(make) -> None:
    with pytest.raises(PolicyError, match=r"nobody whom refund_approval\.propose asks can decide: @gil"):
        async with make("{tier: high, pool: ['@gil'], escalate_to: ['@carla']}"):
            pass


async def test_a_low_gate_within_its_limit_passes_by_itself_and_says_so(make) -> None:
    gate = "{autonomy: auto, reason: small sums, limit: {field: amount, up_to: 50, sum_up_to: 80, window: 1d}}"
    async with make(gate) as slack:
        first = await slack.start("Ana", "general", "refund_approval customer=One amount=45.00")
        await slack.until(lambda: slack.shows(first, "Refunded 45.00 USD to One."))

        kinds = [line.kind for line in await slack.record(1)]
        second = await slack.start("Ana", "general", "refund_approval customer=Two amount=45.00")
        card = await slack.card(second)

        assert kinds == ["opened", "auto_approved", "started", "completed"]
        assert await slack.shows(first, "Approved by policy, without a review (small sums)")
        assert "Refund" in button_labels(card)
        assert (await slack.review(2)).state is ReviewState.PENDING


@pytest.mark.parametrize("amount", ["51.00", "1000000.00"])
async def test_beyond_the_limit_a_person_decides(amount, make) -> None:
    gate = "{autonomy: auto, reason: small sums, limit: {field: amount, up_to: 50, sum_up_to: 80, window: 1d}}"
    async with make(gate) as slack:
        await slack.card(await slack.start("Ana", "general", f"refund_approval amount={amount}"))

        assert (await slack.review(1)).state is ReviewState.PENDING


async def test_from_the_high_tier_on_words_of_approval_lead_to_the_buttons(make) -> None:
    async with make("{tier: high, pool: ['@bruno']}") as slack:
        thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
        await slack.card(thread)

        await slack.say("Bruno", thread, "approved")
        await slack.until(lambda: slack.shows(thread, "Choose one:"))

        assert (await slack.review(1)).state is ReviewState.PENDING


async def test_words_of_somebody_who_is_not_asked_are_recorded_once_and_answered_privately(make) -> None:
    async with make("{tier: high, pool: ['@bruno']}") as slack:
        thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
        await slack.card(thread)

        await slack.say("Carla", thread, "rejected")
        await slack.say("Carla", thread, "really, no")
        await slack.say("Ana", thread, "approved")
        await slack.bot.dispatcher.drain()

        denied = [line for line in await slack.record(1) if line.kind == "denied"]
        assert [(line.actor, line.source, line.reason_code) for line in denied] == [
            ("TSANDBOX/UCARLA", "words", "not_asked"),
            ("TSANDBOX/UANA", "words", "not_asked"),
        ]
        assert (await slack.review(1)).state is ReviewState.PENDING
        assert await slack.shows(thread, "<@UBRUNO>. 의견은 스레드에 남습니다.", user="Carla")
        assert not await slack.shows(thread, "의견은 스레드에 남습니다.")


async def test_words_of_refusal_decide_in_every_tier_and_are_the_reason(make) -> None:
    async with make("{tier: high, pool: ['@bruno']}") as slack:
        thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
        await slack.card(thread)

        await slack.say("Bruno", thread, "rejected")
        await slack.until(lambda: slack.shows(thread, "No refund for"))

        assert (await slack.review(1)).reason_code == "stated"


async def test_a_rejection_gives_its_reason_before_it_counts(make) -> None:
    async with make("{tier: medium, pool: ['@bruno']}") as slack:
        thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
        card = await slack.card(thread)

        await slack.press("Bruno", card, "Decline")
        before = (await slack.review(1)).state
        await slack.submit_reason("Bruno", "duplicate", "We paid it in May.")
        await slack.until(lambda: slack.shows(thread, "A duplicate"))

        review = await slack.review(1)
        assert before is ReviewState.PENDING
        assert (review.reason_code, review.note) == ("duplicate", "We paid it in May.")


async def test_after_silence_on_what_is_critical_nobody_approves_until_an_operator_lifts_it(make) -> None:
    async with make("{tier: critical, pool: ['@bruno']}", more="") as slack:
        first = await slack.start("Ana", "general", "refund_approval amount=10.00")
        await slack.card(first)
        await slack.pass_time(minutes=5)
        await slack.pass_time(minutes=5)
        await slack.until(lambda: slack.shows(first, "No refund for"))
        second = await slack.start("Ana", "general", "refund_approval customer=Next amount=10.00")
        card = await slack.card(second)

        await slack.press("Bruno", card, "Refund")
        refused = await slack.transcript(second, user="Bruno")
        await slack.command("Carla", "general", "lift R-1")
        await slack.press("Bruno", card, "Refund")
        await slack.until(lambda: slack.shows(second, "Refunded 10.00 USD to Next."))

        assert "🔒 Approving is blocked" in refused
        assert "Approving is blocked here until an operator lifts it" in refused


async def test_a_draft_that_goes_round_too_often_moves_on_and_is_not_sent_back_again(make) -> None:
    gate = "{pool: ['@bruno'], loop_limit: 2, escalate_to: ['@carla'], former_assignees: true}"
    async with make(gate, RoundsFlow) as slack:
        thread = await slack.start("Ana", "general", "rounds")
        await slack.press("Bruno", await slack.card(thread), "Ask for changes")
        await slack.bot.dispatcher.drain()
        await slack.press("Bruno", await slack.card(thread), "Ask for changes")
        await slack.bot.dispatcher.drain()

        await slack.press("Carla", await slack.card(thread), "Ask for changes")
        await slack.bot.dispatcher.drain()

        third = await slack.review(3)
        assert (third.round, third.level, third.state) == (3, 1, ReviewState.PENDING)
        assert await slack.shows(thread, "Sent back too often")


async def test_a_channel_that_is_asked_hears_of_it_there_and_not_each_of_its_members(make) -> None:
    gate = "{pool: ['@bruno'], escalate_to: [{ask: ['#content-reviews'], review_time: 1h}], escalation_shows: content}"
    async with make(gate) as slack:
        thread = await slack.start("Ana", "general", "refund_approval customer=Acme amount=10.00")
        await slack.card(thread)
        await slack.pass_time(hours=4)

        [copy] = [one for one in await slack.slack.messages("content-reviews") if button_labels(one)]
        await slack.press("Carla", {**copy, "channel": "content-reviews"}, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert await slack.slack.messages("DCARLA") == []
        assert (await slack.review(1)).decided_by == "UCARLA"


class PairFlow(Flow):
    """Two questions at once."""

    name = "rounds"

    @start()
    @human_feedback(message="First?", emit=["approved", "rejected"], default_outcome="rejected")
    def review(self) -> str:
        return "first"

    @start()
    @human_feedback(message="Second?", emit=["yes_do", "no_stop"], default_outcome="no_stop")
    def second(self) -> str:
        return "second"

    @listen("yes_do")
    def go(self) -> str:
        return "went on"


async def test_one_of_two_questions_is_cancelled_and_the_other_still_decides(tmp_path) -> None:
    async with scenario(tmp_path, PairFlow) as slack:
        thread = await slack.start("Ana", "general", "rounds")
        await slack.card(thread, at=0)
        await slack.bot.dispatcher.drain()
        waiting = await slack.bot.reviews.store.pending(slack.bot.team)
        first = next(review.n for review in waiting if review.gate.question == "First?")

        await slack.command("Ana", "general", f"cancel R-{first}")
        await slack.bot.dispatcher.drain()
        await slack.press("Bruno", await slack.card(thread), "Yes do")
        await slack.bot.dispatcher.drain()

        [other] = [review for review in await slack.bot.reviews.store.newest(slack.bot.team) if review.n != first]
        assert (other.outcome, other.state) == ("yes_do", ReviewState.COMPLETED)
        assert (await slack.review(first)).state is ReviewState.CANCELLED
        # The first question was the only thing left to wait for.
        assert await slack.shows(thread, "Rounds · The run ends here.")


async def test_a_channel_has_its_language_and_its_flow(tmp_path) -> None:
    policy = "channels: {'#general': {language: pt, flow: refund_approval}}"
    async with scenario(tmp_path, RefundApprovalFlow, RoundsFlow, policy=policy) as slack:
        thread = await slack.start("Bruno", "general", "customer=Acme amount=10.00")

        card = await slack.card(thread)

        assert button_labels(card)[:2] == ["Reembolsar", "Recusar"]
        await slack.until(lambda: slack.shows(thread, "aguardando uma decisão"))


async def test_the_pager_is_called_once_without_the_content(tmp_path) -> None:
    async with pager() as (url, pages):
        policy = f"""
operators: ["@carla"]
pager: {url}
gates:
  refund_approval.propose:
    tier: critical
    pool: ["@bruno"]
    escalate_to: [{{ask: ["@carla"], review_time: 5m, pager: true}}]
"""
        async with scenario(tmp_path, RefundApprovalFlow, policy=policy) as slack:
            await slack.card(await slack.start("Ana", "general", "refund_approval customer=Secret amount=10.00"))
            await slack.pass_time(minutes=5)
            await slack.restart()
            await slack.bot.dispatcher.drain()

    [page] = pages
    assert page["text"] == "R-1 (Refund approval, critical risk) needs a decision."
    assert "Secret" not in str(page)


async def test_whoever_gets_a_review_back_hears_of_it_again(make) -> None:
    async with make("{tier: high, pool: ['@carla'], escalate_to: ['@bruno']}") as slack:
        await slack.slack.say("Ana", "DANA", "start refund_approval amount=10.00")
        await slack.until(lambda: arrived(slack))

        await slack.command("Carla", "general", "reassign R-1 @bruno")
        await slack.bot.dispatcher.drain()
        await slack.command("Bruno", "general", "reassign R-1 @carla")
        await slack.bot.dispatcher.drain()

        assert len(await slack.slack.messages("DCARLA")) == 2
