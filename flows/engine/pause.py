"""Taking one person's answer exactly once: classify, then claim, then run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flows.engine import gate
from flows.engine.ledger import answer_in, restore_run, stored
from flows.engine.run import FlowRun, StepRecord
from flows.errors import (
    AlreadyResumedError,
    AmbiguousRequestError,
    NoPendingFeedbackError,
    RunBusyError,
    RunMovedError,
)
from flows.events import FlowStarted, MethodExecutionFinished, MethodExecutionStarted
from flows.graph.progress import Active, Call, Phase, finish
from flows.persistence.codec import from_text, to_text
from flows.ports import FlowPersistence
from flows.types import HumanFeedbackPending, PendingRequest, StoredRun, json_safe


async def take_answer(
    run: FlowRun,
    store: FlowPersistence,
    words: str,
    *,
    outcome: str | None,
    by: str | None,
    replaced: tuple[Any] | None,
) -> list[Active]:
    """The calls that the answer makes ready, after this caller has won the claim; marks the instance as running.

    The words are read before the claim, so that an unclear answer leaves the request pending. Raises
    NoPendingFeedbackError, HumanFeedbackCollapseError, AlreadyResumedError, or RunBusyError when the claim is won and
    the run is not at rest.
    """
    call, pending = _wanted(run)
    context = pending.context
    step = run.graph.steps[call.method]
    label = await gate.classify(run, step, context, words, outcome)
    if context.request_id in run.deciding or call not in run.questions:
        raise AlreadyResumedError(flow_id=run.flow_id, request_id=context.request_id)
    run.deciding.add(context.request_id)
    is_owner = not run.is_running
    run.is_running = True
    try:
        edited = None if replaced is None else to_text(replaced[0], path="output")
        claim = _Claim(run.flow_id, context.request_id, label, words, by, edited)
        is_won, version = await stored(store, _claim, store, claim)
        if not is_won:
            raise await _not_claimed(run, store, context.request_id)
        if not is_owner and run.is_running:
            # The drive that is under way reads the store once more before it rests, and finds this answer.
            run.has_late_answer = True
            raise RunBusyError(flow_id=run.flow_id, request_id=context.request_id)
        is_owner = run.is_running = True
        if version is not None and version != run.version:
            await _catch_up(run, store, call)
        if any(active.phase is not Phase.WAITING for active in run.progress.active.values()):
            raise RunBusyError(flow_id=run.flow_id, request_id=context.request_id)
    except BaseException:
        run.is_running = run.is_running and not is_owner
        raise
    finally:
        run.deciding.discard(context.request_id)
    tell_started(run, None)
    return apply(run, call, words=words, outcome=label, by=by, replaced=replaced)


def apply(
    run: FlowRun, call: Call, *, words: str, outcome: str | None, by: str | None, replaced: tuple[Any] | None
) -> list[Active]:
    """The calls that a decided answer makes ready; the request's row goes with the next pause or the end."""
    question = run.questions[call]
    step = run.graph.steps[call.method]
    is_heard = bool(run.listeners) and not run.settings.suppress_flow_events
    if is_heard:
        run.emit(MethodExecutionStarted(flow_name=run.name, flow_id=run.flow_id, method_name=step.name))
    feedback = gate.answer(run, step, question, words=words, outcome=outcome, by=by, replaced=replaced)
    run.closed.append(question.request_id)
    run.chosen = None
    run.calls_at_answer = dict(run.progress.counts)
    record = StepRecord(call=call, output=feedback.output, feedback=feedback, label=outcome)
    run.record(record)
    run.unkept.append(call.method)
    if is_heard:
        run.emit(
            MethodExecutionFinished(
                flow_name=run.name,
                flow_id=run.flow_id,
                method_name=step.name,
                result=json_safe(record.recorded),
                state=json_safe(run.slot.live),
            )
        )
    return finish(run.graph, run.progress, call, outcome)


class _Claim(NamedTuple):
    """One answer on its way to the store."""

    flow_id: str
    request_id: str
    label: str | None
    words: str
    by: str | None
    edited: str | None


