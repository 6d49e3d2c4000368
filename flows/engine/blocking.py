"""The one bridge from sync callers to the async core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from flows.errors import RunningLoopError
from flows.threads import waiting_in_step

T = TypeVar("T")


def run_blocking(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The coroutine's result. Inside a running loop it runs on a loop in a thread of its own, and the call blocks."""
    if not is_loop_running():
        try:
            with waiting_in_step():
                return asyncio.run(make())
        except KeyboardInterrupt:
            # Without the cancellation that Ctrl-C set off: whoever pressed it knows.
            raise KeyboardInterrupt from None
    context = copy_context()
    with waiting_in_step(), ThreadPoolExecutor(1, thread_name_prefix="flow-run") as pool:
        return pool.submit(context.run, lambda: asyncio.run(make())).result()


def refuse_running_loop(*, called: str, instead: str) -> None:
    """Raises RunningLoopError inside a running loop."""
    if is_loop_running():
        raise RunningLoopError(called=called, instead=instead)


def is_loop_running() -> bool:
    """Whether the caller stands inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
