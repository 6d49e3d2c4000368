"""Input that nobody wishes for: a clear error or a defined result, and nothing half-written."""

import asyncio
from pathlib import Path
from typing import ClassVar

import pytest

from flows import (
    CannotContinueError,
    CodecError,
    Flow,
    GraphError,
    MemoryFlowPersistence,
    PersistenceError,
    SQLiteFlowPersistence,
    and_,
    human_feedback,
    listen,
    or_,
    persist,
    router,
    start,
)
from flows.errors import ProviderError, StateError, StoreTypeError
from flows.testing import PausingProvider, RecordingProvider

LONG = "approve-" * 37 + "done"
TEN_MB = 10_000_000


def test_a_flow_without_steps_ends_with_nothing_and_says_so(caplog):
    class Empty(Flow):
        pass

    assert Empty().kickoff() is None
    assert "Empty has no @start" in caplog.text


def test_listeners_without_a_start_run_never_and_it_is_said(caplog):
    class NoStart(Flow):
        @listen("somebody")
        def hears(self):
            return 1

    flow = NoStart()

    assert (flow.kickoff(), flow.method_outputs) == (None, [])
    assert "NoStart has no @start" in caplog.text


def test_a_cycle_without_an_exit_is_a_recursion_error_that_names_the_method(store):
    class Endless(Flow):
        @start()
        async def begin(self):
            pass

        @router(or_(begin, "again"))
        async def loop(self):
            return "again"

    flow = Endless(persistence=store, max_method_calls=20)

    with pytest.raises(RecursionError, match=r"Endless\.loop was called 21 times"):
        flow.kickoff()
    assert store.load_run(flow.flow_id).status == "failed"


def test_a_condition_that_can_never_hold_is_told_and_the_run_ends(caplog):
    class Never(Flow):
        @start()
        def begin(self):
            return 1

        @listen(and_(begin, "approve"))
        def after(self):
            return 2

    assert Never().kickoff() == 1
    assert "waits for 'approve', which no method and no declared label raises" in caplog.text


@pytest.mark.parametrize("combine", [or_, and_])
def test_a_condition_of_nothing_is_refused(combine):
    with pytest.raises(GraphError, match=f"{combine.__name__}"):
        combine()


def test_a_label_that_is_a_methods_name_is_that_methods_event():
    class Same(Flow):
        initial_state: ClassVar = {"ran": []}

        @start()
        @human_feedback(message="OK?", emit=["publish", "stop"], provider=RecordingProvider(["publish"]))
        def review(self):
            return "text"

        @listen("stop")
        def publish(self):
            self.state["ran"].append("publish")

        @listen("publish")
        def after(self, value):
            self.state["ran"].append(f"after {value.outcome}")

    flow = Same()
    flow.kickoff()

    assert flow.state["ran"] == ["after publish"]


def test_a_label_that_is_its_listeners_own_name_is_refused_with_the_mend():
    class Own(Flow):
        @start()
        @human_feedback(message="OK?", emit=["publish", "stop"], default_outcome="stop")
        def review(self):
            return "text"

        @listen("publish")
        def publish(self):
            pass

    with pytest.raises(GraphError, match=r"Own.*'publish' listens to its own name.*'handle_publish'"):
        Own()


@pytest.mark.parametrize(
    "label", ["승인", "aprovação ✅", "a b\tc", LONG, "'; DROP TABLE flow_runs; --", 'a|b"c<d>'], ids=ascii
)
async def test_any_text_may_be_a_label(store, label):
    class Some(Flow):
        @start()
        @human_feedback(message="OK?", emit=[label, "no"], default_outcome="no", provider=PausingProvider())
        def review(self):
            return "text"

        @listen(label)
        def after(self, value):
            return value.outcome

    paused = await Some(persistence=store).kickoff_async()
    flow = await Some.from_pending_async(paused.context.flow_id, store)

    assert await flow.resume_async(label.upper() if label.isascii() else label) == label


