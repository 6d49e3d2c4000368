"""Commands about reviews: each with its own authority and its own line in the record."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from bot.db.sqlite import SqliteDb
from bot.reviews.gate_policy import Who
from bot.reviews.model import ReviewState
from bot.reviews.rows import INSERT, insert_values
from bot.testing.scenario import Payload, Scenario, Thread, scenario
from bot.testing.transcript import choices
from bot.types import ChannelId, ReviewId, ThreadKey, Ts, UserId
from flows.examples import RefundApprovalFlow

POLICY = """
operators: ["@carla"]
gates:
  refund_approval.propose:
    tier: high
    pool: ["@bruno"]
    escalate_to:
      - {ask: ["@editors"], review_time: 15m}
"""


@pytest.fixture
async def slack(tmp_path) -> AsyncGenerator[Scenario, None]:
    async with scenario(tmp_path, RefundApprovalFlow, policy=POLICY) as made:
        yield made


@pytest.fixture
async def thread(slack) -> Thread:
    """The thread of a refund that Ana asked for and Bruno is asked about; Carla operates."""
    made = await slack.start("Ana", "general", "refund_approval customer=Acme amount=10.00")
    await slack.card(made)
    await slack.bot.dispatcher.drain()
    return made


@pytest.mark.parametrize(
    ("who", "words", "is_done"),
    [
        pytest.param("Ana", "remind R-1", True, id="the-requester-reminds"),
        pytest.param("Bruno", "remind R-1", True, id="whoever-is-asked-reminds"),
        pytest.param("Carla", "remind R-1", True, id="an-operator-reminds"),
        pytest.param("Ana", "escalate R-1", False, id="the-requester-does-not-go-past-the-reviewer"),
        pytest.param("Bruno", "escalate R-1", True, id="whoever-is-asked-escalates"),
        pytest.param("Ana", "cancel R-1", True, id="the-requester-cancels"),
        pytest.param("Carla", "cancel R-1", True, id="an-operator-cancels"),
        pytest.param("Bruno", "cancel R-1", False, id="whoever-is-asked-decides-and-does-not-cancel"),
        pytest.param("Ana", "reassign R-1 @carla", False, id="the-requester-chooses-no-reviewer"),
        pytest.param("Bruno", "reassign R-1 @carla", True, id="handed-to-somebody-whom-the-ladder-names"),
        pytest.param("Bruno", "reassign R-1 @ana", False, id="never-to-the-requester"),
        pytest.param("Carla", "reassign R-1 @ana", False, id="not-by-an-operator-either"),
        pytest.param("Ana", "pause", False, id="only-operators-pause"),
        pytest.param("Bruno", "lift R-1", False, id="only-operators-lift"),
        pytest.param("Ana", "again R-1", False, id="only-what-expired-is-asked-again"),
    ],
)
async def test_who_may_do_what(who, words, is_done, slack, thread) -> None:
    before = await slack.record(1)

    await slack.command(who, "general", words)

    kinds = {line.kind for line in (await slack.record(1))[len(before) :]}
    assert bool(kinds - {"denied"}) is is_done


async def test_a_refusal_names_those_who_may_and_nobody_else(slack, thread) -> None:
    said = await slack.command("Ana", "general", "escalate R-1")

    assert said == "Isso cabe a: quem decide, operadores. Nada foi feito."


async def test_a_reminder_where_nobody_is_named_reaches_whoever_started_it(tmp_path) -> None:
    async with scenario(tmp_path, RefundApprovalFlow) as slack:
        thread = await slack.start("Ana", "general", "refund_approval amount=10.00")
        await slack.card(thread)
        await slack.bot.dispatcher.drain()

        await slack.command("Bruno", "general", "remind R-1")
        await slack.bot.dispatcher.drain()

        assert await slack.shows(thread, "<@UANA>: R-1 waits for a decision")


@pytest.mark.parametrize(
    ("who", "words"),
    [
        pytest.param("Bruno", "cancel R-1", id="cancel"),
        pytest.param("Ana", "reassign R-1 @carla", id="reassign"),
        pytest.param("Bruno", "lift R-1", id="lift"),
    ],
)
async def test_what_is_refused_is_recorded_under_the_person(who, words, slack, thread) -> None:
    await slack.command(who, "general", words)

    last = (await slack.record(1))[-1]
    assert (last.kind, last.actor, last.source) == ("denied", f"TSANDBOX/U{who.upper()}", "command")


async def test_whoever_is_handed_a_review_decides_it_and_nobody_else(slack, thread) -> None:
    card = await slack.card(thread)

    said = await slack.command("Bruno", "general", "reassign R-1 @carla")
    await slack.bot.dispatcher.drain()
    await slack.press("Bruno", card, "Refund")
    await slack.press("Carla", await slack.card(thread), "Refund")
    await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

    assert said == "R-1 is for <@UCARLA> now."
    assert await slack.shows(thread, "<@UCARLA>: R-1 is yours to decide now")
    assert (await slack.review(1)).decided_by == "UCARLA"


async def test_handing_it_on_gives_nobody_more_time(slack, thread) -> None:
    before = (await slack.review(1)).expires_at

    await slack.command("Bruno", "general", "reassign R-1 @carla")

    assert (await slack.review(1)).expires_at == before


async def test_a_cancelled_review_takes_no_decision_any_more(slack, thread) -> None:
    card = await slack.card(thread)

    await slack.command("Ana", "general", "cancel R-1")
    await slack.press("Bruno", card, "Refund")
    await slack.bot.dispatcher.drain()

    assert (await slack.review(1)).state is ReviewState.CANCELLED
    assert "Ana cancelled this" in await slack.transcript(thread, user="Bruno")
    assert not await slack.shows(thread, "Refunded")


@pytest.fixture
async def expired(slack, thread) -> Payload:
    """The card of R-1, which nobody has answered."""
    card = await slack.card(thread)
    await slack.pass_time(minutes=15)
    await slack.pass_time(minutes=15)
    await slack.until(lambda: slack.shows(thread, "No refund for Acme"))
    await slack.bot.dispatcher.drain()
    [now] = [one for one in await slack.messages(thread) if one["ts"] == card["ts"]]
    return {**now, "channel": thread.channel}


async def test_what_nobody_answered_is_asked_again_once_by_whoever_asked(slack, thread, expired) -> None:
    first = await slack.command("Ana", "general", "again R-1")
    second = await slack.command("Ana", "general", "again R-1")
    await slack.bot.dispatcher.drain()

    assert [first, second] == [
        "R-1 será pedido de novo, do início, na mesma conversa.",
        "R-1 já foi pedido de novo.",
    ]
    assert [line.kind for line in await slack.record(1)].count("asked_again") == 1
    assert (await slack.review(2)).inputs == {"customer": "Acme", "amount": "10.00"}
    assert await slack.bot.reviews.store.by_number(slack.bot.team, 3) is None


@pytest.mark.parametrize(
    ("who", "says", "kind"),
    [
        pytest.param("Ana", "R-1 será pedido de novo", "asked_again", id="whoever-asked"),
        pytest.param("Bruno", "That is for whoever asked for it", "denied", id="nobody-else"),
    ],
)
async def test_the_expired_card_asks_again_for_whoever_asked(who, says, kind, slack, thread, expired) -> None:
    await slack.press(who, expired, "Ask again")
    await slack.until(lambda: slack.shows(thread, says, user=who))
    await slack.bot.dispatcher.drain()

    last = (await slack.record(1))[-1]
    assert (last.kind, last.actor, last.source) == (kind, f"TSANDBOX/U{who.upper()}", "button")
    again = await slack.bot.reviews.store.by_number(slack.bot.team, 2)
    assert (again is not None) is (kind == "asked_again")


async def test_what_silence_let_pass_is_not_asked_again(tmp_path) -> None:
    limit = "{field: amount, up_to: 50, sum_up_to: 500, window: 1d}"
    policy = f"gates: {{refund_approval.propose: {{on_timeout: auto_approve, reason: small, limit: {limit}}}}}"
    async with scenario(tmp_path, RefundApprovalFlow, policy=policy) as slack:
        thread = await slack.start("Ana", "general", "refund_approval customer=Acme amount=10.00")
        await slack.card(thread)
        await slack.pass_time(hours=4)
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        said = await slack.command("Ana", "general", "again R-1")
        await slack.bot.dispatcher.drain()

        assert said == "R-1 foi aprovado pela política; não há o que pedir de novo."
        assert not any(choices(one) for one in await slack.messages(thread))
        assert await slack.bot.reviews.store.by_number(slack.bot.team, 2) is None


async def test_what_waits_for_me_stands_first(slack, thread) -> None:
    listed = await slack.command("Bruno", "general", "pending")

    assert listed.splitlines()[1].startswith("👉 *R-1* · Refund approval · <@UBRUNO>")


async def test_what_one_may_not_see_hides_nothing_that_one_may(slack, thread) -> None:
    db = await SqliteDb.open(slack.database)
    shown = await slack.review(1)
    elsewhere = ThreadKey(team=shown.team, channel=ChannelId("CNOWHERE"), ts=Ts("1.0"))
    async with db.tx() as tx:
        await tx.run("update reviews set n = 1000 where id = ?", shown.id)
        for n in range(1, 206):
            other = replace(
                shown,
                id=ReviewId(f"other{n}"),
                n=n,
                requester=UserId("UGIL"),
                asked=(Who(kind="group", id="SOTHERS", name="@others"),),
                target_channel=elsewhere.channel,
                thread=elsewhere,
            )
            await tx.run(INSERT, *insert_values(other))
    await db.close()
    before = await slack.look()

    listed = await slack.command("Bruno", "general", "pending")

    assert [line.split()[1] for line in listed.splitlines()[1:]] == ["*R-1000*"]
    # One link for the one that is shown, and one look at each group and channel.
    assert len(await slack.slack.calls(after=before)) < 8


@pytest.mark.parametrize("words", ["show R-1", "history R-1", "remind R-1", "cancel R-1", "lift R-1"])
async def test_somebody_who_sees_nothing_of_a_review_learns_nothing_of_it(words, slack, thread) -> None:
    assert await slack.command("Gil", "content-reviews", words) == "There is no “R-1” that you can see."


async def test_in_the_reviews_own_thread_no_number_is_needed(slack, thread) -> None:
    await slack.say("Bruno", thread, f"<@{slack.bot.user}> history")

    await slack.until(lambda: slack.shows(thread, "R-1 · Refund approval · its history"))


async def test_paused_by_an_operator_nothing_of_a_flow_begins_until_it_goes_on(slack, thread) -> None:
    await slack.command("Carla", "general", "pause")
    await slack.slack.command("Ana", "general", "/flows", "start refund_approval customer=Later amount=5.00")
    await slack.bot.dispatcher.drain()
    held = await slack.bot.reviews.store.by_number(slack.bot.team, 2)

    await slack.command("Carla", "general", "continue")
    await slack.bot.dispatcher.drain()

    assert held is None
    assert (await slack.review(2)).inputs["customer"] == "Later"


async def test_the_policy_that_holds_is_shown(slack) -> None:
    shown = await slack.command("Bruno", "general", "policy")

    assert "refund_approval.propose · high risk" in shown
    assert "no answer: rejected" in shown
