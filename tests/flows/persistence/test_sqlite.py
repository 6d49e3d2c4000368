"""The store on disk keeps the contract, and what only a file can promise."""

import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest

from flows import PersistenceError, SQLiteFlowPersistence
from flows.testing import ManualClock
from flows.testing.store_contract import StoreContract
from flows.testing.stored_samples import make_checkpoint, make_context, opened


class TestSQLiteStore(StoreContract):
    def make_store(self, tmp_path):
        return SQLiteFlowPersistence(tmp_path / "flows.db")


class TestNamespacedSQLiteStore(StoreContract):
    def make_store(self, tmp_path):
        path = tmp_path / "flows.db"
        other = SQLiteFlowPersistence(path, namespace="T1/C2")
        other.checkpoint(make_checkpoint("elsewhere", 1, opened=(opened("elsewhere", "other"),)))
        return SQLiteFlowPersistence(path, namespace="T1/C1")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shared" / "flows.db"


def test_a_second_object_sees_what_the_first_stored(path):
    SQLiteFlowPersistence(path).checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r1"),)))

    assert SQLiteFlowPersistence(path).claim("r1", "approved", "", None) is True


def test_namespaces_do_not_meet(path):
    one, two = SQLiteFlowPersistence(path, namespace="a"), SQLiteFlowPersistence(path, namespace="b")
    one.checkpoint(make_checkpoint("same-id", 1, body="of a", opened=(opened("same-id", "r1"),)))
    two.checkpoint(make_checkpoint("same-id", 1, body="of b", opened=(opened("same-id", "r1"),)))
    two.save_state("same-id", "m", {"id": "same-id"})

    won = one.claim("r1", "approved", "", None)

    assert won is True
    assert one.load_checkpoint("same-id").body == "of a"
    assert one.load_state("same-id") is None
    assert [item.status for item in two.list_pending()] == ["pending"]


def test_every_table_has_the_packages_prefix(path):
    SQLiteFlowPersistence(path)

    with sqlite3.connect(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")]

    assert names
    assert [name for name in names if not name.startswith("flow_")] == []


def test_the_file_uses_a_write_ahead_log(path):
    SQLiteFlowPersistence(path)

    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_times_come_from_the_clock(path):
    clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
    store = SQLiteFlowPersistence(path, clock=clock)
    store.checkpoint(make_checkpoint("run-1", 1))
    clock.advance(timedelta(hours=1))
    store.checkpoint(make_checkpoint("run-1", 2))

    record = store.load_run("run-1")

    assert record.started_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 5, 1, 1, tzinfo=UTC)


def test_a_closed_store_opens_again_when_used(path):
    store = SQLiteFlowPersistence(path)
    store.save_state("run-1", "m", {"id": "run-1"})
    store.close()

    assert store.load_state("run-1") == {"id": "run-1"}
    store.close()


def test_a_failed_transaction_leaves_nothing(path):
    store = SQLiteFlowPersistence(path)
    store.checkpoint(make_checkpoint("run-1", 1, steps=((0, "a"),)))

    with pytest.raises(PersistenceError, match="UNIQUE"):
        store.checkpoint(make_checkpoint("run-1", 2, steps=((0, "again"),), body="half"))

    assert store.load_checkpoint("run-1").body == "body 1"


def test_a_path_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(PersistenceError, match="file"):
        SQLiteFlowPersistence(tmp_path / "file" / "flows.db")


