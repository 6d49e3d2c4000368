"""Going on with a stored run whose process died, or whose step failed."""

from __future__ import annotations

from typing import Any, Literal

from flows.engine.ledger import restore_run, stored
from flows.engine.lifecycle import go
from flows.engine.pause import find_decided, take_decided, tell_started
from flows.engine.perform import label_of
from flows.engine.run import FlowRun, Question, StepRecord, new_request_id
from flows.errors import CannotContinueError
from flows.graph.progress import Active, Phase, finish
from flows.ports import FlowPersistence
from flows.types import StoredRun

How = Literal["retry", "done"]
"""Continuing a run: run the interrupted steps again, or take a given output as the interrupted step's."""


async def proceed(run: FlowRun, store: FlowPersistence, flow_id: str, how: How, *, output: Any) -> Any:
    """The outcome of a stored run that is neither finished nor only waiting, taken on from its last checkpoint.

    Raises CannotContinueError, RunMovedError when somebody else goes on with it, and what a step raises.
    """
    run.enter()
    try:
        run.store = store
        found = _continuable(await stored(store, store.load_checkpoint, flow_id), flow_id)
        restore_run(run, found)
        interrupted = _interrupted(run)
        decided = await find_decided(run, store)
        # A run that crashed between its question and its pause is not at rest yet: it goes on to the pause.
        if found.status == "paused" and not decided:
            listed = ", ".join(pending.context.request_id for _, pending in run.waiting)
            raise CannotContinueError(flow_id=flow_id, reason=f"it waits for feedback on {listed}")
        tell_started(run, None)
        ready = take_decided(run, decided)
        if how == "done":
            ready += _take_as_done(run, interrupted, output)
        ready += _again(run, interrupted)
        return await go(run, ready)
    finally:
        run.is_running = False


def _continuable(found: StoredRun | None, flow_id: str) -> StoredRun:
    reason = None
    if found is None:
        reason = "no stored run has this id"
    elif found.status == "finished":
        reason = "it has finished"
    elif found.body is None:
        reason = "its store keeps no checkpoints"
    if found is None or reason is not None:
        raise CannotContinueError(flow_id=flow_id, reason=reason or "it is unknown")
    return found


def _interrupted(run: FlowRun) -> list[Active]:
    return [active for active in run.progress.active.values() if active.phase is not Phase.WAITING]


def _again(run: FlowRun, interrupted: list[Active]) -> list[Active]:
    """Those of the interrupted calls that are still to be done, as if they had not started."""
    again = [active for active in interrupted if active.call in run.progress.active]
    for active in again:
        if active.phase is Phase.RUNNING:
            active.phase = Phase.READY
    return again


def _take_as_done(run: FlowRun, interrupted: list[Active], output: Any) -> list[Active]:
    running = [active for active in interrupted if active.phase is Phase.RUNNING]
    if len(running) != 1:
        listed = ", ".join(active.call.method for active in running) or "none"
        raise CannotContinueError(
            flow_id=run.flow_id, reason=f"'done' takes the output of one interrupted step, and there are: {listed}"
        )
    active = running[0]
    step = run.graph.steps[active.call.method]
    if step.feedback is not None:
        run.questions[active.call] = Question(
            output=output, request_id=new_request_id(), requested_at=run.services.clock.now()
        )
        active.phase = Phase.ASKING
        return []
    label = label_of(step, output)
    run.record(StepRecord(call=active.call, output=output, feedback=None, label=label))
    run.unkept.append(active.call.method)
    return finish(run.graph, run.progress, active.call, label)
