"""The engine's workloads, in the API that Placet and CrewAI share, and the bare floor below them.

Run by engine.py in a process of its own for each measurement: `python workloads.py SYSTEM CASE N FOLDER` prints one
JSON object. SYSTEM is `flows`, `crewai`, `floor`, or `writes`: the floor of an engine that stores every step.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import statistics
import sys
import time
import types
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel

ITEM = {"title": "an item", "done": False, "note": "some words that a state would hold " * 3}
BODY = {"items": [{"id": n, **ITEM} for n in range(74)]}
"""About 10 kB as JSON."""
CYCLES = 20

Run = Callable[[], Awaitable[int]]


class Doc(BaseModel):
    id: str = ""
    body: dict[str, Any] = {}


def load(system: str) -> types.SimpleNamespace:
    """The names of one system."""
    if system == "flows":
        import flows as api
        from flows import SQLiteFlowPersistence
    else:
        import crewai.flow as api
        from crewai.flow.persistence import SQLiteFlowPersistence
    names = ("Flow", "start", "listen", "router", "or_", "and_", "human_feedback", "HumanFeedbackPending")
    return types.SimpleNamespace(
        **{name: getattr(api, name) for name in names}, SQLiteFlowPersistence=SQLiteFlowPersistence
    )


def make(api: Any, name: str, methods: dict[str, Any], state: Any = None) -> Any:
    base = api.Flow if state is None else api.Flow[state]
    cls = types.new_class(name, (base,), {}, lambda ns: ns.update({"__module__": __name__, **methods}))
    cls._skip_auto_memory = True
    return cls


class Counter(BaseModel):
    id: str = "x"
    n: int = 0


def runner(cls: Any, **options: Any) -> Run:
    async def run() -> int:
        flow = cls(suppress_flow_events=True, **options)
        await flow.kickoff_async()
        return flow.state.n

    return run


def named(name: str, function: Any) -> Any:
    function.__name__ = function.__qualname__ = name
    return function


def chain(api: Any, n: int) -> tuple[Run, int]:
    def step(name: str) -> Any:
        async def body(self: Any) -> None:
            self.state.n += 1

        return named(name, body)

    methods = {"s0": api.start()(step("s0"))}
    methods |= {f"s{i}": api.listen(f"s{i - 1}")(step(f"s{i}")) for i in range(1, n)}
    return runner(make(api, "Chain", methods, Counter)), n


def chain_sync(api: Any, n: int) -> tuple[Run, int]:
    def step(name: str) -> Any:
        def body(self: Any) -> None:
            self.state.n += 1

        return named(name, body)

    methods = {"s0": api.start()(step("s0"))}
    methods |= {f"s{i}": api.listen(f"s{i - 1}")(step(f"s{i}")) for i in range(1, n)}
    return runner(make(api, "ChainSync", methods, Counter)), n


def loop_self(api: Any, n: int) -> tuple[Run, int]:
    async def begin(self: Any) -> None:
        """Nothing."""

    async def check(self: Any) -> str:
        self.state.n += 1
        return "again" if self.state.n < n else "stop"

    async def end(self: Any) -> None:
        """Nothing."""

    methods = {
        "begin": api.start()(begin),
        "check": api.router(api.or_("begin", "again"))(check),
        "end": api.listen("stop")(end),
    }
    return runner(make(api, "LoopSelf", methods, Counter), max_method_calls=10 * n + 100), n


def loop_pair(api: Any, n: int) -> tuple[Run, int]:
    async def begin(self: Any) -> None:
        """Nothing."""

    async def check(self: Any) -> str:
        return "again" if self.state.n < n else "stop"

    async def work(self: Any) -> None:
        self.state.n += 1

    async def end(self: Any) -> None:
        """Nothing."""

    methods = {
        "begin": api.start()(begin),
        "check": api.router(api.or_("begin", "work"))(check),
        "work": api.listen("again")(work),
        "end": api.listen("stop")(end),
    }
    return runner(make(api, "LoopPair", methods, Counter), max_method_calls=10 * n + 100), n


def fan_out(api: Any, n: int) -> tuple[Run, int]:
    def step(name: str) -> Any:
        async def body(self: Any) -> None:
            self.state.n += 1

        return named(name, body)

    async def begin(self: Any) -> None:
        """Nothing."""

    async def join(self: Any) -> None:
        """Nothing."""

    names = [f"s{i}" for i in range(n)]
    methods = {"begin": api.start()(begin)}
    methods |= {name: api.listen("begin")(step(name)) for name in names}
    methods["join"] = api.listen(api.and_(*names))(join)
    return runner(make(api, "FanOut", methods, Counter)), n


def floor(case: str, n: int) -> tuple[Run, int]:
    """The same number of bare asyncio tasks, or thread hops, and nothing else."""

    async def run() -> int:
        count = 0

        async def step() -> None:
            nonlocal count
            count += 1

        def hop() -> None:
            nonlocal count
            count += 1

        if case == "fan_out":
            await asyncio.gather(*(asyncio.create_task(step()) for _ in range(n)))
        else:
            for _ in range(2 * n if case == "loop_pair" else n):
                await (asyncio.to_thread(hop) if case == "chain_sync" else asyncio.create_task(step()))
        return n

    return run, n


STEPS: dict[str, Callable[[Any, int], tuple[Run, int]]] = {
    "chain": chain,
    "chain_sync": chain_sync,
    "loop_self": loop_self,
    "loop_pair": loop_pair,
    "fan_out": fan_out,
}


def steps(system: str, case: str, n: int) -> dict[str, float]:
    """Microseconds per step, construction of the flow object included."""
    run, expected = floor(case, n) if system == "floor" else STEPS[case](load(system), n)

    async def measure() -> float:
        assert await run() == expected
        times: list[float] = []
        begin = time.perf_counter()
        while len(times) < 3 or (len(times) < 30 and time.perf_counter() - begin < 0.5):
            start = time.perf_counter()
            assert await run() == expected
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    return {"us_per_step": asyncio.run(measure()) * 1e6 / n}


def review_flow(api: Any) -> Any:
    class Ask:
        def request_feedback(self, context: Any, flow: Any) -> str:
            raise api.HumanFeedbackPending(context=context)

    class Review(api.Flow[Doc]):
        _skip_auto_memory = True

        @api.start()
        async def prepare(self) -> None:
            self.state.body = BODY

        @api.listen("prepare")
        @api.human_feedback(message="Publish?", provider=Ask())
        async def review(self) -> str:
            return "please review"

        @api.listen("review")
        async def publish(self, result: Any) -> str:
            return f"published: {result.feedback}"

    return Review


class FlowStore:
    """Pause and resume through a system's own SQLite store."""

    def __init__(self, system: str, path: Path) -> None:
        api = load(system)
        self._store, self._review = api.SQLiteFlowPersistence(str(path)), review_flow(api)

    async def pause(self) -> str:
        flow = self._review(persistence=self._store, suppress_flow_events=True)
        return (await flow.kickoff_async()).context.flow_id

    async def resume(self, key: str) -> Any:
        return await self._review.from_pending(key, self._store, suppress_flow_events=True).resume_async("ok")


