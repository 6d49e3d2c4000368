"""A run from its beginning, its pause or its crash to its end or next pause."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from flows.engine.classes import store_for_pauses
from flows.engine.execute import drive
from flows.engine.ledger import Ledger, restore_run, stored
from flows.engine.pause import already_resumed, find_decided, take_answer, take_decided, tell_started
from flows.engine.run import FlowRun
from flows.engine.state import restore, update
from flows.errors import (
    AmbiguousRequestError,
    FlowError,
    NoPendingFeedbackError,
    PendingRequestsError,
    RunMovedError,
    StateError,
    text_of,
)
from flows.events import FlowFailed, FlowFinished, FlowPaused
from flows.graph.definition import TRIGGER_PAYLOAD
from flows.graph.progress import Active, begin
from flows.ports import FlowPersistence, forget_claims
from flows.types import HumanFeedbackPending, StoredRun, json_safe

logger = logging.getLogger(__name__)


async def kickoff(
    run: FlowRun,
    inputs: Mapping[str, Any] | None,
    *,
    restore_from_state_id: str | None = None,
    input_files: Mapping[str, Any] | None = None,
) -> Any:
    """The run's last output, or the oldest pending request when it is paused.

    Raises what a step raises; RunInProgressError; PendingRequestsError; StateError; PersistenceError.
    """
    # Users pass inputs from code that no type checker has seen.
    if inputs is not None and not isinstance(cast("object", inputs), Mapping):
        raise StateError(f"kickoff takes inputs as a dict of names and values, not as {type(inputs).__name__!r}.")
    run.enter()
    try:
        await _refuse_open_requests(run, (inputs or {}).get("id"))
        run.clear()
        await _prepare_state(run, inputs, restore_from_state_id)
        run.input_files = dict(input_files or {})
        run.trigger_payload = (inputs or {}).get(TRIGGER_PAYLOAD)
        if not run.graph.starts:
            logger.warning("%s has no @start, so a kickoff runs nothing.", run.name)
        tell_started(run, inputs)
        return await go(run, begin(run.graph, run.progress))
    finally:
        run.is_running = False


async def resume(run: FlowRun, words: str, *, outcome: str | None, by: str | None, replaced: tuple[Any] | None) -> Any:
    """The run's last output after the answer, or the next pending request.

    Raises what `take_answer` and what a step raises.
    """
    store = run.store if run.store is not None else store_for_pauses(run.flow_type, run.graph)
    run.store = store
    ready = await take_answer(run, store, words, outcome=outcome, by=by, replaced=replaced)
    try:
        return await go(run, ready)
    finally:
        run.is_running = False


def open_pending(run: FlowRun, found: StoredRun | None, flow_id: str, request_id: str | None) -> None:
    """Puts a paused run into this record and chooses the question to answer.

    Raises NoPendingFeedbackError, AlreadyResumedError or AmbiguousRequestError.
    """
    if found is None:
        raise NoPendingFeedbackError(flow_id=flow_id, request_id=request_id)
    requests = [request for request in found.requests if request_id in (None, request.request_id)]
    pending = [request for request in requests if request.status == "pending"]
    if not pending:
        asked = request_id or next((request.request_id for request in requests), None)
        taken = already_resumed(found, asked) if asked is not None else None
        raise taken or NoPendingFeedbackError(flow_id=flow_id, request_id=request_id)
    if len(pending) > 1:
        listed = [(request.request_id, request.method_name) for request in pending]
        raise AmbiguousRequestError(flow_id=flow_id, requests=listed)
    restore_run(run, found)
    run.chosen = next(call for call, item in run.waiting if item.context.request_id == pending[0].request_id)


def chosen_pending(run: FlowRun) -> HumanFeedbackPending | None:
    """The request that the next resume answers; None when nothing waits."""
    for call, pending in run.waiting:
        if run.chosen in (None, call):
            return pending
    return None


async def go(run: FlowRun, ready: Sequence[Active]) -> Any:
    """Stores, drives, and stores again: nothing runs before the run's record says that it does."""
    ledger = Ledger(run)
    run.loop = asyncio.get_running_loop()
    try:
        while True:
            await _keep_states(run, ledger)
            await ledger.start(ready)
            await drive(run, ledger, ready)
            if not run.waiting:
                break
            ready = await _rest(run, ledger)
            if not ready:
                return _paused(run)
        await ledger.finish()
    except BaseException as error:
        _tell_failed(run, error)
        if isinstance(error, Exception):
            # A run that is cancelled stands where its last checkpoint says, as after a crash.
            await _note_failure(run, ledger, error)
        if run.store is not None:
            forget_claims(run.store, run.closed)
        raise
    finally:
        run.loop = None
    if run.listeners:
        run.emit(
            FlowFinished(
                flow_name=run.name, flow_id=run.flow_id, result=json_safe(run.result), state=json_safe(run.slot.live)
            )
        )
    return run.result


