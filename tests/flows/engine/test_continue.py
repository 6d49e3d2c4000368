"""Going on with a run whose process died or whose step failed, from its last checkpoint."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows import (
    CannotContinueError,
    Flow,
    HumanFeedbackPending,
    MemoryFlowPersistence,
    OutsideStepError,
    PersistenceError,
    RunMovedError,
    SQLiteFlowPersistence,
    and_,
    human_feedback,
    listen,
    or_,
    router,
    start,
)
from flows.testing import PausingProvider


class Boom(Exception):
    """Stands for whatever goes wrong in a step."""


class Steps(Flow):
    """Four steps; the world outside decides which one fails."""

    def __init__(self, world, **options):
        super().__init__(**options)
        self.world = world

    def act(self, name):
        self.world.append((name, self.attempt, self.idempotency_key))
        if name in self.world.failing:
            raise Boom(name)
        return name

    @start()
    def first(self):
        return self.act("first")

    @listen(first)
    def second(self, value):
        return self.act("second") + f" after {value}"

    @router(second)
    def choose(self):
        self.act("choose")
        return "go"

    @listen("go")
    def last(self, value):
        return self.act("last") + f" after {value}"


class World(list):
    """What happened outside: (step, attempt, key)."""

    def __init__(self, *failing):
        super().__init__()
        self.failing = set(failing)

    @property
    def names(self):
        return [name for name, _, _ in self]


@pytest.fixture
def store(tmp_path):
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    yield store
    store.close()


async def fail_at(store, *steps, flow_id="run"):
    """The world after a run that failed at these steps."""
    world = World(*steps)
    with pytest.raises(Boom):
        await Steps(world, persistence=store).kickoff_async(inputs={"id": flow_id})
    world.failing.clear()
    return world


@pytest.mark.parametrize("step", ["first", "second", "choose", "last"])
async def test_retry_runs_the_interrupted_step_and_none_before_it(store, step):
    world = await fail_at(store, step)

    result = await Steps.continue_async("run", "retry", persistence=store, world=world)

    order = ["first", "second", "choose", "last"]
    at = order.index(step)
    assert result == "last after go"
    assert world.names == [*order[: at + 1], *order[at:]]


async def test_a_retried_step_keeps_its_key_and_counts_its_attempts(store):
    world = await fail_at(store, "second")
    world.failing.add("second")
    with pytest.raises(Boom):
        await Steps.continue_async("run", persistence=store, world=world)
    world.failing.clear()
    await Steps.continue_async("run", persistence=store, world=world)

    tries = [(attempt, key) for name, attempt, key in world if name == "second"]
    assert [attempt for attempt, _ in tries] == [1, 2, 3]
    assert len({key for _, key in tries}) == 1
    assert uuid.UUID(tries[0][1]).version == 5


async def test_keys_differ_between_calls_steps_and_runs(store):
    keys = []

    class Some(Flow):
        @start()
        def begin(self):
            keys.append(self.idempotency_key)

        @router(or_("begin", "again"))
        def loop(self):
            keys.append(self.idempotency_key)
            return "again" if len(keys) % 4 else None

    await Some().kickoff_async()
    await Some().kickoff_async()

    assert len(keys) == len(set(keys)) == 8


@pytest.mark.parametrize("name", ["idempotency_key", "attempt"])
def test_a_steps_own_values_are_refused_outside_a_step(name):
    with pytest.raises(OutsideStepError, match=name):
        getattr(Flow(), name)


async def test_done_takes_the_output_as_the_interrupted_steps(store):
    world = await fail_at(store, "second")

    result = await Steps.continue_async("run", "done", output="by hand", persistence=store, world=world)

    assert result == "last after go"
    assert world.names == ["first", "second", "choose", "last"]
    assert store.load_run("run").status == "finished"


async def test_done_of_a_router_raises_the_given_event(store):
    world = await fail_at(store, "choose")

    assert await Steps.continue_async("run", "done", output="go", persistence=store, world=world) == "last after go"


async def test_kickoff_from_a_checkpoint_is_the_same_as_retry(store):
    world = await fail_at(store, "second")

    result = await Steps(world, persistence=store).kickoff_async(from_checkpoint="run")

    assert result == "last after go"
    assert world.names.count("first") == 1


async def test_an_unknown_run_cannot_be_continued(store):
    with pytest.raises(CannotContinueError, match="no stored run"):
        await Steps.continue_async("nobody", persistence=store, world=World())


async def test_a_finished_run_cannot_be_continued(store):
    await Steps(World(), persistence=store).kickoff_async(inputs={"id": "run"})

    with pytest.raises(CannotContinueError, match="finished"):
        await Steps.continue_async("run", persistence=store, world=World())


class Reviewed(Flow):
    def __init__(self, world, **options):
        super().__init__(human_feedback_provider=PausingProvider(), **options)
        self.world = world

    @start()
    def begin(self):
        self.world.append("begin")

    @listen(begin)
    @human_feedback(message="OK?", emit=["approved", "rejected"], default_outcome="rejected")
    def review(self):
        self.world.append("review")
        if "review" in self.world.failing:
            raise Boom
        return "draft"

    @listen("approved")
    def publish(self, result):
        self.world.append("publish")
        if "publish" in self.world.failing:
            raise Boom
        return f"published {result.output} ({result.feedback}, {result.metadata.get('by')})"


async def test_a_run_that_only_waits_cannot_be_continued(store):
    flow = Reviewed(World(), persistence=store)
    pending = await flow.kickoff_async()

    with pytest.raises(CannotContinueError, match=pending.context.request_id):
        await Reviewed.continue_async(flow.flow_id, persistence=store, world=World())


async def test_an_answer_that_was_only_claimed_is_taken_up_with_all_it_said(store):
    world = World()
    flow = Reviewed(world, persistence=store)
    pending = await flow.kickoff_async()
    store.claim(pending.context.request_id, "approved", "go", "ana", replaced_output='"better"')

    result = await Reviewed.continue_async(flow.flow_id, persistence=store, world=world)

    assert result == "published better (go, ana)"
    assert world == ["begin", "review", "publish"]
    assert store.list_pending(flow.flow_id) == []


async def test_done_on_a_review_asks_about_the_given_output(store):
    world = World("review")
    flow = Reviewed(world, persistence=store)
    with pytest.raises(Boom):
        await flow.kickoff_async()

    pending = await Reviewed.continue_async(flow.flow_id, "done", output="by hand", persistence=store, world=world)

    assert isinstance(pending, HumanFeedbackPending)
    assert pending.context.method_output == "by hand"
    assert world.count("review") == 1


class FailingProvider:
    """Fails while it asks."""

    def request_feedback(self, context, flow):
        raise Boom


async def test_a_failing_provider_is_asked_again_without_running_the_body_again(store):
    world = World()
    flow = Reviewed(world, persistence=store)

    class Failing(Reviewed):
        @listen("begin")
        @human_feedback(message="OK?", provider=FailingProvider())
        def review(self):
            self.world.append("review")
            return "draft"

    flow = Failing(world, persistence=store)
    with pytest.raises(Boom):
        await flow.kickoff_async()
    interrupted = store.load_run(flow.flow_id).interrupted

    pending = await Reviewed.continue_async(flow.flow_id, persistence=store, world=world)

    assert interrupted == ()
    assert pending.context.method_output == "draft"
    assert world.count("review") == 1


class LookingProvider:
    """Looks, while it asks, at what is stored about the run."""

    def __init__(self, store):
        self.store, self.seen = store, []

    def request_feedback(self, context, flow):
        record = self.store.load_run(context.flow_id)
        self.seen.append((record.status, record.interrupted))
        return "approved"


async def test_before_a_person_is_asked_it_is_stored_that_the_body_is_done(store):
    provider = LookingProvider(store)

    class Looked(Reviewed):
        @listen("begin")
        @human_feedback(message="OK?", emit=["approved"], default_outcome="approved", provider=provider)
        def review(self):
            return "draft"

    await Looked(World(), persistence=store).kickoff_async()

    assert provider.seen == [("running", ())]


async def test_a_request_is_stored_while_its_siblings_still_run(store):
    class Beside(Flow):
        @start()
        @human_feedback(message="OK?", provider=PausingProvider())
        async def review(self):
            return "draft"

        @start()
        async def sibling(self):
            await asyncio.wait_for(self.paused.wait(), 10)
            return [item.status for item in store.list_pending(self.flow_id)]

    flow = Beside(persistence=store)
    flow.paused = asyncio.Event()
    kept = store.checkpoint

    def told(checkpoint):
        done = kept(checkpoint)
        if checkpoint.opened:
            loop.call_soon_threadsafe(flow.paused.set)
        return done

    loop = asyncio.get_running_loop()
    store.checkpoint = told
    await flow.kickoff_async()

    assert flow.method_outputs == [["pending"]]


class Held(MemoryFlowPersistence):
    """Its second write waits until it is let go."""

    def __init__(self):
        super().__init__()
        self.writes, self.waiting, self.let_go = 0, threading.Event(), threading.Event()

    def checkpoint(self, checkpoint):
        self.writes += 1
        if self.writes == 2:
            self.waiting.set()
            self.let_go.wait(10)
        return super().checkpoint(checkpoint)


async def test_a_checkpoint_whose_step_is_cancelled_meanwhile_is_noted():
    store = Held()

    class Two(Flow):
        @start()
        async def quick(self):
            return "quick"

        @start()
        async def fails(self):
            await asyncio.to_thread(store.waiting.wait, 10)
            asyncio.get_running_loop().call_soon(store.let_go.set)
            raise Boom

    flow = Two(persistence=store)
    with pytest.raises(Boom):
        await flow.kickoff_async()

    record = store.load_run(flow.flow_id)
    assert (record.status, record.interrupted) == ("failed", ("fails",))
    assert len(store.load_checkpoint(flow.flow_id).steps) == 1


async def test_done_with_several_interrupted_steps_names_them(store):
    class Two(Flow):
        @start()
        async def one(self):
            raise Boom

        @start()
        async def two(self):
            await asyncio.Event().wait()

    flow = Two(persistence=store)
    with pytest.raises(Boom):
        await flow.kickoff_async()

    with pytest.raises(CannotContinueError, match="one, two"):
        await Two.continue_async(flow.flow_id, "done", persistence=store)


async def test_of_two_that_continue_one_runs_and_the_other_is_told(store):
    world = await fail_at(store, "second")

    results = await asyncio.gather(
        *(Steps.continue_async("run", persistence=store, world=world) for _ in range(3)), return_exceptions=True
    )

    assert results.count("last after go") == 1
    assert all(isinstance(item, (RunMovedError, CannotContinueError)) for item in results if item != "last after go")
    assert world.names == ["first", "second", "second", "choose", "last"]


async def test_a_class_that_has_lost_the_step_under_way_is_told_so(store):
    await fail_at(store, "second")

    class Shorter(Flow):
        @start()
        def first(self):
            return "first"

    with pytest.raises(CannotContinueError, match="second"):
        await Shorter.continue_async("run", persistence=store)


class StopsAt(MemoryFlowPersistence):
    """A store whose n-th write fails, as a full disk or a lost connection would."""

    def __init__(self, failing):
        super().__init__()
        self.failing, self.writes = failing, 0

    def count(self):
        self.writes += 1
        if self.writes == self.failing:
            raise OSError("disk full")

    def checkpoint(self, checkpoint):
        self.count()
        return super().checkpoint(checkpoint)

    def claim(self, request_id, outcome, text, by, **more):
        self.count()
        return super().claim(request_id, outcome, text, by, **more)


async def test_a_failing_store_is_no_failure_of_the_flow_and_starts_nothing():
    store, world = StopsAt(failing=2), World()

    with pytest.raises(PersistenceError, match="disk full"):
        await Steps(world, persistence=store).kickoff_async(inputs={"id": "run"})
    record = store.load_run("run")
    result = await Steps.continue_async("run", persistence=store, world=world)

    assert (record.status, record.interrupted) == ("running", ())
    assert result == "last after go"
    assert [(name, attempt) for name, attempt, _ in world] == [
        (name, 1) for name in ("first", "second", "choose", "last")
    ]


async def carry_through(store, world):
    """The run's value, reached as a patient host would: by asking again after every failure."""
    for _ in range(10):
        record = store.load_run("run")
        try:
            if record is None:
                found = await Reviewed(world, persistence=store).kickoff_async(inputs={"id": "run"})
            elif record.status == "finished":
                return record.result
            elif record.status == "paused":
                found = await Reviewed.from_pending("run", store, world=world).resume_async("ok", outcome="approved")
            else:
                found = await Reviewed.continue_async("run", persistence=store, world=world)
            if not isinstance(found, HumanFeedbackPending):
                return found
        except PersistenceError:
            pass
    raise AssertionError(f"the run never ended: {store.load_run('run')}")