@pytest.mark.slow
async def test_outputs_and_states_of_ten_megabytes_survive_a_pause(store):
    class Big(Flow):
        @start()
        @human_feedback(message="OK?", provider=PausingProvider())
        def review(self):
            self.state["body"] = "é" * TEN_MB
            return b"\x00" * TEN_MB

        @listen(review)
        def after(self, value):
            return (len(value.output), self.state["body"] == "é" * TEN_MB)

    paused = await Big(persistence=store).kickoff_async()
    flow = await Big.from_pending_async(paused.context.flow_id, store)

    assert await flow.resume_async("ok") == (TEN_MB, True)


def test_a_generator_is_handed_on_as_it_is():
    class Some(Flow):
        @start()
        def numbers(self):
            yield from (1, 2, 3)

        @listen(numbers)
        def total(self, values):
            return sum(values)

    assert Some().kickoff() == 6


def test_a_generator_cannot_be_stored_and_the_error_names_the_step(store):
    class Some(Flow):
        @start()
        def numbers(self):
            yield 1

        @listen(numbers)
        def total(self, values):
            return sum(values)

    flow = Some(persistence=store)

    with pytest.raises(CodecError, match=r"^numbers\.output: .*generator"):
        flow.kickoff()


@pytest.mark.parametrize("is_async", [True, False], ids=["async step", "sync step"])
async def test_an_awaitable_result_is_awaited(is_async):
    async def later():
        return "done"

    class Asynchronous(Flow):
        @start()
        async def begin(self):
            return later()

    class Synchronous(Flow):
        @start()
        def begin(self):
            return later()

    assert await (Asynchronous if is_async else Synchronous)().kickoff_async() == "done"


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(UnprintableError(), "UnprintableError: (its text cannot be read)", id="raises"),
        pytest.param(ValueError("\ud800 half"), "ValueError: \\ud800 half", id="half a character"),
        pytest.param(ValueError("a\x00b"), "ValueError: a\x00b", id="zero"),
        pytest.param(ValueError("x" * 100_000), "ValueError: " + "x" * 100_000, id="long"),
    ],
)
async def test_an_error_with_an_unprintable_text_goes_up_unchanged(store, error, text):
    events = []

    class Fails(Flow):
        @start()
        async def begin(self):
            raise error

    with pytest.raises(type(error)) as caught:
        await Fails(persistence=store, on_event=events.append).kickoff_async({"id": "run-1"})

    assert caught.value is error
    assert store.load_run("run-1").error == text
    assert [event.error for event in events if hasattr(event, "error")] == [text, text]


class CancelledAt(MemoryFlowPersistence):
    """Cancels the task that drives the run in its n-th call, before or after the call has done its work."""

    def __init__(self, number, *, is_after):
        super().__init__()
        self.left, self.is_after, self.task, self.loop = number, is_after, None, None

    def counted(self, call, *args, **kwargs):
        self.left -= 1
        if self.left == 0 and not self.is_after:
            self.loop.call_soon_threadsafe(self.task.cancel)
        found = call(*args, **kwargs)
        if self.left == 0 and self.is_after:
            self.loop.call_soon_threadsafe(self.task.cancel)
        return found

    def checkpoint(self, checkpoint):
        return self.counted(super().checkpoint, checkpoint)

    def list_pending(self, flow_uuid=None):
        return self.counted(super().list_pending, flow_uuid)


class OneTurn:
    """Lets the loop do everything else that is due once."""

    def __await__(self):
        yield


class Steps(Flow):
    ended: ClassVar[list[str]] = []

    @start()
    async def first(self):
        await OneTurn()
        self.ended.append("first")

    @listen(first)
    async def left(self):
        await OneTurn()
        self.ended.append("left")

    @listen(first)
    def right(self):
        self.ended.append("right")

    @listen(and_(left, right))
    async def last(self):
        self.ended.append("last")
        return "the end"


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 8))
async def test_a_run_that_is_cancelled_in_any_store_call_can_be_finished(number, is_after):
    store = CancelledAt(number, is_after=is_after)
    store.loop = asyncio.get_running_loop()
    store.task = asyncio.ensure_future(Steps(persistence=store).kickoff_async({"id": "run-1"}))
    Steps.ended.clear()
    (outcome,) = await asyncio.gather(store.task, return_exceptions=True)
    try:
        result = await Steps.continue_async("run-1", persistence=store)
    except CannotContinueError:
        # Cancelled before its first checkpoint, or after its last.
        record = store.load_run("run-1")
        result = record.result if record is not None else await Steps(persistence=store).kickoff_async({"id": "run-1"})

    assert isinstance(outcome, asyncio.CancelledError) or outcome == "the end"
    assert result == "the end"
    assert set(Steps.ended) == {"first", "left", "right", "last"}
    assert Steps.ended.count("first") == 1