def _claim(store: FlowPersistence, claim: _Claim) -> tuple[bool, int | None]:
    """Whether the claim is won, and if so where the store has the run: two calls in one visit to its thread."""
    # Stores that were written before outputs could be edited know no such argument.
    edited = {} if claim.edited is None else {"replaced_output": claim.edited}
    is_won = store.claim(claim.request_id, claim.label, claim.words, claim.by, **edited)
    return is_won, store.checkpoint_version(claim.flow_id) if is_won else None


async def find_decided(run: FlowRun, store: FlowPersistence) -> list[tuple[Call, PendingRequest]]:
    """Answers that were claimed and not yet taken in: elsewhere, or before a crash."""
    run.has_late_answer = False
    requests = {item.request_id: item for item in await stored(store, store.list_pending, run.flow_id)}
    found: list[tuple[Call, PendingRequest]] = []
    for call, pending in run.waiting:
        request = requests.get(pending.context.request_id)
        if request is not None and request.status == "decided" and request.request_id not in run.deciding:
            found.append((call, request))
    return found


def take_decided(run: FlowRun, found: Sequence[tuple[Call, PendingRequest]]) -> list[Active]:
    """The calls made ready by answers that `find_decided` found."""
    return [active for call, request in found for active in _apply_stored(run, call, request)]


def _apply_stored(run: FlowRun, call: Call, request: PendingRequest) -> list[Active]:
    text = request.replaced_output
    replaced = None if text is None else (from_text(text, home=type(run.flow).__module__, path="output"),)
    return apply(run, call, words=request.feedback or "", outcome=request.outcome, by=request.by, replaced=replaced)


def _wanted(run: FlowRun) -> tuple[Call, HumanFeedbackPending]:
    waiting = run.waiting
    if not waiting:
        raise NoPendingFeedbackError(flow_id=run.flow_id)
    if run.chosen is not None:
        return next(item for item in waiting if item[0] == run.chosen)
    if len(waiting) > 1:
        requests = [(pending.context.request_id, call.method) for call, pending in waiting]
        raise AmbiguousRequestError(flow_id=run.flow_id, requests=requests)
    return waiting[0]


async def _catch_up(run: FlowRun, store: FlowPersistence, call: Call) -> None:
    """Loads the run again when somebody has moved it on since this copy was made."""
    found = await stored(store, store.load_checkpoint, run.flow_id)
    if found is not None and found.body is not None and found.version != run.version:
        restore_run(run, found)
        if call not in run.questions:
            raise RunMovedError(flow_id=run.flow_id, version=found.version)


def tell_started(run: FlowRun, inputs: Mapping[str, Any] | None) -> None:
    """Tells everybody who listens that the run begins, or goes on."""
    if run.listeners:
        run.emit(
            FlowStarted(
                flow_name=run.name, flow_id=run.flow_id, inputs=None if inputs is None else json_safe(dict(inputs))
            )
        )


async def _not_claimed(
    run: FlowRun, store: FlowPersistence, request_id: str
) -> AlreadyResumedError | NoPendingFeedbackError:
    """Why the request cannot be answered: somebody else has, or it was never stored."""
    if any(request.context.request_id == request_id for request in run.opened):
        return NoPendingFeedbackError(flow_id=run.flow_id, request_id=request_id)
    found = await stored(store, store.load_checkpoint, run.flow_id)
    known = already_resumed(found, request_id) if found is not None else None
    return known or AlreadyResumedError(flow_id=run.flow_id, request_id=request_id)


def already_resumed(found: StoredRun, request_id: str) -> AlreadyResumedError | None:
    """Who answered a request and how, as the error for whoever comes second; None when nobody did."""
    for request in found.requests:
        if request.request_id == request_id and request.status == "decided":
            return AlreadyResumedError(
                flow_id=found.flow_id, request_id=request_id, outcome=request.outcome, by=request.by
            )
    answer = answer_in(found, request_id)
    if answer is None:
        return None
    return AlreadyResumedError(
        flow_id=found.flow_id, request_id=request_id, outcome=answer.outcome, by=answer.metadata.get("by")
    )
