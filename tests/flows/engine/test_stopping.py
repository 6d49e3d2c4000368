"""A run that is cancelled or fails has ended when its caller hears of it, and everybody who listened knows."""

import asyncio

import pytest

from flows import Flow, MemoryFlowPersistence, listen, start


class Stubborn(Flow):
    """Its first step does not let itself be cancelled."""

    def __init__(self, **options):
        super().__init__(**options)
        self.begun, self.ran = asyncio.Event(), []

    @start()
    async def begin(self):
        try:
            self.begun.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.ran.append("begin")
        return 1

    @listen(begin)
    async def then(self):
        self.ran.append("then")


async def cancelled(flow):
    task = asyncio.create_task(flow.kickoff_async())
    await flow.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_nothing_follows_a_step_that_ignores_its_cancellation():
    flow = Stubborn()

    await cancelled(flow)

    assert flow.ran == ["begin"]
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()


async def test_what_it_did_all_the_same_counts_when_the_run_goes_on():
    store = MemoryFlowPersistence()
    flow = Stubborn(persistence=store)
    await cancelled(flow)

    made = []

    class Again(Stubborn):
        def __init__(self, **options):
            super().__init__(**options)
            made.append(self)

    await Again.continue_async(flow.flow_id, persistence=store)

    assert made[0].ran == ["then"]


def told(events):
    return [(event.type, getattr(event, "method_name", None)) for event in events]


class Waiting(Flow):
    def __init__(self, **options):
        super().__init__(**options)
        self.begun = asyncio.Event()

    @start()
    async def wait(self):
        self.begun.set()
        await asyncio.Event().wait()


async def test_a_cancelled_run_and_its_steps_end_in_the_events():
    events = []

    await cancelled(Waiting(on_event=events.append))

    assert told(events)[-2:] == [("method_execution_failed", "wait"), ("flow_failed", None)]


async def test_a_sibling_of_a_failing_step_ends_in_the_events():
    events = []

    class Failing(Waiting):
        @start()
        async def fail(self):
            await self.begun.wait()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Failing(on_event=events.append).kickoff_async()

    assert set(told(events)[-3:-1]) == {("method_execution_failed", "wait"), ("method_execution_failed", "fail")}
    assert told(events)[-1] == ("flow_failed", None)
