"""Cards, threads and runs, the inbox and effects: what each promises, on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.effects import Effects, effect_id
from bot.inbox import Entry, Inbox
from bot.reviews.machine import By
from bot.reviews.model import Card
from bot.sessions.store import SessionStore
from bot.types import ChannelId, Lane, MessageRef, RunId, RunState, TeamId, ThreadKey, Ts, UserId

T1, T2 = TeamId("T1"), TeamId("T2")
HOME = ThreadKey(team=T1, channel=ChannelId("C1"), ts=Ts("1.0"))
COPY = MessageRef(channel=ChannelId("C2"), ts=Ts("7.0"))
LANE = Lane("L")


# Cards


def card(review, kind="copy", ref=COPY, **changes) -> Card:
    values = {"thread_ts": None, "shown_version": review.version, **changes}
    return Card(review=review.id, ref=ref, kind=kind, **values)


async def test_a_posted_card_is_outdated_once_its_review_has_changed(reviews, opened, decide, clock) -> None:
    review = await opened()
    assert await reviews.cards.outdated(T1, clock.now() + timedelta(days=1)) == []

    won = await decide(reviews, review)

    assert await reviews.cards.outdated(T1, clock.now()) == []
    assert await reviews.cards.outdated(T1, clock.now() + timedelta(seconds=1)) == [review.id]
    ref = MessageRef(channel=HOME.channel, ts=Ts("2.0"))
    await reviews.cards.shown(T1, ref, review.version)
    assert await reviews.cards.outdated(T1, clock.now() + timedelta(days=1)) == [review.id]
    await reviews.cards.shown(T1, ref, won.review.version)
    assert await reviews.cards.outdated(T1, clock.now() + timedelta(days=1)) == []


async def test_a_card_that_could_not_be_drawn_waits_for_its_next_try(reviews, opened, clock) -> None:
    review = await opened()
    later = clock.now() + timedelta(minutes=5)

    await reviews.cards.redraw_later(T1, MessageRef(channel=HOME.channel, ts=Ts("2.0")), later)

    assert await reviews.cards.outdated(T1, later - timedelta(seconds=1)) == []
    assert await reviews.cards.outdated(T1, later) == [review.id]
    assert await reviews.cards.outdated(T2, later) == []


async def test_what_is_said_under_a_copy_is_said_about_the_review(db, reviews, opened) -> None:
    review = await opened()

    await reviews.cards.add(T1, card(review))

    assert await SessionStore(db).home(ThreadKey(team=T1, channel=COPY.channel, ts=COPY.ts)) == HOME
    assert (await reviews.cards.of(T1, review.id))[-1] == card(review)


@pytest.mark.parametrize("kind", ["ask", "notice"])
async def test_no_other_message_makes_its_thread_ours(db, reviews, opened, kind) -> None:
    review = await opened()
    shown = card(review, kind, user=UserId("UBIA"), note="100 %?")

    await reviews.cards.add(T1, shown)

    assert await SessionStore(db).home(ThreadKey(team=T1, channel=COPY.channel, ts=COPY.ts)) is None
    assert (await reviews.cards.of(T1, review.id))[-1] == shown


async def test_a_message_that_arrives_late_is_outdated_from_the_start(reviews, opened, decide, clock) -> None:
    review = await opened(ts=None)
    await decide(reviews, review)

    await reviews.cards.add(T1, card(review))

    assert await reviews.cards.outdated(T1, clock.now()) == [review.id]


async def test_the_main_card_is_the_newest_one(reviews, opened) -> None:
    review = await opened()
    assert await reviews.cards.main(T1, review.id) == MessageRef(channel=HOME.channel, ts=Ts("2.0"))
    assert await reviews.cards.main(T2, review.id) is None

    await reviews.posted(review, MessageRef(channel=HOME.channel, ts=Ts("3.0")))

    assert await reviews.cards.main(T1, review.id) == MessageRef(channel=HOME.channel, ts=Ts("3.0"))


# Threads and runs


async def add(db, name: str, clock, thread: ThreadKey = HOME, **changes) -> None:
    async with db.tx() as tx:
        await SessionStore(db).add(
            tx,
            run=RunId(name),
            thread=thread,
            flow_name="f",
            requester=UserId("UANA"),
            inputs={"a": "1"},
            root_is_ours=True,
            now=clock.now(),
            **changes,
        )


async def test_a_run_is_added_once_and_read_back(db, clock) -> None:
    sessions = SessionStore(db)
    for _ in range(2):
        await add(db, "run1", clock, said="start 100 %?")

    [run] = await sessions.in_thread(HOME)

    assert (run.n, run.inputs, run.state, run.said) == (1, {"a": "1"}, "running", "start 100 %?")
    assert (run.root_is_ours, run.created_at) == (True, clock.now())
    assert await sessions.by_number(T1, 1) == await sessions.get(T1, run.id) == run
    assert await sessions.get(T2, run.id) is None
    assert await sessions.home(HOME) == HOME


async def test_two_processes_that_add_a_run_at_once_add_it_once(open_db, clock) -> None:
    one, other = await open_db(), await open_db()
    # In a thread that is known already, nothing makes the second wait for the first before both have looked.
    await add(one, "earlier", clock)

    await asyncio.gather(*(add(db, f"run{n}", clock) for n in range(5) for db in (one, other)))

    runs = await SessionStore(one).in_thread(HOME)
    assert sorted(run.id for run in runs) == ["earlier", *(f"run{n}" for n in range(5))]
    assert len({run.n for run in runs}) == 6


async def test_a_channel_shows_the_runs_that_are_not_over_the_newest_first(db, clock) -> None:
    sessions = SessionStore(db)
    for n in range(1, 5):
        await add(db, f"run{n}", clock)
    [_, second, third, _] = await sessions.in_thread(HOME)

    await sessions.set_state(second, RunState.FINISHED, clock.now(), result="Done.")
    await sessions.set_state(third, RunState.FAILED, clock.now(), reference="ref")

    assert [run.n for run in await sessions.in_channel(T1, HOME.channel)] == [4, 1]
    assert [run.n for run in await sessions.in_channel(T1, HOME.channel, limit=1)] == [4]
    ended = await sessions.in_thread(HOME)
    assert [(run.result, run.reference) for run in ended[1:3]] == [("Done.", None), (None, "ref")]


# The inbox


def entry(key: str, *, kind="message", at=0.0, team=T1, lane=LANE) -> Entry:
    return Entry(team=team, key=key, lane=lane, kind=kind, payload={"key": key, "text": "100 %?"}, at=at)


async def taken_key(inbox: Inbox, now: float = 0.0, lane: Lane = LANE) -> str | None:
    taken = await inbox.take(lane, now)
    return None if taken is None else taken.entry.key


async def test_a_lane_works_in_order_and_an_entry_comes_back_as_it_was_put(db) -> None:
    inbox = Inbox(db, T1)
    for key, at in (("b", 2.0), ("a", 1.5)):
        await inbox.receive(entry(key, at=at))

    taken = await inbox.take(LANE, 0.0)
    assert taken is not None
    assert (taken.entry, taken.attempt) == (entry("a", at=1.5), 1)
    await inbox.finish(taken, 1.0)

    assert await taken_key(inbox) == "b"


async def test_entries_of_one_moment_keep_the_order_of_their_arrival(db) -> None:
    inbox = Inbox(db, T1)

    await asyncio.gather(*(inbox.receive(entry(key)) for key in ("c", "a", "b")))

    order = []
    while taken := await inbox.take(LANE, 0.0):
        order.append(taken.entry.key)
        await inbox.finish(taken, 1.0)
    assert order == ["c", "a", "b"]


async def test_two_processes_that_are_sent_the_same_burst_keep_each_delivery_once(open_db) -> None:
    inboxes = [Inbox(await open_db(), T1) for _ in range(2)]
    keys = [f"k{n:02}" for n in range(30)]

    fresh = await asyncio.gather(
        *(inboxes[0].receive(entry(key)) for key in keys), *(inboxes[1].receive(entry(key)) for key in reversed(keys))
    )

    assert sum(fresh) == 30
    assert [a != b for a, b in zip(fresh[:30], reversed(fresh[30:]), strict=True)] == [True] * 30


async def test_an_entry_that_waits_keeps_its_lane_and_is_tried_again(db) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a", at=1))
    await inbox.receive(entry("b", at=2))
    taken = await inbox.take(LANE, 0.0)
    assert taken is not None

    await inbox.retry_at(taken, 60.0, "down")

    assert await taken_key(inbox, 59.0) is None
    assert await inbox.open_lanes(59.0) == [LANE]  # "b" itself could be tried; its lane says no
    again = await inbox.take(LANE, 60.0)
    assert again is not None
    assert (again.entry.key, again.attempt) == ("a", 2)


async def test_what_was_given_up_lets_the_lane_go_on_until_it_is_reopened(db) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a"))
    taken = await inbox.take(LANE, 0.0)
    assert taken is not None

    await inbox.give_up(taken, 1.0, "ref")

    assert await inbox.open_lanes(1.0) == []
    assert [await inbox.reopen(), await inbox.reopen()] == [1, 0]
    assert await taken_key(inbox) == "a"


async def test_only_the_newest_taker_may_finish_an_entry(db) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a"))
    frozen = await inbox.take(LANE, 0.0)
    await inbox.take(LANE, 0.0)
    assert frozen is not None

    await inbox.finish(frozen, 1.0)

    assert await inbox.open_lanes(1.0) == [LANE]


async def test_what_was_done_can_be_done_again(db) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a"))
    taken = await inbox.take(LANE, 0.0)
    assert taken is not None
    await inbox.finish(taken, 1.0)

    await inbox.again(entry("a"))
    await inbox.again(entry("b"))

    again = await inbox.take(LANE, 0.0)
    assert again is not None
    assert (again.entry.key, again.attempt) == ("a", 1)


async def test_another_workspaces_entries_are_not_worked(db) -> None:
    await Inbox(db, T2).receive(entry("a", team=T2))

    assert await Inbox(db, T1).open_lanes(1.0) == []
    assert await taken_key(Inbox(db, T1)) is None
    assert await Inbox(db, T1).receive(entry("a"))


@pytest.mark.parametrize(
    ("kind", "works"),
    [
        ("start", False),
        ("run", False),
        ("resume", False),
        ("message", True),
        ("card", True),
        ("told", True),
        ("digest", True),
        ("operators", True),
    ],
)
async def test_while_everything_is_paused_nothing_of_a_flow_goes_on(db, reviews, kind, works) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a", kind=kind))

    await reviews.halt(T1, By(), halted=True)
    while_paused = (await inbox.open_lanes(1.0), await taken_key(inbox))
    await reviews.halt(T1, By(), halted=False)

    assert while_paused == (([LANE], "a") if works else ([], None))
    assert await taken_key(inbox) == "a"


async def test_what_people_say_overtakes_what_is_paused_in_its_lane(db, reviews) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("resume", kind="resume", at=1))
    await inbox.receive(entry("message", at=2))

    await reviews.halt(T1, By(), halted=True)

    assert await taken_key(inbox) == "message"


async def test_a_pause_of_another_workspace_pauses_nothing_here(db, reviews) -> None:
    inbox = Inbox(db, T1)
    await inbox.receive(entry("a", kind="resume"))

    await reviews.halt(T2, By(), halted=True)

    assert await taken_key(inbox) == "a"


# Effects


class Target:
    """Something outside that counts its calls and can lose its answers."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.sought: list[tuple[str, float]] = []
        self.loses = False

    async def call(self, identity: str) -> str:
        self.calls.append(identity)
        if self.loses:
            raise ConnectionResetError
        return "100 % done?"

    async def find(self, identity: str, since: float) -> str | None:
        self.sought.append((identity, since))
        return "found" if identity in self.calls else None


async def test_an_effect_happens_once_and_its_result_is_kept(db, clock) -> None:
    target, effects = Target(), Effects(db, clock)

    results = [await effects.once(T1, "k", call=target.call, find=target.find) for _ in range(2)]

    assert results == ["100 % done?"] * 2
    assert target.calls == [effect_id(T1, "k")]
    assert target.sought == []


async def test_an_effect_whose_answer_was_lost_is_looked_for_before_it_is_called_again(db, clock) -> None:
    target, effects = Target(), Effects(db, clock)
    begun = clock.now().timestamp()
    target.loses = True
    with pytest.raises(ConnectionResetError):
        await effects.once(T1, "k", call=target.call, find=target.find)
    clock.advance(timedelta(hours=1))

    assert await effects.once(T1, "k", call=target.call, find=target.find) == "found"
    assert target.sought == [(effect_id(T1, "k"), begun)]
    assert len(target.calls) == 1


async def test_the_same_key_in_two_workspaces_is_two_effects(db, clock) -> None:
    target, effects = Target(), Effects(db, clock)

    for team in (T1, T2):
        await effects.once(team, "k", call=target.call, find=target.find)

    assert target.calls == [effect_id(T1, "k"), effect_id(T2, "k")]
