"""Where users' blocking code runs: steps in shared threads, whoever waits for a person in its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

from flows.outcomes import outcome_of, settle

P = ParamSpec("P")
T = TypeVar("T")

STEP_THREADS = 64
"""How many sync steps run at once. Those that wait for a flow or a person of their own do not count."""

PROMPT_S = 0.02
"""A call that lasts longer waits for a person. Most providers only send a message, and need no thread each."""


async def to_its_end(work: Awaitable[T]) -> T:
    """The work's result; a cancelled caller still waits until the work has ended.

    For what a thread does: it cannot be taken back, so nothing else may happen before it is known to be over.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that the loop does not report it: the cancellation is what goes up
        raise


async def in_step_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in a thread for users' code, with the caller's context variables."""
    # The caller may be a flow that a sync step runs in its own thread: that step waits for this one.
    with waiting_in_step():
        return await _result(_steps().submit, partial(function, *args, **kwargs))


async def in_waiting_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in a thread that does nothing else meanwhile, for calls that wait for a person.

    Nothing waits for this thread when the caller is cancelled or the program ends: a person may never answer, and
    Ctrl-C must end the program at once.
    """
    askers = _askers()
    wait = _Wait(askers)

    def call() -> T:
        try:
            return function(*args, **kwargs)
        finally:
            wait.end()

    timer = asyncio.get_running_loop().call_later(PROMPT_S, wait.begin)
    try:
        return await _result(askers.submit, call)
    finally:
        timer.cancel()


@contextmanager
def waiting_in_step() -> Generator[None, None, None]:
    """While a sync step waits for other work inside, another step may run in its stead.

    Without this, steps that start flows, or ask people, could hold every thread that the work they wait for needs.
    Outside a step's thread it changes nothing.
    """
    with _steps().waiting():
        yield


class _Threads:
    """Threads that take work as it comes; at most `limit` of them work without waiting for something."""

    def __init__(self, limit: int, name: str) -> None:
        self._limit, self._name = limit, name
        self._changed = threading.Condition()
        self._due: deque[Callable[[], None]] = deque()
        self._threads = self._idle = self._waiting = 0
        self._own = threading.local()
        """In a thread of this pool, `depth` counts what its work waits for; elsewhere it is not set."""

    def submit(self, work: Callable[[], None]) -> None:
        with self._changed:
            self._due.append(work)
            self._supply()

    @contextmanager
    def waiting(self) -> Generator[None, None, None]:
        depth: int | None = getattr(self._own, "depth", None)
        if depth is None:
            yield
            return
        self._own.depth = depth + 1
        if depth == 0:
            self.count_waiting(1)
        try:
            yield
        finally:
            # Counted down and not set back: the parts of one flow, all in this thread, end in any order.
            self._own.depth -= 1
            if self._own.depth == 0:
                self.count_waiting(-1)

    def count_waiting(self, change: int) -> None:
        """Notes that so many more calls wait for something: other threads may work in their stead."""
        with self._changed:
            self._waiting += change
            self._supply()

    def _supply(self) -> None:
        if len(self._due) <= self._idle:
            self._changed.notify(len(self._due))
        elif self._threads - self._waiting < self._limit:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
            self._threads += 1

    def _work(self) -> None:
        self._own.depth = 0
        while (work := self._next()) is not None:
            work()
            del work  # holds the step's result, which must not live until the next step comes

    def _next(self) -> Callable[[], None] | None:
        """The next work; None when this thread is one too many, since others have stopped waiting."""
        with self._changed:
            while True:
                if self._threads - self._waiting > self._limit:
                    self._threads -= 1
                    self._supply()
                    return None
                if self._due:
                    return self._due.popleft()
                self._idle += 1
                self._changed.wait()
                self._idle -= 1


class _Wait:
    """Has one call count as waiting from some moment on, for as long as it lasts."""

    def __init__(self, threads: _Threads) -> None:
        self._threads, self._lock = threads, threading.Lock()
        self._is_counted = self._is_over = False

    def begin(self) -> None:
        with self._lock:
            self._is_counted = not self._is_over
        if self._is_counted:
            self._threads.count_waiting(1)

    def end(self) -> None:
        with self._lock:
            self._is_over = True
        if self._is_counted:
            self._threads.count_waiting(-1)


async def _result(start: Callable[[Callable[[], None]], object], call: Callable[[], T]) -> T:
    """What the call returns or raises in the thread that `start` gives it, with the caller's context variables."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = copy_context()

    def work() -> None:
        if answer.cancelled():
            return
        outcome = outcome_of(partial(context.run, call))
        # The loop may be gone by now, and with it whoever waited.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, answer, outcome)

    start(work)
    return await answer


@cache
def _steps() -> _Threads:
    return _Threads(STEP_THREADS, "flow-step")


@cache
def _askers() -> _Threads:
    # Each call that lasts waits all the time, so that one more always finds a thread.
    return _Threads(4, "flow-ask")


def _forget_threads() -> None:
    _steps.cache_clear()
    _askers.cache_clear()


if hasattr(os, "register_at_fork"):
    # A forked child has none of its parent's threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_forget_threads)