@given(failing=st.integers(1, 14))
@settings(max_examples=20, deadline=None)
def test_a_store_that_fails_once_loses_no_decision_and_runs_no_finished_step_again(failing):
    store, world = StopsAt(failing), World()

    result = asyncio.run(carry_through(store, world))

    assert result == "published draft (ok, None)"
    assert world == ["begin", "review", "publish"]


NAMES = ("m0", "m1", "m2", "m3", "m4")


@st.composite
def graphs(draw):
    """Conditions by method (None for a start) and scripted answers of routers."""
    count = draw(st.integers(2, len(NAMES)))
    labels = ("x", "y")
    conditions = {}
    for at, name in enumerate(NAMES[:count]):
        others = st.sampled_from([other for other in (*NAMES[:count], *labels) if other != name])
        several = st.lists(others, min_size=1, max_size=3)
        some = several.map(lambda parts: or_(*parts)) | several.map(lambda parts: and_(*parts))
        conditions[name] = None if at == 0 else draw(st.none() | some)
    routers = draw(st.sets(st.sampled_from(NAMES[:count])))
    answers = {name: draw(st.lists(st.sampled_from([None, *labels]), max_size=3)) for name in sorted(routers)}
    return conditions, answers


def flow_of(conditions, answers, world):
    """A flow of instant steps; `world` holds what they did and how many calls may still succeed."""

    def step(name):
        async def body(self):
            run = (name, self.idempotency_key)
            world.append(("begins", *run))
            world.left -= 1
            if world.left == 0:
                raise Boom
            number = sum(1 for item in world if item[:2] == ("ends", name))
            world.append(("ends", *run))
            script = answers.get(name, [])
            return script[number] if number < len(script) else None

        body.__name__ = name
        condition = conditions[name]
        decorated = start()(body) if condition is None else listen(condition)(body)
        return router()(decorated) if name in answers else decorated

    return type("Planned", (Flow,), {name: step(name) for name in conditions})


