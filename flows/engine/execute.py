"""drive(): take ready calls, run each in a task, feed its signal back, until nothing runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from flows.engine.ledger import Ledger, persist_spec
from flows.engine.perform import perform
from flows.engine.run import FlowRun
from flows.graph.progress import Active, finish


async def drive(run: FlowRun, ledger: Ledger, ready: Sequence[Active]) -> None:
    """Returns when no call runs: the run has ended, or only waits for people. The ledger has noted that ready starts.

    The first exception of a call is raised unchanged, after the other calls were cancelled and have stopped.
    """
    await _Crew(run, ledger).work(ready)


class _Crew:
    """The tasks of one drive; none outlives it."""

    def __init__(self, run: FlowRun, ledger: Ledger) -> None:
        self._run, self._ledger = run, ledger
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._error: BaseException | None = None
        self._is_stopping = False

    async def work(self, ready: Sequence[Active]) -> None:
        self._spawn(ready)
        try:
            if self._tasks:
                await self._idle.wait()
        except asyncio.CancelledError:
            self._stop()
            # A loop: a step that ignores its cancellation may end late, but nothing comes after it.
            while self._tasks:
                await asyncio.wait(self._tasks)
            raise
        if self._error is not None:
            raise self._error

    def _spawn(self, ready: Sequence[Active]) -> None:
        for active in ready:
            task = asyncio.create_task(self._carry_out(active), name=f"{self._run.name}.{active.call.method}")
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self._idle.set()

    async def _carry_out(self, active: Active) -> None:
        run = self._run
        try:
            self._check_limit(active)
            record = await perform(run, active, self._ledger)
            if record is None:
                return
            run.record(record)
            ready = finish(run.graph, run.progress, active.call, record.label)
            step = run.graph.steps[active.call.method]
            if persist_spec(run, step) is not None:
                await self._ledger.keep_state(step)
            if self._is_stopping:
                # It ended all the same, and counts; what it made ready waits until somebody continues the run.
                await self._ledger.save()
                return
            if ready or run.progress.active:
                await self._ledger.start(ready)  # what ends the run, or lets it rest, is stored by who drives it
        except BaseException as error:  # noqa: BLE001 - held until every sibling has stopped, then raised unchanged
            if self._error is None:
                self._error = error
                self._stop()
        else:
            if not self._is_stopping:
                self._spawn(ready)

    def _check_limit(self, active: Active) -> None:
        method, number = active.call
        limit = self._run.settings.max_method_calls
        number -= self._run.calls_at_answer.get(method, 0)
        if number > limit:
            raise RecursionError(
                f"{self._run.name}.{method} was called {number} times without a pause; max_method_calls is {limit}."
            )

    def _stop(self) -> None:
        self._is_stopping = True
        current = asyncio.current_task()
        for task in self._tasks:
            if task is not current:
                task.cancel()
        # A step in a thread cannot be cancelled; what it waits for can.
        for question in self._run.asking:
            question.cancel()
