"""Steps call crews and agents as they always did: anything with kickoff or kickoff_async works, sync and async."""

import asyncio
from contextvars import ContextVar
from types import SimpleNamespace

import pytest

from flows import Flow, human_feedback, listen, start
from tests.spec.documents_running import Desk

tracing: ContextVar[str] = ContextVar("tracing", default="none")


class FakeCrew:
    """Shaped like a crew or an agent: sync, async, and sync with a loop of its own inside."""

    def kickoff(self, inputs):
        return SimpleNamespace(raw=f"{inputs['topic']} ({tracing.get()})", tasks_output=[object()])

    async def kickoff_async(self, inputs):
        await asyncio.to_thread(lambda: None)
        return self.kickoff(inputs)

    def kickoff_with_a_loop_of_its_own(self, inputs):
        return asyncio.run(self.kickoff_async(inputs))


class Sync(Flow):
    @start()
    def write(self):
        return FakeCrew().kickoff(inputs={"topic": "tea"}).raw


class Async(Flow):
    @start()
    async def write(self):
        return (await FakeCrew().kickoff_async(inputs={"topic": "tea"})).raw


class SyncThatReturnsACoroutine(Flow):
    @start()
    def begin(self):
        return FakeCrew().kickoff_async(inputs={"topic": "tea"})

    @listen(begin)
    def write(self, result):
        return result.raw


class LoopInside(Flow):
    @start()
    def write(self):
        return FakeCrew().kickoff_with_a_loop_of_its_own(inputs={"topic": "tea"}).raw


FLOWS = [Sync, Async, SyncThatReturnsACoroutine, LoopInside]


@pytest.mark.parametrize("flow", FLOWS)
def test_a_crew_works_in_a_step(flow):
    assert flow().kickoff() == "tea (none)"


@pytest.mark.parametrize("flow", FLOWS)
async def test_a_crew_works_in_a_step_inside_a_running_loop(flow):
    assert await flow().kickoff_async() == "tea (none)"


@pytest.mark.parametrize("flow", FLOWS)
def test_a_crew_sees_the_caller_s_context(flow):
    token = tracing.set("traced")

    found = flow().kickoff()

    tracing.reset(token)
    assert found == "tea (traced)"


def test_crews_of_parallel_steps_run_at_the_same_time():
    both_inside = asyncio.Barrier(2)

    class Parallel(Flow):
        @start()
        async def left(self):
            await both_inside.wait()
            return await FakeCrew().kickoff_async(inputs={"topic": "left"})

        @start()
        async def right(self):
            await both_inside.wait()
            return await FakeCrew().kickoff_async(inputs={"topic": "right"})

    flow = Parallel()
    flow.kickoff()

    assert {output.raw for output in flow.method_outputs} == {"left (none)", "right (none)"}


def test_what_a_crew_wrote_can_be_reviewed_as_text():
    class Reviewed(Flow):
        @start()
        @human_feedback(message="Good?", emit=["good", "bad"], default_outcome="bad")
        def write(self):
            return FakeCrew().kickoff(inputs={"topic": "tea"}).raw

        @listen("good")
        def publish(self, result):
            return result.output

    assert Reviewed(human_feedback_provider=Desk(write=["good"])).kickoff() == "tea (none)"


def test_a_crew_s_failure_is_raised_as_it_is():
    class Fails(Flow):
        @start()
        def write(self):
            return FakeCrew().kickoff(inputs={})

    with pytest.raises(KeyError):
        Fails().kickoff()
