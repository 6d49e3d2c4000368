"""What is stored about a run, and when: checkpoints in order, and the way back from them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from flows.engine.run import FlowRun, Question, StepRecord
from flows.engine.state import restore
from flows.errors import CannotContinueError, CodecError, PersistenceError, RunMovedError, StateError, nearest, text_of
from flows.graph.definition import Step
from flows.graph.progress import Active, Call, Phase, Role, mark_started, take_back
from flows.graph.progress_record import from_dict, to_dict
from flows.graph.spec import PersistSpec
from flows.persistence.codec import decode, encode, from_text, json_of, snapshot, to_text
from flows.persistence.default import default_flow_persistence
from flows.persistence.types_registry import module_of
from flows.ports import FlowPersistence, together_of
from flows.store_thread import in_store_thread
from flows.types import (
    Checkpoint,
    HumanFeedbackPending,
    HumanFeedbackResult,
    MethodName,
    RunStatus,
    StoredRun,
)

P = ParamSpec("P")
T = TypeVar("T")


class Ledger:
    """Writes one run's checkpoints, each after the one before, for the time the run is driven."""

    def __init__(self, run: FlowRun) -> None:
        self._run = run
        self._flow_id = run.flow_id
        """The id under which this drive began; a step that changes the state's is refused."""
        self._lock = asyncio.Lock()

    async def start(self, ready: Sequence[Active]) -> None:
        """Stores that these calls start; their bodies may run once this returns.

        When it cannot be stored they count as not started.
        """
        starting = mark_started(ready)
        self._run.revision += 1
        try:
            await self.save()
        except BaseException:
            take_back(starting)
            self._run.revision += 1
            raise

    def refuse_new_id(self, step: Step) -> None:
        """Raises StateError when the step has changed the id under which the run is stored."""
        if self._run.store is not None and self._run.flow_id != self._flow_id:
            raise StateError(
                f"{self._run.name}.{step.name} changed the state's 'id' from {self._flow_id!r} to "
                f"{self._run.flow_id!r}. Keep it in a stored run: it names the run."
            )

    async def save(self) -> None:
        """Stores the run as running, unless a checkpoint that waited for another one has done so already."""
        await self._write("running")

    async def finish(self) -> None:
        """Stores the run's value; answered questions go."""
        await self._write("finished", result=result_text(self._run) if self._run.store else None)

    async def pause(self) -> None:
        """Stores the run as waiting for people; answered questions go, new ones come."""
        await self._write("paused")

    async def fail(self, error: BaseException) -> None:
        """Stores how far the run has come before an error; what is decided stays decided."""
        if isinstance(error, PersistenceError):
            # The store failed and not the flow: what is done is done, and the run may go on.
            await self._write("running")
            return
        try:
            await self._write("failed", error=text_of(error))
        except CodecError:
            if not await self._fail_as_stored(error):
                raise

    async def _fail_as_stored(self, error: BaseException) -> bool:
        """Whether the error stands in the store, beside what the last checkpoint holds.

        For a run that has come to a value which cannot be kept: the steps since then count as interrupted.
        """
        run = self._run
        found = None if run.store is None else await stored(run.store, run.store.load_checkpoint, run.flow_id)
        if run.store is None or found is None or found.body is None or found.version != run.version:
            return False
        since = [*(item.call for item in run.interrupted), *(step.call for step in run.steps[run.saved_steps :])]
        checkpoint = Checkpoint(
            flow_id=run.flow_id,
            flow_class=run.flow_class,
            status="failed",
            version=found.version + 1,
            body=found.body,
            error=text_of(error),
            gate_decided=any(step.feedback is not None for step in run.steps),
            interrupted=tuple(call.method for call in since),
        )
        await self._store(run.store, checkpoint, run.saved_revision)
        return True

    async def keep_state(self, step: Step) -> None:
        """Saves the state after a step, where @persist asks for it. Raises PersistenceError or CodecError."""
        spec = persist_spec(self._run, step)
        if spec is None:
            return
        store = self._run.services.persistence
        if store is None:
            store = spec.persistence if spec.persistence is not None else default_flow_persistence()
        state = snapshot(self._run.slot.stored(self._run.name), path="state")
        await stored(store, store.save_state, self._run.flow_id, step.name, state)

    async def _write(self, status: RunStatus, *, result: str | None = None, error: str | None = None) -> None:
        run = self._run
        if run.store is None:
            return
        async with self._lock:
            if status == "running" and run.saved_revision == run.revision:
                return
            checkpoint, revision = self._checkpoint(status, result=result, error=error), run.revision
            await self._store(run.store, checkpoint, revision)

    def _checkpoint(self, status: RunStatus, *, result: str | None, error: str | None) -> Checkpoint:
        run = self._run
        return Checkpoint(
            flow_id=self._flow_id,
            flow_class=run.flow_class,
            status=status,
            version=int.from_bytes(os.urandom(5)) + 1 if run.version is None else run.version + 1,
            is_first=run.version is None,
            body=body_of(run),
            steps=tuple((at, step_text(run.steps[at])) for at in range(run.saved_steps, len(run.steps))),
            result=result,
            error=error,
            gate_decided=any(step.feedback is not None for step in run.steps),
            interrupted=() if status == "finished" else tuple(item.call.method for item in run.interrupted),
            opened=tuple(run.opened),
            closed=tuple(run.closed) if status in ("finished", "paused") else (),
        )

    async def _store(self, store: FlowPersistence, checkpoint: Checkpoint, revision: int) -> None:
        run = self._run

        def note(is_kept: bool) -> None:
            if is_kept:
                run.version, run.saved_revision = checkpoint.version, revision
                run.saved_steps += len(checkpoint.steps)
                del run.opened[: len(checkpoint.opened)]
                del run.closed[: len(checkpoint.closed)]

        if not await stored_and_noted(store, partial(store.checkpoint, checkpoint), note):
            raise RunMovedError(flow_id=checkpoint.flow_id, version=checkpoint.version)


