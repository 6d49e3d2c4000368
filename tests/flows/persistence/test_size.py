"""What a run costs in storage: its history grows by what is new, not by a copy for each step."""

import asyncio
import sqlite3
import subprocess
import sys

import pytest

from flows import Flow, MemoryFlowPersistence, SQLiteFlowPersistence, listen, or_, persist, router, start
from flows.persistence.codec import to_text


def looping(times):
    """A flow that runs one step so many times, with a state of 10 kB."""

    @persist
    class Loop(Flow):
        @start("again")
        async def work(self):
            self.state.setdefault("body", "x" * 10_000)
            self.state["n"] = self.state.get("n", 0) + 1
            return self.state["n"]

        @router(work)
        async def check(self):
            return "again" if self.state["n"] < times else None

    return Loop


async def stored_size(path, times):
    """Bytes in each of our tables after a run of so many rounds, and the rows of all."""
    store = SQLiteFlowPersistence(path)
    await looping(times)(persistence=store, max_method_calls=times + 1).kickoff_async({"id": "run-1"})
    store.close()
    with sqlite3.connect(path) as connection:
        sizes = {
            table: connection.execute(f"SELECT count(*), coalesce(sum(length({column})), 0) FROM {table}").fetchone()
            for table, column in (("flow_runs", "body"), ("flow_states", "state"), ("flow_steps", "step"))
        }
    connection.close()
    return sizes


@pytest.mark.parametrize("times", [10, pytest.param(1000, marks=pytest.mark.slow)])
async def test_history_grows_by_one_small_row_for_each_step(tmp_path, times):
    sizes = await stored_size(tmp_path / "flows.db", times)

    assert sizes["flow_runs"][0] == sizes["flow_states"][0] == 1
    assert sizes["flow_runs"][1] < 12_000
    assert sizes["flow_states"][1] < 11_000
    assert sizes["flow_steps"][0] == 2 * times
    assert sizes["flow_steps"][1] < 2 * times * len(to_text({"call": ["check", 1000], "output": 1000})) * 2


class RouterLoop(Flow):
    """A router that waits for its own label, and another router behind it."""

    @start()
    async def begin(self):
        self.state["n"] = 0

    @router(or_("begin", "again"))
    async def turn(self):
        self.state["n"] += 1
        return "again" if self.state["n"] < self.state["times"] else "end"

    @router("again")
    async def beside(self):
        return "unheard"


@pytest.mark.parametrize("times", [10, 200])
async def test_a_loop_of_routers_does_not_grow(times):
    bodies = []

    class Measured(MemoryFlowPersistence):
        def checkpoint(self, checkpoint):
            bodies.append(len(checkpoint.body))
            return super().checkpoint(checkpoint)

    await RouterLoop(persistence=Measured(), max_method_calls=times).kickoff_async({"times": times})

    assert len(bodies) > times
    assert max(bodies) < min(bodies) + 500


class Chain(Flow):
    @start()
    async def first(self):
        return 1

    @listen(first)
    async def second(self, value):
        self.state["total"] = value + 1
        return self.state["total"]


async def fifty(path):
    store = SQLiteFlowPersistence(path)
    return sum(await asyncio.gather(*(Chain(persistence=store).kickoff_async() for _ in range(50))))


@pytest.mark.slow
def test_several_processes_with_fifty_tasks_each_share_one_file_without_a_lock_error(tmp_path):
    program = (
        "import asyncio, sys\n"
        "from tests.flows.persistence.test_size import fifty\n"
        "print(asyncio.run(fifty(sys.argv[1])))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "flows.db")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=50) for process in processes]

    assert [(out.strip(), err) for out, err in said] == [("100", "")] * 3
