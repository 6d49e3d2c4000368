"""Which run is which: idempotency keys, an id that stays, a new run after an answer, calls that are counted."""

import asyncio

import pytest

from flows import (
    Flow,
    MemoryFlowPersistence,
    PendingRequestsError,
    SQLiteFlowPersistence,
    StateError,
    human_feedback,
    listen,
    or_,
    start,
)
from flows.testing import PausingProvider


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    store = MemoryFlowPersistence() if request.param == "memory" else SQLiteFlowPersistence(tmp_path / "flows.db")
    yield store
    store.close()


class Paying(Flow):
    def __init__(self, keys, **options):
        super().__init__(**options)
        self.keys = keys

    @start()
    def pay(self):
        self.keys.append(self.idempotency_key)
        if len(self.keys) == 1:
            raise ValueError("the line broke")


async def test_a_retry_has_the_same_key_and_another_run_of_the_same_id_has_not(store):
    keys = []
    flow = Paying(keys, persistence=store)
    with pytest.raises(ValueError, match="line"):
        await flow.kickoff_async({"id": "chat"})

    await Paying.continue_async("chat", persistence=store, keys=keys)
    await flow.kickoff_async({"id": "chat"})
    await Paying(keys, persistence=store).kickoff_async({"id": "chat"})

    first, again, second, third = keys
    assert first == again
    assert len({first, second, third}) == 3


def test_a_step_that_changes_the_id_of_a_stored_run_is_named(store):
    class Renaming(Flow):
        @start()
        def rename(self):
            self.state["id"] = "ticket-7"

    with pytest.raises(StateError, match=r"Renaming\.rename changed .* 'one' to 'ticket-7'"):
        Renaming(persistence=store).kickoff({"id": "one"})

    assert store.load_run("one").status == "failed"


class Reviewed(Flow):
    fails = True

    @human_feedback(message="ok?", emit=["yes", "no"], provider=PausingProvider())
    @start()
    def draft(self):
        return sorted(self.input_files)

    @listen("yes")
    def publish(self):
        if self.fails:
            raise ValueError("boom")
        return dict(self.input_files)


def test_a_run_that_failed_behind_an_answer_may_be_started_anew(store):
    flow = Reviewed(persistence=store)
    flow.kickoff({"id": "one"})
    with pytest.raises(ValueError, match="boom"):
        flow.resume(outcome="yes")

    again = Reviewed(persistence=store).kickoff({"id": "one"})

    assert [item.request_id for item in store.list_pending("one")] == [again.context.request_id]


def test_an_answer_that_is_not_carried_out_yet_is_not_buried(store):
    paused = Reviewed(persistence=store).kickoff({"id": "one"})
    store.claim(paused.context.request_id, "yes", "", None)

    with pytest.raises(PendingRequestsError, match="continue_async") as caught:
        Reviewed(persistence=store).kickoff({"id": "one"})

    assert caught.value.is_answered


def test_input_files_are_there_after_the_pause(store, monkeypatch):
    monkeypatch.setattr(Reviewed, "fails", False)
    Reviewed(persistence=store).kickoff({"id": "one"}, input_files={"a": "/tmp/a.txt"})

    assert Reviewed.from_pending("one", store).resume(outcome="yes") == {"a": "/tmp/a.txt"}


class Loop(Flow):
    crashes = False

    @start()
    def begin(self):
        return 0

    @human_feedback(message="ok?", emit=["yes", "again"], provider=PausingProvider())
    @listen(or_("begin", "again"))
    def draft(self):
        if self.crashes:
            raise ValueError("boom")
        return "draft"


def test_a_person_may_ask_for_more_versions_than_a_cycle_may_have_calls(store):
    Loop(persistence=store).kickoff({"id": "one"})

    for _ in range(5):
        Loop.from_pending("one", store, max_method_calls=3).resume(outcome="again")

    assert Loop.from_pending("one", store).resume(outcome="yes") == "draft"


def test_the_count_of_calls_survives_a_crash_behind_an_answer(store, monkeypatch):
    Loop(persistence=store).kickoff({"id": "one"})
    for _ in range(3):
        Loop.from_pending("one", store, max_method_calls=1).resume(outcome="again")
    monkeypatch.setattr(Loop, "crashes", True)
    with pytest.raises(ValueError, match="boom"):
        Loop.from_pending("one", store, max_method_calls=1).resume(outcome="again")
    monkeypatch.setattr(Loop, "crashes", False)

    paused = asyncio.run(Loop.continue_async("one", persistence=store, max_method_calls=1))

    assert paused.context.method_name == "draft"
