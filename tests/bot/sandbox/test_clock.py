"""The clock that is moved by hand, the journal that can be waited for, and ids and ts."""

import asyncio

import pytest

from bot.sandbox import ManualClock
from bot.sandbox.journal import Journal
from bot.sandbox.seed import seeded_workspace
from bot.sandbox.workspace import next_id, next_ts


def test_timers_run_in_order_of_their_time_and_see_that_time():
    clock, seen = ManualClock(start=0.0), []
    clock.call_later(5, lambda: seen.append(("five", clock.now())))
    clock.call_later(2, lambda: seen.append(("two", clock.now())))

    clock.advance(10)

    assert seen == [("two", 2.0), ("five", 5.0)]
    assert clock.now() == 10.0


def test_a_timer_set_by_a_timer_runs_in_the_same_advance_when_it_is_due():
    clock, seen = ManualClock(start=0.0), []
    clock.call_later(2, lambda: clock.call_later(2, lambda: seen.append(clock.now())))

    clock.advance(4)

    assert seen == [4.0]


def test_a_cancelled_timer_never_runs():
    clock, seen = ManualClock(start=0.0), []
    clock.call_later(1, lambda: seen.append("ran")).cancel()

    clock.advance(2)

    assert seen == []


async def test_a_journal_wakes_those_who_wait_for_what_is_added():
    journal = Journal()
    waiting = asyncio.ensure_future(journal.wait_for(lambda one: one["kind"] == "b", 5))
    journal.add({"kind": "a"})
    journal.add({"kind": "b"})

    assert await waiting == [{"n": 2, "kind": "b"}]


async def test_a_journal_gives_nothing_when_nothing_comes():
    assert await Journal().wait_for(lambda one: True, 0) == []


async def test_a_journal_keeps_the_latest_and_goes_on_counting():
    journal = Journal(longest=2)
    for kind in "abc":
        journal.add({"kind": kind})
    journal.clear()
    journal.add({"kind": "d"})

    assert journal.matching(lambda one: True) == [{"n": 4, "kind": "d"}]
    assert journal.amend(1, kind="x") is None


@pytest.mark.parametrize("now", [1_780_000_000.0, 0.0], ids=["later", "earlier"])
def test_a_ts_is_always_later_than_the_one_before(now):
    workspace = seeded_workspace(1_780_000_000.0)

    first, second = next_ts(workspace, 1_780_000_000.0), next_ts(workspace, now)

    assert float(second) > float(first)
    assert (len(first), first[10]) == (17, ".")


def test_ids_are_fresh_and_look_like_slacks():
    workspace = seeded_workspace(0.0)

    ids = [next_id(workspace, "V") for _ in range(40)]

    assert len(set(ids)) == 40
    assert ids[0] == "V0000000001"
    assert all(one.isalnum() and one.upper() == one for one in ids)
