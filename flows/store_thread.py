"""Where store calls run: one thread, in their order, and those that wait for the same store together."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from itertools import groupby
from typing import Any, Generic, TypeVar

from flows.outcomes import Outcome, Together, outcome_of, settle

T = TypeVar("T")

AT_ONCE = 64
"""How many calls share a commit at most: the first of them is not told before the last has been made."""


async def in_store_thread(
    call: Callable[[], T], *, together: Together | None = None, note: Callable[[T], object] | None = None
) -> T:
    """The call's result, computed in the one thread for stores, so that calls keep their order.

    Calls that wait with the same `together` are made by it, so that a store can commit once for all of them. A call
    under way cannot be taken back: a cancelled caller still waits until it has ended. note hears the result in the
    loop before the caller does, and also where the caller was cancelled.
    """
    loop = asyncio.get_running_loop()
    visit = _Visit(partial(copy_context().run, call), together, loop, note)
    _thread().submit(visit)
    try:
        return await visit.ended
    except asyncio.CancelledError:
        while not visit.is_over:
            visit.ended = loop.create_future()
            with suppress(asyncio.CancelledError):
                await visit.ended
        raise


class _Visit(Generic[T]):
    """A call for the store's thread, and whoever waits for its end: a future that a cancellation may use up."""

    def __init__(
        self,
        call: Callable[[], T],
        together: Together | None,
        loop: asyncio.AbstractEventLoop,
        note: Callable[[T], object] | None,
    ) -> None:
        self.call, self.together, self.loop = call, together, loop
        self.ended: asyncio.Future[T] = loop.create_future()
        self.is_over = False
        self._note = note

    def end(self, outcome: Outcome) -> None:
        found, error = outcome
        self.is_over = True
        if error is None and self._note is not None:
            self._note(found)
        settle(self.ended, outcome)


class _StoreThread:
    """One thread, and the visits that are due in it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="flow-store")
        self._lock = threading.Lock()
        self._due: deque[_Visit[Any]] = deque()
        self._is_working = False

    def submit(self, visit: _Visit[Any]) -> None:
        with self._lock:
            self._due.append(visit)
            if self._is_working:
                return
        # In the loop's next turn: what other runs store in this one then comes along.
        visit.loop.call_soon(self._start)

    def _start(self) -> None:
        with self._lock:
            if self._is_working or not self._due:
                return
            self._is_working = True
        try:
            self._pool.submit(self._work)
        except RuntimeError as error:
            # The program is at its end and starts no more threads; whoever waits must not hang.
            with self._lock:
                visits, self._is_working = list(self._due), False
                self._due.clear()
            _tell(visits, [(None, error)] * len(visits))

    def _work(self) -> None:
        """Makes the calls that are due; those that come meanwhile wait for a turn of their loop, and so for company."""
        with self._lock:
            visits = list(self._due)
            self._due.clear()
        for group in _groups(visits):
            _carry_out(group)
        with self._lock:
            self._is_working = False
            loops = {visit.loop for visit in self._due}
        for loop in loops:
            try:
                # Not in this turn, in which those who were just told go on, but after it: they too may store something.
                loop.call_soon_threadsafe(loop.call_soon, self._start)
            except RuntimeError:
                self._start()  # that loop is gone; what it asked for is done all the same


def _groups(visits: Sequence[_Visit[Any]]) -> Iterator[Sequence[_Visit[Any]]]:
    """The visits in their order, parted where one goes elsewhere than the one before."""
    for together, found in groupby(visits, key=lambda visit: visit.together):
        group, size = list(found), 1 if together is None else AT_ONCE
        for at in range(0, len(group), size):
            yield group[at : at + size]


def _carry_out(visits: Sequence[_Visit[Any]]) -> None:
    together = visits[0].together
    if together is None or len(visits) == 1:
        _tell(visits, [outcome_of(visit.call) for visit in visits])
        return
    found, error = outcome_of(partial(together, [visit.call for visit in visits]))
    _tell(visits, found if error is None else [(None, error)] * len(visits))


def _tell(visits: Sequence[_Visit[Any]], outcomes: Sequence[Outcome]) -> None:
    ended: dict[asyncio.AbstractEventLoop, list[tuple[_Visit[Any], Outcome]]] = defaultdict(list)
    for visit, outcome in zip(visits, outcomes, strict=True):
        ended[visit.loop].append((visit, outcome))
    for loop, its in ended.items():
        # The loop may be gone by now, and with it whoever waited.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_end, its)


def _end(ended: Sequence[tuple[_Visit[Any], Outcome]]) -> None:
    for visit, outcome in ended:
        visit.end(outcome)


@cache
def _thread() -> _StoreThread:
    return _StoreThread()


if hasattr(os, "register_at_fork"):
    # A forked child has no thread of its parent's, and would wait for it for ever.
    os.register_at_fork(after_in_child=_thread.cache_clear)
