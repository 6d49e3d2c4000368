"""Several calls to one SQLite file with one commit: what they share, and what stays each one's own."""

import asyncio
import sqlite3
from functools import partial

import pytest

from flows import Flow, HumanFeedbackPending, PersistenceError, SQLiteFlowPersistence, human_feedback, listen, start
from flows.testing.stored_samples import make_checkpoint, opened


@pytest.fixture
def path(tmp_path):
    return tmp_path / "flows.db"


class File:
    """What SQLite is asked for, and whether it may commit."""

    def __init__(self):
        self.begun = []
        self.may_commit = True

    def note(self, statement):
        if statement.startswith("PRAGMA synchronous"):
            self.begun.append(statement.rpartition(" ")[2])

    def allows(self, action, what, *_):
        is_refused = action == sqlite3.SQLITE_TRANSACTION and what == "COMMIT" and not self.may_commit
        return sqlite3.SQLITE_DENY if is_refused else sqlite3.SQLITE_OK


@pytest.fixture
def file(monkeypatch):
    watched, connect = File(), sqlite3.connect

    def connected(*args, **options):
        connection = connect(*args, **options)
        connection.set_trace_callback(watched.note)
        connection.set_authorizer(watched.allows)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connected)
    return watched


@pytest.fixture
def store(path, file):
    made = SQLiteFlowPersistence(path)
    file.begun.clear()
    return made


def checkpoint(store, flow_id, version=1, **content):
    return partial(store.checkpoint, make_checkpoint(flow_id, version, **content))


def found(outcomes):
    return [value for value, error in outcomes if error is None]


def test_steps_of_several_runs_share_a_commit(store, file):
    outcomes = store.together([checkpoint(store, "a"), checkpoint(store, "b"), checkpoint(store, "c")])

    assert outcomes == [(True, None)] * 3
    assert file.begun == ["NORMAL"]
    assert [store.checkpoint_version(flow_id) for flow_id in "abc"] == [1, 1, 1]


def test_a_pause_among_steps_is_synchronised_and_those_after_it_come_along(store, file):
    paused = checkpoint(store, "b", opened=(opened("b", "r1"),))

    store.together([checkpoint(store, "a"), paused, checkpoint(store, "c"), partial(store.claim, "r1", None, "", None)])

    assert file.begun == ["NORMAL", "FULL"]
    assert [item.status for item in store.list_pending()] == ["decided"]


def test_each_is_told_its_own_result_in_order(store):
    store.checkpoint(make_checkpoint("a", 1, opened=(opened("a", "r1"),)))
    claim = partial(store.claim, "r1", "approved", "", None)

    outcomes = store.together([claim, claim, partial(store.checkpoint_version, "a"), checkpoint(store, "a", 9)])

    assert outcomes == [(True, None), (False, None), (1, None), (False, None)]


def test_a_call_sees_what_those_before_it_have_written(store):
    outcomes = store.together([checkpoint(store, "a", body="seen"), partial(store.load_checkpoint, "a")])

    assert found(outcomes)[1].body == "seen"


def test_a_failing_call_takes_back_its_own_writes_only(store):
    store.checkpoint(make_checkpoint("b", 1, steps=((0, "b"),)))
    failing = checkpoint(store, "b", 2, body="half", steps=((0, "again"),))

    outcomes = store.together([checkpoint(store, "a"), failing, checkpoint(store, "c")])

    assert [type(error) for _, error in outcomes] == [type(None), PersistenceError, type(None)]
    assert store.load_checkpoint("b").body == "body 1"
    assert [store.checkpoint_version(flow_id) for flow_id in "abc"] == [1, 1, 1]


def test_nobody_is_told_of_success_when_the_commit_fails(store, file, path):
    file.may_commit = False

    outcomes = store.together([checkpoint(store, "a"), checkpoint(store, "b")])

    assert [type(error) for _, error in outcomes] == [PersistenceError] * 2
    assert all(path.name in str(error) for _, error in outcomes)
    file.may_commit = True
    assert [store.checkpoint_version(flow_id) for flow_id in "ab"] == [None, None]
    assert store.together([checkpoint(store, "a"), checkpoint(store, "b")]) == [(True, None)] * 2


def test_what_was_committed_before_a_later_commit_fails_stays_told(store, file):
    store.checkpoint(make_checkpoint("b", 1, opened=(opened("b", "r1"),)))

    def refuse_commits():
        file.may_commit = False

    claim = partial(store.claim, "r1", None, "", None)
    outcomes = store.together([checkpoint(store, "a"), claim, refuse_commits, checkpoint(store, "c")])

    file.may_commit = True
    assert [error is None for _, error in outcomes] == [True, False, False, False]
    assert [store.checkpoint_version(flow_id) for flow_id in "ac"] == [1, None]
    assert store.list_pending("b")[0].status == "pending"


def test_all_fail_whose_writes_sqlite_takes_back_with_a_failing_one(store, path):
    with sqlite3.connect(path) as other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON flow_steps BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END"
        )
    failing = checkpoint(store, "b", steps=((0, "b"),))

    outcomes = store.together([checkpoint(store, "a"), failing, checkpoint(store, "c")])

    assert ["the disk is full" in str(error) for _, error in outcomes] == [True] * 3
    assert [store.checkpoint_version(flow_id) for flow_id in "abc"] == [None] * 3


def test_another_store_sees_nothing_before_the_commit(store, path):
    other = SQLiteFlowPersistence(path)

    outcomes = store.together([checkpoint(store, "a"), partial(other.checkpoint_version, "a")])

    assert outcomes == [(True, None), (None, None)]
    assert other.checkpoint_version("a") == 1


class Pauses:
    def request_feedback(self, context, flow):
        raise HumanFeedbackPending(context=context)


class Review(Flow):
    @start()
    @human_feedback(message="OK?", provider=Pauses())
    async def ask(self):
        return "text"

    @listen("ask")
    async def publish(self, result):
        return f"published: {result.feedback}"


async def reviewed(store, words):
    pending = await Review(persistence=store).kickoff_async()
    flow = await Review.from_pending_async(pending.context.flow_id, store)
    return await flow.resume_async(words)


async def test_runs_of_one_loop_share_commits(store, file):
    await reviewed(store, "alone")
    alone = len(file.begun)
    file.begun.clear()

    results = await asyncio.gather(*(reviewed(store, f"number {number}") for number in range(20)))

    assert results == [f"published: number {number}" for number in range(20)]
    assert len(file.begun) < 20 * alone / 2


async def test_runs_whose_commit_fails_all_hear_of_it(store, file):
    file.may_commit = False

    outcomes = await asyncio.gather(
        *(Review(persistence=store).kickoff_async() for _ in range(3)), return_exceptions=True
    )

    assert [type(outcome) for outcome in outcomes] == [PersistenceError] * 3
    file.may_commit = True
    assert store.list_pending() == []


async def test_two_stores_in_one_loop_keep_apart(tmp_path):
    stores = [SQLiteFlowPersistence(tmp_path / name) for name in ("one.db", "two.db")]

    await asyncio.gather(*(reviewed(stores[number % 2], str(number)) for number in range(8)))

    assert [store.list_pending() for store in stores] == [[], []]
