import asyncio
from datetime import timedelta

import pytest

from bot.db.sqlite import SqliteDb
from bot.dispatch.local import LocalDispatcher
from bot.errors import DatabaseInUse, SlackUnavailable
from bot.inbox import Entry, Inbox, Taken
from bot.types import Lane, TeamId
from flows.testing import ManualClock


def entry(key: str, *, lane: str = "L", at: float = 0.0, team: str = "T1") -> Entry:
    return Entry(team=TeamId(team), key=key, lane=Lane(lane), kind="message", payload={"key": key}, at=at)


@pytest.fixture
async def db(tmp_path):
    opened = await SqliteDb.open(tmp_path / "t.db")
    yield opened
    await opened.close()


@pytest.fixture
def clock():
    return ManualClock()


class Worked:
    """A handler that notes what it did, and fails where it is told to."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.given_up: list[str] = []
        self.fail: dict[str, list[Exception]] = {}

    async def __call__(self, taken: Taken) -> None:
        if self.fail.get(taken.entry.key):
            raise self.fail[taken.entry.key].pop(0)
        self.done.append(taken.entry.key)

    async def gave_up(self, taken: Taken, reference: str) -> None:
        self.given_up.append(taken.entry.key)


@pytest.fixture
async def lanes(db, clock):
    inbox, worked = Inbox(db, TeamId("T1")), Worked()
    dispatcher = LocalDispatcher(inbox, clock, poll_s=3600)
    await dispatcher.start(worked, worked.gave_up)
    yield inbox, dispatcher, worked
    await dispatcher.stop()


async def test_the_same_delivery_twice_is_one_entry(db) -> None:
    inbox = Inbox(db, TeamId("T1"))

    assert [await inbox.receive(entry("a")), await inbox.receive(entry("a"))] == [True, False]


async def test_the_same_key_in_two_workspaces_is_two_entries(db) -> None:
    inbox = Inbox(db, TeamId("T1"))

    assert [await inbox.receive(entry("a")), await inbox.receive(entry("a", team="T2"))] == [True, True]


async def test_what_another_workspace_left_is_not_worked_with_this_ones_token(lanes) -> None:
    inbox, dispatcher, worked = lanes
    await inbox.receive(entry("foreign", team="T2"))
    await inbox.receive(entry("own"))

    await dispatcher.drain()

    assert worked.done == ["own"]


async def test_a_burst_is_received_whole_and_each_entry_once(db) -> None:
    inbox = Inbox(db, TeamId("T1"))

    fresh = await asyncio.gather(*(inbox.receive(entry(f"k{i % 100}")) for i in range(200)))

    assert sum(fresh) == 100


async def test_a_lane_works_in_order_of_the_messages_and_not_of_their_arrival(lanes) -> None:
    inbox, dispatcher, worked = lanes
    await asyncio.gather(inbox.receive(entry("second", at=2)), inbox.receive(entry("first", at=1)))

    await dispatcher.drain()

    assert worked.done == ["first", "second"]


async def test_an_entry_that_waits_for_slack_keeps_its_place_and_is_tried_again(lanes, clock) -> None:
    inbox, dispatcher, worked = lanes
    worked.fail["a"] = [SlackUnavailable(method="m", reason="down") for _ in range(8)]
    await inbox.receive(entry("a", at=1))
    await inbox.receive(entry("b", at=2))

    await dispatcher.drain()
    assert worked.done == []

    for _ in range(8):
        clock.advance(timedelta(seconds=61))
        await dispatcher.drain()
    assert worked.done == ["a", "b"]


async def test_an_entry_that_fails_by_a_fault_of_ours_does_not_block_its_lane_for_ever(lanes, clock) -> None:
    inbox, dispatcher, worked = lanes
    worked.fail["a"] = [ValueError("bug") for _ in range(5)]
    await inbox.receive(entry("a", at=1))
    await inbox.receive(entry("b", at=2))

    for _ in range(5):
        await dispatcher.drain()
        clock.advance(timedelta(seconds=61))
    await dispatcher.drain()

    assert (worked.given_up, worked.done) == (["a"], ["b"])


async def test_a_restart_tries_again_what_was_given_up(lanes, clock) -> None:
    inbox, dispatcher, worked = lanes
    worked.fail["a"] = [ValueError("bug") for _ in range(5)]
    await inbox.receive(entry("a"))
    for _ in range(5):
        await dispatcher.drain()
        clock.advance(timedelta(seconds=61))

    assert await inbox.reopen() == 1
    await dispatcher.drain()

    assert worked.done == ["a"]


async def test_entries_left_open_by_a_dead_process_are_done_at_the_next_start(db, clock) -> None:
    inbox, worked = Inbox(db, TeamId("T1")), Worked()
    await inbox.receive(entry("a"))
    assert await inbox.take(Lane("L"), 0.0) is not None

    dispatcher = LocalDispatcher(inbox, clock, poll_s=3600)
    await dispatcher.start(worked, worked.gave_up)
    await dispatcher.drain()
    await dispatcher.stop()

    assert worked.done == ["a"]


async def test_only_the_newest_taker_may_finish_an_entry(db) -> None:
    inbox = Inbox(db, TeamId("T1"))
    await inbox.receive(entry("a"))
    zombie = await inbox.take(Lane("L"), 0.0)
    await inbox.take(Lane("L"), 0.0)
    assert zombie is not None

    await inbox.finish(zombie, 1.0)

    assert await inbox.open_lanes(1.0) == ["L"]


def test_a_second_process_may_not_own_the_database(tmp_path) -> None:
    with LocalDispatcher.claim_file(tmp_path / "p.db.lock"), pytest.raises(DatabaseInUse) as refused:
        LocalDispatcher.claim_file(tmp_path / "p.db.lock")

    assert refused.value.path == str(tmp_path / "p.db")