class FloorStore:
    """The same by hand: one row written at the pause, read and removed at the resume."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("pragma synchronous=normal")
        self._db.execute("create table if not exists runs(flow_id text primary key, state text)")

    async def pause(self) -> str:
        key = uuid4().hex
        self._db.execute("insert into runs values (?, ?)", (key, Doc(id=key, body=BODY).model_dump_json()))
        return key

    async def resume(self, key: str) -> Any:
        [(text,)] = self._db.execute("select state from runs where flow_id = ?", (key,))
        Doc.model_validate_json(text)
        self._db.execute("delete from runs where flow_id = ?", (key,))
        return "published: ok"


class WritesStore:
    """The same by hand with what our engine promises: each start, end, question, pause and claim is stored in its turn.

    One thread for the store, one transaction for each visit, FULL synchronisation for the pause and the claim; the
    state is written as text only where it has changed. No engine that promises as much can be quicker than this.
    """

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("create table if not exists runs(flow_id text primary key, at text, state text)")
        self._db.execute(
            "create table if not exists pending(flow_id text, request_id text primary key, status text, state text)"
        )
        self._db.execute("create index if not exists pending_by_flow on pending(flow_id)")

    async def pause(self) -> str:
        key = uuid4().hex
        await self._visit(self._pending, key)
        state = Doc(id=key)
        await self._write(("insert into runs values (?, 'prepare starts', ?)", (key, state.model_dump_json())))
        await asyncio.create_task(self._prepare(state))
        text = state.model_dump_json()
        await self._write(("update runs set at = 'review starts', state = ? where flow_id = ?", (text, key)))
        await asyncio.create_task(asyncio.sleep(0))
        await self._write(("update runs set at = 'asked' where flow_id = ?", (key,)))
        await asyncio.to_thread(str)
        await self._write(
            ("update runs set at = 'paused' where flow_id = ?", (key,)),
            ("insert into pending values (?, ?, 'pending', ?)", (key, f"r-{key}", text)),
            synchronous="full",
        )
        return key

    async def resume(self, key: str) -> Any:
        [(text,)] = self._db.execute("select state from runs where flow_id = ?", (key,)).fetchall()
        [(request_id,)] = self._pending(key)
        Doc.model_validate_json(text)
        claim = "update pending set status = 'decided' where request_id = ? and status = 'pending'"
        await self._write((claim, (request_id,)), synchronous="full")
        await self._write(("update runs set at = 'publish starts' where flow_id = ?", (key,)))
        await asyncio.create_task(asyncio.sleep(0))
        await self._write(
            ("update runs set at = 'finished' where flow_id = ?", (key,)),
            ("delete from pending where request_id = ?", (request_id,)),
        )
        return "published: ok"

    async def _prepare(self, state: Doc) -> None:
        state.body = BODY

    def _pending(self, key: str) -> list[Any]:
        return self._db.execute("select request_id from pending where flow_id = ?", (key,)).fetchall()

    async def _write(self, *statements: tuple[str, tuple[str, ...]], synchronous: str = "normal") -> None:
        await self._visit(self._transact, statements, synchronous)

    def _transact(self, statements: tuple[tuple[str, tuple[str, ...]], ...], synchronous: str) -> None:
        self._db.execute(f"pragma synchronous={synchronous}")
        self._db.execute("begin immediate")
        for sql, arguments in statements:
            self._db.execute(sql, arguments)
        self._db.execute("commit")

    async def _visit(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *arguments)


def store_of(system: str, path: Path) -> Any:
    """Pause and resume, by this system."""
    by_hand = {"floor": FloorStore, "writes": WritesStore}
    return by_hand[system](path) if system in by_hand else FlowStore(system, path)


def pause(system: str, n: int, folder: Path) -> dict[str, float]:
    """Milliseconds of one pause and one resume in a new object, with n other runs pending."""
    path = folder / f"{system}.db"
    store = store_of(system, path)

    async def measure() -> float:
        key = await store.pause()
        fill(path, key, n)
        assert await store.resume(key) == "published: ok"
        times: list[float] = []
        for _ in range(CYCLES):
            start = time.perf_counter()
            assert await store.resume(await store.pause()) == "published: ok"
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    return {"cycle_ms": asyncio.run(measure()) * 1e3}


def fill(path: Path, key: str, n: int) -> None:
    """Copy the rows of one paused run n times, so that a store with many pending runs need not be waited for."""
    with sqlite3.connect(path) as db:
        tables = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            columns = {row[1]: row[2] for row in db.execute(f"pragma table_info({table})")}
            owner = next((name for name in ("flow_id", "flow_uuid") if name in columns), None)
            if owner is None:
                continue
            kept = [
                name for name in columns if name != owner and not (name in ("id", "n") and columns[name] == "INTEGER")
            ]
            picked = [f"t.{name}" if name != "request_id" else "'copy-' || k.i" for name in kept]
            db.execute(
                f"with recursive k(i) as (select 1 union all select i + 1 from k where i < {n})"
                f" insert into {table}({owner}, {', '.join(kept)})"
                f" select 'copy-' || k.i, {', '.join(picked)} from {table} t, k where t.{owner} = ?",
                (key,),
            )
    db.close()


def concurrent(system: str, n: int, folder: Path) -> dict[str, float]:
    """n flows in one loop, each pauses and resumes at once: flows a second, and the slowest hundredth."""
    path = folder / f"{system}.db"
    store = store_of(system, path)

    async def one(times: list[float]) -> None:
        start = time.perf_counter()
        assert await store.resume(await store.pause()) == "published: ok"
        times.append(time.perf_counter() - start)

    async def measure() -> tuple[float, list[float]]:
        await one([])
        times: list[float] = []
        start = time.perf_counter()
        await asyncio.gather(*(one(times) for _ in range(n)))
        return time.perf_counter() - start, times

    elapsed, times = asyncio.run(measure())
    return {"flows_per_s": n / elapsed, "p99_ms": sorted(times)[int(len(times) * 0.99) - 1] * 1e3}


def fsyncs(n: int, folder: Path) -> dict[str, float]:
    """How often a pause and resume cycle of ours asks the disk to sync, counted by the kernel's tracer."""
    store = FlowStore("flows", folder / "flows.db")

    async def cycles() -> None:
        await store.resume(await store.pause())
        os.write(2, b"counted from here\n")
        for _ in range(n):
            await store.resume(await store.pause())
        os.write(2, b"counted to here\n")

    asyncio.run(cycles())
    return {}


def main() -> None:
    system, case, n, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
    if case in STEPS:
        found = steps(system, case, n)
    else:
        found = (
            {"pause": pause, "concurrent": concurrent}[case](system, n, folder)
            if case != "fsyncs"
            else fsyncs(n, folder)
        )
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
