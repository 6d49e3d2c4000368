"""Where blocking work runs: steps in a pool, store calls in one thread, whoever waits for a person in its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

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
    """The function's result, computed in a thread of its own, for calls that wait for a person.

    Nothing waits for this thread when the caller is cancelled or the program ends: a person may never answer, and
    Ctrl-C must end the program at once.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = copy_context()

    def work() -> None:
        outcome = _outcome(lambda: context.run(function, *args, **kwargs))
        # The loop may be gone by now, and with it whoever waited.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, answer, outcome)

    threading.Thread(target=work, name="flow-ask", daemon=True).start()
    return await answer


def _outcome(call: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    try:
        return call(), None
    except StopIteration as error:
        # A future cannot carry it; Python itself turns one that leaves a coroutine into this.
        return None, RuntimeError(f"the call raised StopIteration({error})")
    except BaseException as error:  # noqa: BLE001 - handed to the caller unchanged
        return None, error


def _settle(answer: asyncio.Future[Any], outcome: tuple[Any, BaseException | None]) -> None:
    found, error = outcome
    if answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(found)


async def in_store_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, computed in the one thread for stores, so that calls keep their order."""
    return await asyncio.get_running_loop().run_in_executor(_stores(), partial(function, *args, **kwargs))


@cache
def _steps() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(STEP_THREADS, thread_name_prefix="flow-step")


@cache
def _stores() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="flow-store")
