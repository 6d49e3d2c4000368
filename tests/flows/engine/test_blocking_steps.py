"""Sync steps share threads, and yet none waits for a thread that only its own end would free."""

import asyncio
import subprocess
import sys
import textwrap
import threading
from contextlib import suppress
from typing import ClassVar

import pytest

from flows import Flow, start
from flows.threads import STEP_THREADS

MANY = STEP_THREADS + 6


class Inner(Flow):
    @start()
    def begin(self):
        return 1


class Outer(Flow):
    together: ClassVar = threading.Barrier(STEP_THREADS)

    @start()
    def begin(self):
        # Held until every thread that there may be is held, or all steps are here.
        with suppress(threading.BrokenBarrierError):
            self.together.wait(0.5)
        return self.run_inner()

    def run_inner(self):
        return Inner().kickoff()


class OuterWithOwnLoop(Outer):
    def run_inner(self):
        return asyncio.run(Inner().kickoff_async())


class AsyncStepInBetween(Outer):
    def run_inner(self):
        class Between(Flow):
            @start()
            async def begin(self):
                return Inner().kickoff()

        return Between().kickoff()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("outer", [Outer, OuterWithOwnLoop, AsyncStepInBetween])
async def test_more_steps_than_threads_may_each_run_a_flow_of_sync_steps(outer):
    outer.together.reset()

    results = await asyncio.gather(*(outer().kickoff_async() for _ in range(MANY)))

    assert results == [1] * MANY


@pytest.mark.timeout(20)
def test_flows_nested_deeper_than_there_are_threads_end():
    class Nested(Flow):
        @start()
        def begin(self):
            depth = self.state["depth"]
            return depth if depth == MANY else Nested().kickoff({"depth": depth + 1})

    assert Nested().kickoff({"depth": 1}) == MANY


class Answering:
    """Answers once a given number of people have been asked."""

    def __init__(self, expected):
        self.expected, self.asked, self.all_asked = expected, 0, asyncio.Event()

    async def request_input(self, message, flow, metadata=None):
        self.asked += 1
        if self.asked == self.expected:
            self.all_asked.set()
        await self.all_asked.wait()
        return "here"


@pytest.mark.timeout(20)
async def test_more_steps_than_threads_may_wait_for_people():
    people = Answering(MANY)

    class Asking(Flow):
        @start()
        def begin(self):
            return self.ask("Anybody?")

    results = await asyncio.gather(*(Asking(input_provider=people).kickoff_async() for _ in range(MANY)))

    assert results == ["here"] * MANY


async def test_a_steps_stop_iteration_is_an_error_and_no_hang():
    class Exhausted(Flow):
        @start()
        def begin(self):
            return next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await Exhausted().kickoff_async()


FORKING = """
import multiprocessing, sys
from flows import Flow, SQLiteFlowPersistence, listen, persist, start

store = SQLiteFlowPersistence(sys.argv[1])

@persist(store)
class Some(Flow):
    @start()
    def begin(self):
        self.state["n"] = self.state.get("n", 0) + 1
    @listen(begin)
    def then(self):
        return self.state["n"]

def child(results):
    results.put(Some(persistence=store).kickoff({"id": "one"}))

def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    print(Some(persistence=store).kickoff({"id": "one"}))
    worker = context.Process(target=child, args=(results,))
    worker.start()
    print(results.get(timeout=20))
    worker.join(20)
    print(Some(persistence=store).kickoff({"id": "one"}), worker.exitcode)

main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_runs_flows_and_uses_its_parents_store(tmp_path):
    script = tmp_path / "forking.py"
    script.write_text(textwrap.dedent(FORKING))

    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "flows.db")], capture_output=True, text=True, timeout=40
    )

    assert done.stdout.split() == ["1", "2", "3", "0"], done.stderr
