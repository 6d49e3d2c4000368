"""ask(): one line of text from a person, in the middle of a step."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Coroutine
from concurrent.futures import CancelledError as FutureCancelledError
from functools import partial
from typing import Any

from flows.config import flow_config
from flows.engine.blocking import run_blocking
from flows.engine.lifecycle import state_store
from flows.engine.present import present_method
from flows.engine.run import FlowRun
from flows.errors import ProviderError
from flows.events import FlowInputReceived, FlowInputRequested
from flows.human_feedback.console import ConsoleProvider
from flows.persistence.codec import snapshot
from flows.ports import InputProvider
from flows.store_thread import in_store_thread
from flows.threads import in_waiting_thread, waiting_in_step
from flows.types import InputResponse

logger = logging.getLogger(__name__)

CHECKPOINT = "_ask_checkpoint"
"""The method name under which the state is saved before the wait."""


def ask(run: FlowRun, message: str, timeout: float | None, metadata: dict[str, Any] | None) -> str | None:
    """The answer, for a caller that blocks: a sync step waits in its thread while the run's loop goes on."""
    method = present_method(run)
    loop = run.loop
    if loop is not None and not _is_in(loop):
        question = ask_async(run, message, timeout, metadata, method=method)
        try:
            with waiting_in_step():
                return asyncio.run_coroutine_threadsafe(_held(run, question), loop).result()
        except FutureCancelledError:
            raise asyncio.CancelledError from None
    return run_blocking(lambda: ask_async(run, message, timeout, metadata, method=method))


async def ask_async(
    run: FlowRun, message: str, timeout: float | None, metadata: dict[str, Any] | None, *, method: str
) -> str | None:
    """The answer; None for a timeout, a failing provider or no answer. timeout is in seconds.

    Raises ProviderError for an object that cannot ask.
    """
    provider = _provider(run)
    await _save_state(run)
    if run.listeners:
        run.emit(
            FlowInputRequested(
                flow_name=run.name, flow_id=run.flow_id, method_name=method, message=message, metadata=metadata
            )
        )
    answer = await _within(timeout, run, provider, message, metadata)
    run.input_history.append(
        {
            "message": message,
            "response": answer.text,
            "method_name": method,
            "timestamp": run.services.clock.now(),
            "metadata": metadata,
            "response_metadata": answer.metadata,
        }
    )
    if run.listeners:
        run.emit(
            FlowInputReceived(
                flow_name=run.name,
                flow_id=run.flow_id,
                method_name=method,
                message=message,
                response=answer.text,
                metadata=metadata,
                response_metadata=answer.metadata,
            )
        )
    return answer.text


async def _held(run: FlowRun, question: Coroutine[Any, Any, str | None]) -> str | None:
    """The answer to a question from another thread; the run knows of it, so that it can be taken back."""
    task = asyncio.ensure_future(question)
    run.asking.add(task)
    try:
        return await task
    finally:
        run.asking.discard(task)


async def _within(
    timeout: float | None, run: FlowRun, provider: InputProvider, message: str, metadata: dict[str, Any] | None
) -> InputResponse:
    call = asyncio.ensure_future(_call(run, provider, message, metadata))
    # Not wait_for: it would wait for a thread that cannot be cancelled, and the timeout would not be prompt.
    try:
        done, _ = await asyncio.wait([call], timeout=timeout)
    finally:
        call.cancel()  # left behind, it could take the answer to the next question
    if not done:
        return InputResponse(None)
    try:
        found = call.result()
    except Exception:
        logger.warning("The input provider of %s failed; the answer counts as none.", run.name, exc_info=True)
        return InputResponse(None)
    if isinstance(found, InputResponse):
        return found
    return InputResponse(None if found is None else str(found))


async def _call(run: FlowRun, provider: InputProvider, message: str, metadata: dict[str, Any] | None) -> Any:
    if inspect.iscoroutinefunction(provider.request_input):
        return await provider.request_input(message, run.flow, metadata)
    found = await in_waiting_thread(provider.request_input, message, run.flow, metadata)
    return await found if inspect.isawaitable(found) else found


def _provider(run: FlowRun) -> InputProvider:
    provider = run.services.input_provider or flow_config.input_provider or ConsoleProvider()
    # Users set providers from code that no type checker has seen.
    if not callable(getattr(provider, "request_input", None)):
        raise ProviderError(provider=provider, method="request_input")
    return provider


async def _save_state(run: FlowRun) -> None:
    store = state_store(run)
    if store is None:
        return
    try:
        state = snapshot(run.slot.stored(run.name), path="state")
        await in_store_thread(partial(store.save_state, run.flow_id, CHECKPOINT, state))
    except Exception:
        # The question matters more than this extra copy of the state.
        logger.warning("The state of %s could not be saved before asking.", run.name, exc_info=True)


def _is_in(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