def persist_spec(run: FlowRun, step: Step) -> PersistSpec | None:
    """What @persist asks for after this step: the method's setting, else the class's; None when not to save."""
    spec = step.persist or run.persist
    return spec if spec is not None and spec.enabled else None


async def stored(store: FlowPersistence, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of a call to the store, made off the loop. Raises as `stored_and_noted` does."""
    return await stored_and_noted(store, partial(call, *args, **kwargs))


async def stored_and_noted(
    store: FlowPersistence, call: Callable[[], T], note: Callable[[T], object] | None = None
) -> T:
    """The result of a call to the store, made off the loop; note hears it even if the caller is cancelled meanwhile.

    Raises PersistenceError for whatever the store raises, except for a value whose type cannot be kept.
    """
    try:
        return await in_store_thread(call, together=together_of(store), note=note)
    except (CodecError, PersistenceError):
        raise
    except Exception as error:
        # A user's store may raise anything; the run can only stop and say so.
        raise PersistenceError(f"State persistence failed: {text_of(error)}") from error


def body_of(run: FlowRun) -> str:
    """Two lines of JSON: progress and open outputs, then the state, which is written anew where it has changed.

    Raises CodecError with the path of a refused value.
    """
    questions = [
        {"call": list(call), "output": item.output, "request_id": item.request_id, "requested_at": item.requested_at}
        for call, item in run.questions.items()
    ]
    values = {
        "questions": questions,
        "trigger_payload": run.trigger_payload,
        "input_files": dict(run.input_files),
    }
    # Progress is in JSON's own types already; only users' values go through the codec.
    body = {
        "progress": to_dict(run.progress),
        "is_host_served": run.is_host_served,
        "token": run.token,
        "calls_at_answer": run.calls_at_answer,
        "values": encode(values, path=run.name),
    }
    return json_of(body) + "\n" + run.slot.text(run.name)


def step_text(step: StepRecord) -> str:
    """One finished call as the codec's text; its feedback's output is the step's own and not written twice."""
    feedback = step.feedback
    content = {
        "call": list(step.call),
        "output": step.output,
        "label": step.label,
        "feedback": None
        if feedback is None
        else [feedback.feedback, feedback.outcome, feedback.timestamp, feedback.metadata],
    }
    return to_text(content, path=step.call.method)


def result_text(run: FlowRun) -> str:
    """The run's value as the codec's text. Raises CodecError with the step whose output is refused."""
    return to_text(run.result, path=f"{run.steps[-1].call.method}.output" if run.steps else "result")


def restore_run(run: FlowRun, found: StoredRun) -> None:
    """Puts a stored run into this record: progress, state, outputs, answers and open questions.

    Raises CodecError when a stored value cannot be restored here, CannotContinueError when the class has lost a step
    that is under way.
    """
    home = module_of(found.flow_class)
    run.clear()
    run.version = found.version if found.body is not None else None
    if found.body is None:
        _restore_bare(run, found)
        return
    first, _, state = found.body.partition("\n")  # no line end stands inside JSON text
    body = json.loads(first)
    values = decode(body["values"], home=home, path=run.name)
    run.progress = from_dict(body["progress"])
    _refuse_lost_steps(run, found)
    restore(run.slot, run.slot.texts.read(state, home=home, path=f"{run.name}.state"))
    run.trigger_payload = values["trigger_payload"]
    run.input_files = values.get("input_files", {})
    run.is_host_served = body.get("is_host_served", False)
    run.token = body.get("token", "")
    run.calls_at_answer = body.get("calls_at_answer", {})
    for text in found.steps:
        run.record(_step(from_text(text, home=home, path="step")))
    requests = {request.request_id: request for request in found.requests}
    for item in values["questions"]:
        call = Call(MethodName(item["call"][0]), item["call"][1])
        is_waiting = call in run.progress.active and run.progress.active[call].phase is Phase.WAITING
        request = requests.get(item["request_id"]) if is_waiting else None
        run.questions[call] = Question(
            output=item["output"],
            request_id=item["request_id"],
            requested_at=item["requested_at"],
            # A request may show a mere picture of the output.
            pending=None
            if request is None
            else HumanFeedbackPending(
                context=replace(request.context, method_output=item["output"]), callback_info=request.callback_info
            ),
        )
    run.saved_steps = len(run.steps)
    run.closed = [
        request.request_id
        for request in found.requests
        if request.status == "decided" and request.request_id not in {q.request_id for q in run.questions.values()}
    ]


def answer_in(found: StoredRun, request_id: str) -> HumanFeedbackResult | None:
    """The answer to a request that the stored run has taken in; None when it has none.

    Raises CodecError when a stored value cannot be restored here.
    """
    home = module_of(found.flow_class)
    for text in found.steps:
        feedback = _step(from_text(text, home=home, path="step")).feedback
        if feedback is not None and feedback.metadata.get("idempotency_key") == request_id:
            return feedback
    return None


def _refuse_lost_steps(run: FlowRun, found: StoredRun) -> None:
    under_way = {call.method for call in run.progress.active}
    under_way.update(method for wave in run.progress.waves.values() for method in wave.queue)
    lost = sorted(under_way - run.graph.steps.keys())
    if lost:
        known = run.graph.steps
        hints = [f"{method} (did you mean {hint}?)" if (hint := nearest(method, known)) else method for method in lost]
        reason = f"{run.name} no longer has the steps that are under way: {', '.join(hints)}"
        raise CannotContinueError(flow_id=found.flow_id, reason=reason)


def _restore_bare(run: FlowRun, found: StoredRun) -> None:
    """For a store that keeps only state and question: the paused step alone is known."""
    restore(run.slot, found.state or {})
    run.token = found.requests[0].request_id if found.requests else ""
    for request in found.requests:
        number = run.progress.counts.get(MethodName(request.method_name), 0) + 1
        call = Call(MethodName(request.method_name), number)
        run.progress.counts[call.method] = number
        run.progress.active[call] = Active(call=call, role=Role.START, wave=None, cause=None, phase=Phase.WAITING)
        run.questions[call] = Question(
            output=request.context.method_output,
            request_id=request.request_id,
            requested_at=request.requested_at,
            pending=HumanFeedbackPending(context=request.context, callback_info=request.callback_info),
        )
    _refuse_lost_steps(run, found)


def _step(content: dict[str, Any]) -> StepRecord:
    call = Call(MethodName(content["call"][0]), content["call"][1])
    feedback = None
    if content["feedback"] is not None:
        words, outcome, timestamp, metadata = content["feedback"]
        feedback = HumanFeedbackResult(content["output"], words, outcome, timestamp, call.method, metadata)
    return StepRecord(call=call, output=content["output"], feedback=feedback, label=content["label"])