def test_a_newer_schema_is_refused(path):
    SQLiteFlowPersistence(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE flow_schema SET version = 99")

    with pytest.raises(PersistenceError, match="99"):
        SQLiteFlowPersistence(path)


def test_a_provider_may_store_the_request_itself(path):
    store = SQLiteFlowPersistence(path)
    store.save_pending_feedback("run-1", make_context("run-1", "r1"), {"id": "run-1", "n": 1})

    found = store.load_checkpoint("run-1")

    assert (found.body, found.state) == (None, {"id": "run-1", "n": 1})


def test_a_run_is_read_as_of_one_moment_while_another_writes(path):
    writer, reader = SQLiteFlowPersistence(path), SQLiteFlowPersistence(path)
    writer.checkpoint(make_checkpoint("run-1", 1, steps=((0, "0"),)))
    stop = threading.Event()

    def write():
        version = 1
        while not stop.is_set():
            version += 1
            writer.checkpoint(make_checkpoint("run-1", version, steps=((version - 1, str(version)),)))

    worker = threading.Thread(target=write)
    worker.start()
    try:
        found = [reader.load_checkpoint("run-1") for _ in range(200)]
    finally:
        stop.set()
        worker.join()

    assert [len(item.steps) for item in found] == [item.version for item in found]


@pytest.fixture
def commits(monkeypatch):
    """The durability of every commit, in order."""
    found, connect = [], sqlite3.connect

    def traced(*args, **options):
        connection = connect(*args, **options)
        connection.set_trace_callback(note)
        return connection

    def note(statement):
        if statement.startswith("PRAGMA synchronous"):
            found.append(statement.rpartition(" ")[2])

    monkeypatch.setattr(sqlite3, "connect", traced)
    return found


@pytest.mark.parametrize(
    ("write", "durability"),
    [
        pytest.param(lambda store: store.claim("r0", "approved", "", None), "FULL", id="claim"),
        pytest.param(lambda store: store.checkpoint(make_checkpoint("run-1", 2, status="paused")), "FULL", id="pause"),
        pytest.param(
            lambda store: store.checkpoint(make_checkpoint("run-1", 2, opened=(opened("run-1", "r1"),))),
            "FULL",
            id="request",
        ),
        pytest.param(
            lambda store: store.save_pending_feedback("run-1", make_context("run-1", "r1"), {}), "FULL", id="feedback"
        ),
        pytest.param(lambda store: store.checkpoint(make_checkpoint("run-1", 2)), "NORMAL", id="step"),
        pytest.param(
            lambda store: store.checkpoint(make_checkpoint("run-1", 2, status="finished")), "NORMAL", id="end"
        ),
        pytest.param(lambda store: store.save_state("run-1", "m", {}), "NORMAL", id="state"),
    ],
)
def test_what_a_person_did_survives_a_power_cut(path, commits, write, durability):
    store = SQLiteFlowPersistence(path)
    store.checkpoint(make_checkpoint("run-1", 1, opened=(opened("run-1", "r0"),)))
    commits.clear()

    write(store)

    assert commits == [durability]


CLAIMER = """
import sys
import threading
from flows import SQLiteFlowPersistence
print(sum(SQLiteFlowPersistence(sys.argv[1]).claim(f"r{n}", "approved", "", sys.argv[2]) for n in range(40)))
"""


@pytest.mark.slow
def test_two_processes_share_the_claims_exactly(path):
    requests = tuple(opened("run-1", f"r{number}") for number in range(40))
    SQLiteFlowPersistence(path).checkpoint(make_checkpoint("run-1", 1, opened=requests))
    command = [sys.executable, "-c", CLAIMER, str(path)]

    claimers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in ("a", "b", "c")]
    won = [int(claimer.communicate(timeout=50)[0]) for claimer in claimers]

    assert sum(won) == 40


CALLS = [
    pytest.param(lambda store: store.save_state("run", "m", {"id": "run"}), id="write"),
    pytest.param(lambda store: store.load_state("run"), id="read"),
    pytest.param(lambda store: store.load_checkpoint("run"), id="moment"),
    pytest.param(lambda store: store.claim("r1", None, "", None), id="claim"),
]


@pytest.mark.parametrize("call", CALLS)
def test_what_sqlite_refuses_is_our_own_error_that_names_the_file(path, call):
    store = SQLiteFlowPersistence(path)
    with sqlite3.connect(path) as connection:
        for table in ("flow_states", "flow_runs", "flow_pending"):
            connection.execute(f"DROP TABLE {table}")

    with pytest.raises(PersistenceError, match=r"no such table.*flows\.db") as caught:
        call(store)

    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)


@pytest.mark.parametrize("call", CALLS)
def test_a_file_that_was_taken_away_while_it_was_closed_is_made_again(path, call):
    store = SQLiteFlowPersistence(path)
    store.close()
    path.unlink()

    call(store)

    assert store.list_pending() == []