@given(plan=graphs(), crashes=st.lists(st.integers(1, 4), max_size=4))
@settings(max_examples=60, deadline=None)
def test_whatever_fails_and_when_each_call_of_any_graph_ends_exactly_once(plan, crashes):
    conditions, answers = plan
    store, world = MemoryFlowPersistence(), World()
    flow = flow_of(conditions, answers, world)

    async def carry_out():
        for left in [*crashes, 0]:
            world.left = left
            try:
                if store.load_run("run") is None:
                    return await flow(persistence=store, max_method_calls=8).kickoff_async({"id": "run"})
                return await flow.continue_async("run", persistence=store, max_method_calls=8)
            except Boom:
                assert store.load_run("run").status == "failed"
        raise AssertionError("the last try has no crash")

    try:
        asyncio.run(carry_out())
    except RecursionError:
        assert any(sum(item[:2] == ("ends", name) for item in world) >= 8 for name in conditions)

    ended = [key for what, _, key in world if what == "ends"]
    began = [key for what, _, key in world if what == "begins"]
    assert len(ended) == len(set(ended))
    assert set(began) >= set(ended)


CHILD = """
    import asyncio, os, sys
    from pathlib import Path
    from flows import Flow, SQLiteFlowPersistence, and_, human_feedback, listen, or_, router, start
    from flows.testing import PausingProvider

    class Chain(Flow):
        log = Path(sys.argv[2])

        def note(self, name):
            with self.log.open("a") as file:
                file.write(f"{name} {self.idempotency_key}\\n")
                file.flush()
                os.fsync(file.fileno())
            return name

        @start()
        def a(self):
            return self.note("a")

        @start()
        async def b(self):
            return self.note("b")

        @listen(and_(a, b))
        def both(self):
            return self.note("both")

        @listen(or_("both", "again"))
        def work(self):
            self.state["n"] = self.state.get("n", 0) + 1
            return self.note("work")

        @router(work)
        def more(self):
            self.note("more")
            return "again" if self.state["n"] < 12 else "review"

        @listen("review")
        @human_feedback(message="OK?", emit=["approved"], default_outcome="approved", provider=PausingProvider())
        def gate(self):
            return self.note("gate")

        @listen("approved")
        def end(self):
            self.note("end")
            return self.state["n"]

    async def main():
        store = SQLiteFlowPersistence(sys.argv[1])
        print("ready", flush=True)
        while True:
            record = store.load_run("run")
            if record is None:
                await Chain(persistence=store).kickoff_async({"id": "run"})
            elif record.status == "finished":
                return record.result
            elif record.status == "paused":
                flow = await Chain.from_pending_async("run", store)
                await flow.resume_async("approved")
            else:
                await Chain.continue_async("run", "retry", persistence=store)

    print("result", asyncio.run(main()), flush=True)
"""