@pytest.mark.parametrize("turns", range(14))
async def test_a_run_that_is_cancelled_at_any_await_leaves_a_record_that_goes_on(tmp_path, turns):
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    task = asyncio.ensure_future(Steps(persistence=store).kickoff_async({"id": "run-1"}))
    for _ in range(turns):
        await OneTurn()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    record = store.load_run("run-1")

    again = Steps.continue_async("run-1", persistence=store)
    fresh = Steps(persistence=store).kickoff_async({"id": "run-1"})
    chosen, other = (fresh, again) if record is None else (again, fresh)
    other.close()

    assert record is None or record.status == "running"
    assert await chosen == "the end"
    store.close()


async def test_stop_iteration_from_a_sync_step_is_an_error_and_no_hang(store):
    class Some(Flow):
        @start()
        def begin(self):
            return next(iter([]))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await Some(persistence=store).kickoff_async({"id": "run-1"})
    assert store.load_run("run-1").status == "failed"


async def test_stop_iteration_from_a_provider_is_an_error_and_no_hang():
    class Empty:
        def request_feedback(self, context, flow):
            return next(iter([]))

    class Some(Flow):
        @start()
        @human_feedback(message="OK?", provider=Empty())
        def review(self):
            return "text"

    with pytest.raises(RuntimeError, match="StopIteration"):
        await Some().kickoff_async()


async def test_stop_iteration_from_a_store_is_a_persistence_error():
    class Broken(MemoryFlowPersistence):
        def checkpoint(self, checkpoint):
            return next(iter([]))

    class Some(Flow):
        @start()
        def begin(self):
            return 1

    with pytest.raises(PersistenceError, match="StopIteration"):
        await Some(persistence=Broken()).kickoff_async()


class Plain(Flow):
    @start()
    def begin(self):
        return dict(self.state)


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        pytest.param("flows.db", r"Pass SQLiteFlowPersistence\('flows\.db'\)", id="text"),
        pytest.param(Path("flows.db"), r"Pass SQLiteFlowPersistence\('flows\.db'\)", id="path"),
        pytest.param(SQLiteFlowPersistence, r"the class .* Pass an object of it: SQLiteFlowPersistence\(", id="class"),
        pytest.param({}, "'dict' is no store", id="object"),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda given: Plain(persistence=given), id="constructor"),
        pytest.param(lambda given: setattr(Plain(), "persistence", given), id="attribute"),
        pytest.param(lambda given: Plain.from_pending("run", given), id="from_pending"),
        pytest.param(persist, id="persist"),
    ],
)
def test_what_is_no_store_is_refused_where_it_is_given(use, given, mend):
    with pytest.raises(StoreTypeError, match=mend):
        use(given)


@pytest.mark.parametrize("name", ["human_feedback_provider", "input_provider"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(object(), "has no method", id="object"),
        pytest.param(RecordingProvider, r"Pass an object", id="class"),
    ],
)
def test_what_is_no_provider_is_refused_by_the_constructor(name, given, said):
    with pytest.raises(ProviderError, match=said):
        Plain(**{name: given})


@pytest.mark.parametrize(
    "inputs", [pytest.param(["a"], id="list"), pytest.param("a", id="text"), pytest.param(0, id="number")]
)
def test_inputs_that_are_no_mapping_are_refused_and_the_flow_stays_usable(inputs):
    flow = Plain()

    with pytest.raises(StateError, match=f"as a dict .* '{type(inputs).__name__}'"):
        flow.kickoff(inputs)

    assert flow.kickoff({"a": 1})["a"] == 1


@pytest.mark.parametrize("more", [{"inputs": {"a": 1}}, {"input_files": {"f": "x"}}], ids=["inputs", "files"])
def test_a_checkpoint_takes_no_inputs_and_says_so(more):
    with pytest.raises(ValueError, match="from_checkpoint goes on with the stored run's own inputs"):
        Plain(persistence=MemoryFlowPersistence()).kickoff(from_checkpoint="run", **more)
