"""The threats to a review's owner, content and clock, each with the test that proves its defence.

T25, a record that somebody changes, is proved in `tests/bot/reviews/test_audit_chain.py` and `test_audit_record.py`;
T13 between processes in `tests/bot/db/test_two_processes.py`; T26 in the policy file in
`tests/bot/reviews/test_policy_file.py`, and in the service in `tests/bot/reviews/test_service.py`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from bot.reviews.model import Decision, Refused, ReviewState
from bot.testing.scenario import Payload, Scenario, Thread, scenario
from bot.testing.transcript import button_labels, choices, text_of
from bot.types import ChannelId, MessageRef, TeamId, Ts, UserId
from flows.examples import RefundApprovalFlow

GATE = "{tier: medium, pool: ['@editors'], escalate_to: [{ask: ['@carla'], review_time: 15m}]}"
ASK = "refund_approval customer=Acme amount=10.00"
Make = Callable[..., AbstractAsyncContextManager[Scenario]]


@pytest.fixture
def make(tmp_path) -> Make:
    """A bot whose refunds are decided as `gate` says; Carla operates it."""

    @asynccontextmanager
    async def made(gate: str = GATE) -> AsyncGenerator[Scenario, None]:
        policy = f"operators: ['@carla']\ngates:\n  refund_approval.propose: {gate}\n"
        async with scenario(tmp_path, RefundApprovalFlow, policy=policy) as slack:
            yield slack

    return made


async def asked(slack: Scenario, *, by: str = "Ana") -> tuple[Thread, Payload]:
    """The thread of a refund that somebody asked for, and its card."""
    thread = await slack.start(by, "general", ASK)
    card = await slack.card(thread)
    await slack.bot.dispatcher.drain()
    return thread, card


async def denials(slack: Scenario, n: int = 1) -> list[tuple[str, str]]:
    """Who was refused, and why."""
    return [(entry.actor, entry.reason_code) for entry in await slack.record(n) if entry.kind == "denied"]


async def told(slack: Scenario, thread: Thread, user: str, text: str) -> str:
    """What this person's private notes show, once they show this text."""

    async def shown() -> str | None:
        found = await slack.transcript(thread, user=user)
        return found if text in found else None

    return await slack.until(shown)


async def heard(slack: Scenario, kind: str) -> None:
    """The bot has heard of the change."""
    assert await slack.slack.deliveries(kind=kind, acked=True, wait_s=5)


# ---------------------------------------------------------------- T03: who may decide


async def becomes_a_member_only(slack: Scenario) -> None:
    """Removed from the group."""
    await slack.slack.put_group("editors", members=["Carla"])
    await heard(slack, "subteam_members_changed")


async def becomes_a_guest(slack: Scenario) -> None:
    await slack.slack.change_person("Bruno", is_restricted=True)
    await heard(slack, "user_change")


async def becomes_a_stranger(slack: Scenario) -> None:
    await slack.slack.change_person("Bruno", is_stranger=True)
    await heard(slack, "user_change")


async def cannot_be_looked_up(slack: Scenario) -> None:
    """His group is asked for afresh, and Slack does not answer."""
    await slack.slack.put_group("editors", members=["Carla"])
    await heard(slack, "subteam_members_changed")
    await slack.slack.faults(method="usergroups.users.list", times=50, fault="fatal_error")


BECOMES = [
    pytest.param(becomes_a_member_only, "not_asked", id="removed-from-the-group"),
    pytest.param(becomes_a_guest, "guest", id="guest"),
    pytest.param(becomes_a_stranger, "stranger", id="stranger"),
    pytest.param(cannot_be_looked_up, "unknown_person", id="the-group-cannot-be-looked-up"),
]