@pytest.mark.slow
def test_a_run_survives_being_killed_again_and_again(tmp_path):
    script, database, log = tmp_path / "child.py", tmp_path / "flows.db", tmp_path / "log"
    script.write_text(textwrap.dedent(CHILD))
    log.touch()
    command = [sys.executable, str(script), str(database), str(log)]
    kills = 0
    for lines_before_kill in (1, 2, 5, 9, 14, 20, 26, 10_000):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while child.poll() is None and len(log.read_text().splitlines()) < lines_before_kill:
            os.sched_yield()
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        output, _ = child.communicate(timeout=50)

    entries = log.read_text().splitlines()
    assert output.splitlines()[-1] == "result 12"
    assert kills >= 3
    # A step that was running at a kill runs again under its own key; nothing else does.
    assert len(entries) - len(set(entries)) <= kills * 2
    assert len({line for line in entries if line.startswith("work ")}) == 12
    assert {line.split()[0] for line in entries} == {"a", "b", "both", "work", "more", "gate", "end"}
    assert all(
        len({line for line in entries if line.startswith(f"{name} ")}) == 1 for name in ("a", "b", "both", "end")
    )


async def test_a_cancelled_run_can_be_continued(store):
    class Slow(Flow):
        @start()
        async def begin(self):
            return 1

        @listen(begin)
        async def wait(self, value):
            if self.attempt == 1:
                self.waiting.set()
                await asyncio.Event().wait()
            return value + 1

    flow = Slow(persistence=store)
    flow.waiting = asyncio.Event()
    task = asyncio.create_task(flow.kickoff_async(inputs={"id": "run"}))
    await flow.waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    record = store.load_run("run")

    assert (record.status, record.interrupted) == ("running", ("wait",))
    assert await Slow.continue_async("run", persistence=store) == 2


async def test_joins_and_labels_survive_a_failure(store):
    broken = [True]

    class Joined(Flow):
        @start()
        def a(self):
            return "a"

        @start()
        def b(self):
            if broken:
                raise Boom
            return "b"

        @listen(and_(a, b))
        def both(self):
            return self.method_outputs

    flow = Joined(persistence=store)
    with pytest.raises(Boom):
        await flow.kickoff_async()
    broken.clear()

    assert await Joined.continue_async(flow.flow_id, persistence=store) == ["a", "b"]
