"""One call of one step: its argument, its body, its review, and the event its answer raises."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any

from flows.engine import gate
from flows.engine.ledger import Ledger
from flows.engine.present import enter_step
from flows.engine.run import FlowRun, Question, StepRecord, new_request_id
from flows.errors import text_of
from flows.events import MethodExecutionFailed, MethodExecutionFinished, MethodExecutionPaused, MethodExecutionStarted
from flows.graph.definition import TRIGGER_PAYLOAD, Step
from flows.graph.progress import Active, Phase, Role
from flows.persistence.codec import from_text, snapshot
from flows.threads import in_step_thread, to_its_end
from flows.types import HumanFeedbackPending, HumanFeedbackResult, OpenedRequest, json_safe


async def perform(run: FlowRun, active: Active, ledger: Ledger) -> StepRecord | None:
    """The finished call, or None when it now waits for a person.

    Whatever the method, the provider or the store raises goes up unchanged.
    """
    step = run.graph.steps[active.call.method]
    enter_step(run, active)
    is_heard = bool(run.listeners) and not run.settings.suppress_flow_events
    try:
        done = await _perform(run, active, step, ledger, is_heard=is_heard)
    except BaseException as error:
        # A cancelled step ends, too: whoever draws the run must not show it as running.
        if is_heard:
            run.emit(
                MethodExecutionFailed(
                    flow_name=run.name,
                    flow_id=run.flow_id,
                    method_name=step.name,
                    error=text_of(error),
                )
            )
        raise
    if is_heard and done is not None:
        run.emit(
            MethodExecutionFinished(
                flow_name=run.name,
                flow_id=run.flow_id,
                method_name=step.name,
                result=json_safe(done.recorded),
                state=json_safe(run.slot.live),
            )
        )
    return done


def label_of(step: Step, value: Any) -> str | None:
    """The event that a router's value raises: text is the event, an Enum its value, None and "" raise none."""
    if not step.is_router or value is None:
        return None
    found = value.value if isinstance(value, Enum) else value
    return str(found) or None


async def _perform(run: FlowRun, active: Active, step: Step, ledger: Ledger, *, is_heard: bool) -> StepRecord | None:
    if active.phase is Phase.RUNNING:
        arguments, named = _arguments(run, active, step)
        if is_heard:
            run.emit(
                MethodExecutionStarted(
                    flow_name=run.name,
                    flow_id=run.flow_id,
                    method_name=step.name,
                    params=json_safe([*arguments, *named.values()]),
                    state=json_safe(run.slot.live),
                )
            )
        output = await _invoke(getattr(run.flow, step.name), arguments, named)
        ledger.refuse_new_id(step)
        if step.feedback is None:
            return StepRecord(call=active.call, output=output, feedback=None, label=label_of(step, output))
        await _put_question(run, active, output, ledger)
    return await _review(run, active, step, ledger, is_heard=is_heard)


def _arguments(run: FlowRun, active: Active, step: Step) -> tuple[list[Any], dict[str, Any]]:
    if active.role is Role.START:
        takes = step.takes_payload and run.trigger_payload is not None
        return [], {TRIGGER_PAYLOAD: run.trigger_payload} if takes else {}
    if step.takes == "nothing" or active.cause is None:
        return [], {}
    source = run.by_call[active.cause.source]
    return [source.raised if active.cause.is_label else source.told], {}


async def _invoke(method: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(method):
        found = await method(*arguments, **named)
    else:
        found = await to_its_end(in_step_thread(method, *arguments, **named))
    return await found if found is not None and inspect.isawaitable(found) else found


async def _put_question(run: FlowRun, active: Active, output: Any, ledger: Ledger) -> None:
    """Stores that the body is done before anybody is asked, so that asking again never runs it again."""
    run.questions[active.call] = Question(
        output=output, request_id=new_request_id(), requested_at=run.services.clock.now()
    )
    active.phase = Phase.ASKING
    run.revision += 1
    await ledger.save()


async def _review(run: FlowRun, active: Active, step: Step, ledger: Ledger, *, is_heard: bool) -> StepRecord | None:
    question = run.questions[active.call]
    found: HumanFeedbackResult | HumanFeedbackPending = await gate.review(run, step, question)
    if isinstance(found, HumanFeedbackResult):
        return StepRecord(call=active.call, output=found.output, feedback=found, label=found.outcome)
    question.pending = found
    active.phase = Phase.WAITING
    state = run.slot.text(run.name)
    run.opened.append(
        OpenedRequest(
            context=snapshot(found.context, path=f"{step.name} request"),
            callback_info=json_safe(found.callback_info),
            state=from_text(state, path="state"),
            state_text=state,
        )
    )
    run.revision += 1
    is_last = all(other.phase is Phase.WAITING for other in run.progress.active.values())
    if is_heard:
        run.emit(
            MethodExecutionPaused(
                flow_name=run.name,
                flow_id=run.flow_id,
                method_name=step.name,
                request_id=question.request_id,
                state=json_safe(run.slot.live),
            )
        )
    if not is_last:
        await ledger.save()  # the last one to wait is stored by the run's pause, which comes at once
    return None