@pytest.mark.parametrize(("becomes", "reason"), BECOMES)
async def test_t03_a_button_that_was_his_a_minute_ago_decides_nothing(becomes, reason, make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await becomes(slack)

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "Nothing was decided")

        assert (await slack.review(1)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", reason)]
        assert button_labels(await slack.card(thread))[0] == "Refund"


@pytest.mark.parametrize(("becomes", "reason"), BECOMES)
async def test_t03_a_form_that_was_opened_in_time_decides_nothing_when_it_is_sent_too_late(
    becomes, reason, make
) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await slack.press("Bruno", card, "Decline")
        await slack.until(lambda: slack.slack.views("Bruno"))
        await becomes(slack)

        await slack.submit_reason("Bruno", "duplicate", "No.")
        await told(slack, thread, "Bruno", "Nothing was decided")

        assert (await slack.review(1)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", reason)]


@pytest.mark.parametrize(("becomes", "reason"), BECOMES[:3])
async def test_t03_words_of_somebody_who_may_not_are_a_comment(becomes, reason, make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack)
        await becomes(slack)

        await slack.say("Bruno", thread, "approved")
        await told(slack, thread, "Bruno", "decide")

        assert (await slack.review(1)).is_pending
        assert reason


async def test_t03_words_wait_while_slack_does_not_say_who_is_asked(make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack)
        await cannot_be_looked_up(slack)

        await slack.say("Bruno", thread, "approved")
        await slack.until(lambda: slack.slack.calls(method="usergroups.users.list"))

        assert (await slack.review(1)).is_pending


@pytest.mark.parametrize(("becomes", "reason"), BECOMES)
async def test_t03_a_command_of_somebody_who_may_not_moves_nothing(becomes, reason, make) -> None:
    async with make() as slack:
        await asked(slack)
        await becomes(slack)
        before = await slack.review(1)

        await slack.command("Bruno", "general", "reassign R-1 @bruno")

        assert await slack.review(1) == before
        assert reason


@pytest.mark.parametrize("surface", ["button", "modal", "words", "skip", "command"])
@pytest.mark.parametrize(
    ("user", "reason"), [("UOTHERBOT", "bot"), ("UBRUNO", "deleted"), ("UNOBODY", "unknown_person")]
)
async def test_t03_no_way_in_lets_a_bot_or_a_closed_account_decide(surface, user, reason, make) -> None:
    async with make() as slack:
        _, card = await asked(slack)
        # The sandbox lets nobody with a closed account act; what was on its way then arrives at the one door.
        await slack.slack.change_person("Bruno", deleted=True)
        await heard(slack, "user_change")
        review = await slack.review(1)

        verdict = await slack.bot.host.answer(
            Decision(
                team=review.team,
                review=review.id,
                version=review.version,
                label="approved",
                skip=surface == "skip",
                user=UserId(user),
                user_team=TeamId("TSANDBOX"),
                source=surface,
                card=MessageRef(channel=ChannelId("CGENERAL"), ts=Ts(str(card["ts"]))),
            )
        )

        assert isinstance(verdict, Refused)
        assert verdict.refusal.reason == reason
        assert await denials(slack) == [(f"TSANDBOX/{user}", reason)]


async def test_t03_a_pool_of_nobody_is_nobody(make) -> None:
    async with make("{pool: []}") as slack:
        thread, card = await asked(slack)

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "Nothing was decided")

        assert await denials(slack) == [("TSANDBOX/UBRUNO", "not_asked")]


async def test_t03_whoever_is_in_the_group_decides(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)

        await slack.press("Bruno", card, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert (await slack.review(1)).state is ReviewState.COMPLETED


# ---------------------------------------------------------------- T04: one's own request


async def test_t04_a_requester_does_not_approve_by_button(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack, by="Bruno")

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "You asked for this yourself")

        assert (await slack.review(1)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", "own_request")]


async def test_t04_a_requester_does_not_approve_by_words(make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack, by="Bruno")

        await slack.say("Bruno", thread, "approved")
        await told(slack, thread, "Bruno", "You asked for this yourself")

        assert (await slack.review(1)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", "own_request")]


@pytest.mark.parametrize("by", ["Bruno", "Carla"], ids=["by-somebody-asked", "by-an-operator"])
async def test_t04_a_review_is_not_handed_to_its_requester(by, make) -> None:
    async with make() as slack:
        await asked(slack)

        await slack.command(by, "general", "reassign R-1 @ana")

        assert (await slack.review(1)).asked[0].name == "@editors"
        assert await denials(slack) == [(f"TSANDBOX/U{by.upper()}", "reassign")]


async def test_t04_a_ladder_that_reaches_the_requester_lets_them_turn_down_and_nothing_else(make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack, by="Carla")
        await slack.pass_time(minutes=30)
        card = await slack.card(thread)

        await slack.press("Carla", card, "Refund")
        await slack.bot.dispatcher.drain()
        still = (await slack.review(1)).is_pending
        await slack.say("Carla", thread, "rejected")
        await slack.until(lambda: slack.shows(thread, "No refund for Acme"))

        assert still
        assert await denials(slack) == [("TSANDBOX/UCARLA", "own_request")]


async def test_t04_where_the_policy_allows_it_the_record_names_the_policy(make) -> None:
    async with make("{tier: medium, pool: ['@editors'], self_approval: true}") as slack:
        thread, card = await asked(slack, by="Bruno")

        await slack.press("Bruno", card, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        [decided] = [entry for entry in await slack.record(1) if entry.kind == "decided"]
        opened = (await slack.record(1))[0]
        assert decided.actor == opened.actor == "TSANDBOX/UBRUNO"
        assert decided.policy_hash == (await slack.review(1)).policy.digest


# ---------------------------------------------------------------- T12: what was shown is what runs


async def overwrite(slack: Scenario, old: str, new: str, *, only: str = "") -> None:
    """What somebody does who can write the flow's store; with `only`, to one table of it."""
    tables = [only] if only else ["flow_runs", "flow_pending"]
    # In a thread of its own: the bot may be in the middle of a transaction, and has to be able to end it.
    await asyncio.to_thread(_overwritten, slack.database, tables, old, new)


def _overwritten(database: Path, tables: list[str], old: str, new: str) -> None:
    changed = 0
    with closing(sqlite3.connect(database)) as connection, connection:
        for table, column in ((table, column) for table in tables for column in ("body", "context", "state")):
            if column in {str(row[1]) for row in connection.execute(f"pragma table_info({table})")}:
                sql = f"update {table} set {column} = replace({column}, ?, ?) where instr({column}, ?)"
                changed += connection.execute(sql, (old, new, old)).rowcount
    assert changed, f"no {old!r} in the flow's store"


async def test_t12_what_changed_between_display_and_click_is_asked_for_anew(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await overwrite(slack, "Acme", "Evil")

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "no longer what this card shows")
        await slack.bot.dispatcher.drain()

        new = await slack.card(thread)
        assert new["ts"] != card["ts"]
        assert "Evil" in text_of(new)
        old = next(one for one in await slack.messages(thread) if one["ts"] == card["ts"])
        assert button_labels(old) == []
        assert [entry.kind for entry in await slack.record(1)] == ["opened", "posted", "payload_changed", "posted"]
        await slack.press("Bruno", new, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Evil."))


async def test_t12_what_the_run_itself_holds_is_what_counts(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await overwrite(slack, "Acme", "Evil", only="flow_runs")

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "no longer what this card shows")
        await slack.bot.dispatcher.drain()

        assert "Evil" in text_of(await slack.card(thread))
        assert "Refunded" not in await slack.transcript(thread)


async def test_t12_what_nothing_goes_on_with_is_not_what_is_shown(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await overwrite(slack, "Acme", "Evil", only="flow_pending")

        await slack.press("Bruno", card, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert "Evil" not in await slack.transcript(thread)


async def test_t12_a_click_on_the_card_of_before_decides_nothing(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await overwrite(slack, "Acme", "Evil")
        await slack.press("Bruno", card, "Refund")
        await slack.bot.dispatcher.drain()
        await slack.card(thread)

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "changed after you opened it")

        assert (await slack.review(1)).is_pending


async def test_t12_what_changed_between_decision_and_execution_does_not_run(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await slack.command("Carla", "general", "pause")
        await slack.press("Bruno", card, "Refund")
        await slack.bot.dispatcher.drain()
        decided = (await slack.review(1)).state
        await overwrite(slack, "Acme", "Evil")

        await slack.command("Carla", "general", "continue")
        await slack.until(lambda: slack.shows(thread, "Evil"))
        await slack.bot.dispatcher.drain()

        review = await slack.review(1)
        assert decided is ReviewState.APPROVED
        assert review.is_pending
        assert review.decided_by is None
        assert "Refunded" not in await slack.transcript(thread)
        kinds = [entry.kind for entry in await slack.record(1)]
        assert kinds == ["opened", "posted", "decided", "payload_changed", "posted"]


async def test_t12_what_changed_during_an_escalation_is_not_approved_by_the_next_person(make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack)
        await overwrite(slack, "Acme", "Evil")
        await slack.pass_time(minutes=30)
        card = await slack.card(thread)

        await slack.press("Carla", card, "Refund")
        await slack.bot.dispatcher.drain()

        assert (await slack.review(1)).is_pending
        new = await slack.card(thread)
        assert new["ts"] != card["ts"]
        assert "Evil" in text_of(new)


async def test_t12_a_change_and_its_undoing_leave_a_card_to_decide_on(make) -> None:
    async with make() as slack:
        thread, first = await asked(slack)
        await overwrite(slack, "Acme", "Evil")
        await slack.press("Bruno", first, "Refund")
        await slack.bot.dispatcher.drain()
        second = await slack.card(thread)
        await overwrite(slack, "Evil", "Acme")

        await slack.press("Bruno", second, "Refund")
        await slack.bot.dispatcher.drain()
        third = await slack.card(thread)
        await slack.press("Bruno", third, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert len({str(card["ts"]) for card in (first, second, third)}) == 3


async def test_t12_the_button_of_one_request_does_not_decide_another(make) -> None:
    async with make() as slack:
        _, one = await asked(slack)
        _, other = await asked(slack)
        stolen = dict(choices(one))["Refund"]

        await slack.slack.click(
            "Bruno", "general", str(other["ts"]), str(stolen["action_id"]), value=str(stolen["value"])
        )
        await slack.bot.dispatcher.drain()

        assert (await slack.review(1)).is_pending
        assert (await slack.review(2)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", "wrong_card")]


# ---------------------------------------------------------------- T24: nothing waits for ever


@pytest.mark.parametrize(
    "lost", [{"is_archived": True}, {"members": ["Ana", "Bruno", "Carla"]}], ids=["archived", "bot-removed"]
)
async def test_t24_a_review_whose_channel_is_lost_still_ends(lost: dict[str, Any], make) -> None:
    async with make() as slack:
        await asked(slack)
        await slack.slack.put_channel("general", **lost)

        await slack.pass_time(minutes=30)
        await slack.pass_time(minutes=15)

        review = await slack.review(1)
        assert (review.outcome, review.source) == ("rejected", "timeout")


async def test_t24_when_everybody_is_away_it_ends_at_the_computed_time(make) -> None:
    async with make() as slack:
        thread, _ = await asked(slack)
        first = (await slack.review(1)).expires_at

        await slack.pass_time(minutes=30)
        second = (await slack.review(1)).expires_at
        await slack.pass_time(minutes=15)
        await slack.until(lambda: slack.shows(thread, "No refund for Acme"))

        entries = {entry.kind: entry.at for entry in await slack.record(1)}
        assert first is not None
        assert second is not None
        assert 0 <= (entries["escalated"] - first).total_seconds() < 5
        assert 0 <= (entries["auto_rejected"] - second).total_seconds() < 5


@pytest.mark.timeout(120)
@pytest.mark.slow
async def test_t24_after_an_hour_without_a_clock_thirty_reviews_move_on_in_one_message(make) -> None:
    async with make() as slack:
        threads = [(await asked(slack))[0] for _ in range(30)]
        await slack.bot.dispatcher.drain()
        before = await slack.look()

        await slack.pass_time(hours=1)

        posts = await slack.slack.calls(method="chat.postMessage", after=before)
        in_channel = [post for post in posts if post["args"]["channel"] == "CGENERAL"]
        assert len([post for post in in_channel if "thread_ts" not in post["args"]]) == 1
        assert len(in_channel) <= 1 + len(threads)
        reviews = [await slack.review(n) for n in range(1, 31)]
        assert {(review.state, review.level) for review in reviews} == {(ReviewState.PENDING, 1)}
        records = [await slack.record(n) for n in range(1, 31)]
        assert {tuple(entry.kind for entry in each) for each in records} == {
            ("opened", "posted", "escalated", "assigned")
        }


# ---------------------------------------------------------------- T27: authority that has passed


async def test_t27_whoever_was_passed_over_decides_no_more(make) -> None:
    async with make() as slack:
        thread, card = await asked(slack)
        await slack.pass_time(minutes=30)

        await slack.press("Bruno", card, "Refund")
        await told(slack, thread, "Bruno", "This has moved on to <@UCARLA>")

        assert (await slack.review(1)).is_pending
        assert await denials(slack) == [("TSANDBOX/UBRUNO", "passed_over")]


async def test_t27_former_assignees_decide_where_the_policy_says_so(make) -> None:
    gate = GATE.replace("tier: medium", "tier: medium, former_assignees: true")
    async with make(gate) as slack:
        thread, _ = await asked(slack)
        await slack.pass_time(minutes=30)

        await slack.press("Bruno", await slack.card(thread), "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert (await slack.review(1)).decided_by == "UBRUNO"


async def test_t27_somebody_who_joined_the_group_meanwhile_decides(make) -> None:
    async with make() as slack:
        await slack.slack.put_group("editors", members=["Carla"])
        await heard(slack, "subteam_members_changed")
        thread, card = await asked(slack)
        await slack.slack.put_group("editors", members=["Bruno"])

        await slack.press("Bruno", card, "Refund")
        await slack.until(lambda: slack.shows(thread, "Refunded 10.00 USD to Acme."))

        assert (await slack.review(1)).decided_by == "UBRUNO"
