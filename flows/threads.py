"""Where blocking work runs: users' sync steps in one pool, store calls in another, never the loop's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STEP_THREADS = 64
"""A waiting sync step holds a thread; the loop's default pool may have six, which six waiting people would block."""


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
    """The function's result, computed in the pool for users' code, with the caller's context variables."""
    work = partial(copy_context().run, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_steps(), work)


async def in_waiting_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in the pool for calls that wait for a person.

    Apart from the steps' pool, because the step that asks may itself hold one of its threads.
    """
    work = partial(copy_context().run, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_waiters(), work)


async def in_store_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in the one thread for stores, so that calls keep their order."""
    return await asyncio.get_running_loop().run_in_executor(_stores(), partial(function, *args, **kwargs))


@cache
def _steps() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(STEP_THREADS, thread_name_prefix="flow-step")


@cache
def _waiters() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(STEP_THREADS, thread_name_prefix="flow-ask")


@cache
def _stores() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="flow-store")