async def _keep_states(run: FlowRun, ledger: Ledger) -> None:
    while run.unkept:
        await ledger.keep_state(run.graph.steps[run.unkept[0]])
        run.unkept.pop(0)


async def _rest(run: FlowRun, ledger: Ledger) -> list[Active]:
    """The calls made ready by answers that came in while the run was busy, now that it is stored as paused."""
    if run.store is None:
        run.store = store_for_pauses(run.flow_type, run.graph)
    asked = {request.context.request_id for request in run.opened}
    await ledger.pause()
    is_all_new = all(pending.context.request_id in asked for _, pending in run.waiting)
    if is_all_new and not run.deciding and not run.has_late_answer:
        return []  # nobody could answer before this pause was stored, and whoever has since goes on with the run
    return take_decided(run, await find_decided(run, run.store))


def _paused(run: FlowRun) -> HumanFeedbackPending:
    requests = tuple(pending.context.request_id for _, pending in run.waiting)
    if run.listeners:
        run.emit(
            FlowPaused(flow_name=run.name, flow_id=run.flow_id, request_ids=requests, state=json_safe(run.slot.live))
        )
    return run.waiting[0][1]


def _tell_failed(run: FlowRun, error: BaseException) -> None:
    if run.listeners:
        run.emit(FlowFailed(flow_name=run.name, flow_id=run.flow_id, error=text_of(error)))


async def _note_failure(run: FlowRun, ledger: Ledger, error: Exception) -> None:
    if isinstance(error, RunMovedError):
        return  # the record belongs to whoever moved it
    if run.waiting and run.store is None:
        # A person has been asked already, and must find the question wherever the answer is given.
        run.store = store_for_pauses(run.flow_type, run.graph)
    try:
        await ledger.fail(error)
    except FlowError:
        # The error on its way to the caller matters more; the last checkpoint still tells where the run stood.
        logger.warning("The failure of %s %r could not be stored.", run.name, run.flow_id, exc_info=True)


async def _prepare_state(run: FlowRun, inputs: Mapping[str, Any] | None, source: str | None) -> None:
    given = {key: value for key, value in (inputs or {}).items() if key != TRIGGER_PAYLOAD}
    run.restored_from = None
    store = state_store(run)
    wanted = source if source is not None else given.get("id")
    if wanted is not None and store is not None:
        known = await stored(store, store.load_state, str(wanted))
        if known is not None:
            restore(run.slot, known)
            run.restored_from = str(wanted)
            if source is not None and "id" not in given:
                given["id"] = str(uuid4())
    if source is not None and run.restored_from is None:
        logger.warning("No state of %r was found; %s starts afresh.", source, run.name)
    if given or run.slot.live is None:
        update(run.slot, given)


def state_store(run: FlowRun) -> FlowPersistence | None:
    """Where earlier snapshots of this flow would be: any @persist counts, on the class or on one method."""
    if run.services.persistence is not None:
        return run.services.persistence
    if run.persist is None and all(step.persist is None for step in run.graph.steps.values()):
        return None
    return store_for_pauses(run.flow_type, run.graph)


async def _refuse_open_requests(run: FlowRun, wanted_id: object) -> None:
    store = run.store if run.store is not None else state_store(run)
    if store is None and wanted_id is not None and any(step.feedback for step in run.graph.steps.values()):
        store = store_for_pauses(run.flow_type, run.graph)
    if store is None:
        return
    flow_id = run.flow_id if wanted_id is None else str(wanted_id)
    if flow_id == run.slot.made_id and not run.token:
        return  # the id is of this very instance, which begins for the first time
    requests = await stored(store, store.list_pending, flow_id)
    open_ids = [request.request_id for request in requests if request.status == "pending"]
    if open_ids:
        raise PendingRequestsError(flow_id=flow_id, requests=open_ids)
    if requests and not await _has_failed(store, flow_id):
        # Somebody is carrying the answer out just now, or died before.
        raise PendingRequestsError(
            flow_id=flow_id, requests=[request.request_id for request in requests], is_answered=True
        )


async def _has_failed(store: FlowPersistence, flow_id: str) -> bool:
    found = await stored(store, store.load_run, flow_id)
    return found is not None and found.status == "failed"
