"""One review: asking a person about an output, and reading the answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from flows.config import flow_config
from flows.engine.model_calls import watched
from flows.engine.run import FlowRun, Question
from flows.errors import FeedbackSpecError, HumanFeedbackCollapseError, MissingProviderError, ProviderError, nearest
from flows.events import HumanFeedbackReceived, HumanFeedbackRequested
from flows.graph.definition import Step
from flows.graph.spec import FeedbackSpec
from flows.human_feedback.console import ConsoleProvider
from flows.human_feedback.outcome import resolve_outcome
from flows.ports import HumanFeedbackProvider, RepeatingProvider
from flows.threads import in_waiting_thread
from flows.types import HumanFeedbackPending, HumanFeedbackResult, PendingFeedbackContext, json_safe

STORED_SETTINGS = (
    "model",
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "max_completion_tokens",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "timeout",
    "max_retries",
    "num_retries",
    "reasoning_effort",
)
"""The settings of a model that are stored with a request; a live step's own model has them all."""


async def review(run: FlowRun, step: Step, question: Question) -> HumanFeedbackResult | HumanFeedbackPending:
    """A person's answer to the question, or the pending request when the provider pauses the run.

    Raises HumanFeedbackCollapseError when the answer is unclear and nobody is there to be asked again.
    """
    spec = _spec(step)
    context = context_of(run, step, question)
    provider = provider_of(run, step)
    run.is_host_served = run.is_host_served or provider is run.services.provider
    if run.listeners:
        run.emit(_requested(run, context))
    try:
        first_words = str(await _call(provider.request_feedback, context, run.flow))
        words, label = await _read(run, spec, context, provider, first_words)
    except HumanFeedbackPending as pending:
        return _settled(pending, context)
    return answer(run, step, question, words=words, outcome=label)


def answer(
    run: FlowRun,
    step: Step,
    question: Question,
    *,
    words: str,
    outcome: str | None,
    by: str | None = None,
    replaced: tuple[Any] | None = None,
) -> HumanFeedbackResult:
    """The result of a review whose label is known; tells listeners that it is in.

    replaced holds the edited output, if it was edited.
    """
    metadata: dict[str, Any] = {**(_spec(step).metadata or {}), "idempotency_key": question.request_id}
    if by is not None:
        metadata["by"] = by
    output = question.output
    if replaced is not None:
        metadata["original_output"], (output,) = output, replaced
    if run.listeners:
        run.emit(
            HumanFeedbackReceived(
                flow_name=run.name,
                flow_id=run.flow_id,
                method_name=step.name,
                request_id=question.request_id,
                feedback=words,
                outcome=outcome,
                by=by,
            )
        )
    return HumanFeedbackResult(output, words, outcome, run.services.clock.now(), step.name, metadata)


async def classify(
    run: FlowRun, step: Step, context: PendingFeedbackContext, words: str, outcome: str | None
) -> str | None:
    """The label of an answer that came from outside: the decided one, or what the words are read as.

    The person was shown the labels that are stored; the live step's are those that can still be carried out. Raises
    FeedbackSpecError for a label that the step does not declare, HumanFeedbackCollapseError for words that are no
    single label.
    """
    shown, declared = context.emit, _declared(step, context)
    if outcome is None and (shown or declared):
        # The live decorator's model is the author's own object; the stored one is only its description.
        llm = step.feedback.llm if step.feedback is not None else context.llm
        outcome = await resolve_outcome(
            words,
            shown or declared,
            default_outcome=context.default_outcome,
            llm=llm,
            message=context.message,
            asking=watched(run, step.name),
        )
    if outcome is not None and outcome not in declared:
        raise FeedbackSpecError(_undeclared(step, outcome, declared, was_shown=outcome in (shown or ())))
    return outcome


def _declared(step: Step, context: PendingFeedbackContext) -> Sequence[str]:
    """The labels that an answer may be: the live step's, else the stored ones."""
    return (step.feedback.emit if step.feedback is not None else None) or context.emit or ()


def _undeclared(step: Step, outcome: str, declared: Sequence[str], *, was_shown: bool) -> str:
    listed = ", ".join(map(repr, declared)) or "none"
    if was_shown:
        return (
            f"{outcome!r} was an outcome of {step.name!r} when the person was asked, and is none of the class as it is "
            f"now. Declared: {listed}. Nothing was decided: resume with one of these, or with the older class."
        )
    hint = nearest(outcome, declared)
    return f"{outcome!r} is no outcome of {step.name!r}. Declared: {listed}." + (
        f" Did you mean {hint!r}?" if hint else ""
    )


def context_of(run: FlowRun, step: Step, question: Question) -> PendingFeedbackContext:
    """What a provider is told."""
    spec = _spec(step)
    return PendingFeedbackContext(
        flow_id=run.flow_id,
        flow_class=run.flow_class,
        method_name=step.name,
        method_output=question.output,
        message=spec.message,
        emit=list(spec.emit) if spec.emit is not None else None,
        default_outcome=spec.default_outcome,
        metadata=dict(spec.metadata or {}),
        llm=_model_settings(spec.llm),
        requested_at=question.requested_at,
        request_id=question.request_id,
    )


def provider_of(run: FlowRun, step: Step) -> HumanFeedbackProvider:
    """Who asks: the step's own provider, else the host's, else the console.

    A step's console provider gives way to a host's provider, because nobody sits at a host's terminal.
    Raises ProviderError for an object that cannot ask, MissingProviderError when a host asked before and is gone.
    """
    host = run.services.provider or flow_config.hitl_provider
    own = _spec(step).provider
    if own is None or (isinstance(own, ConsoleProvider) and run.services.provider is not None):
        own = host or own or ConsoleProvider()
    if isinstance(own, ConsoleProvider) and run.is_host_served and not own.has_person:
        raise MissingProviderError(flow=run.name, flow_id=run.flow_id, method=step.name)
    if not isinstance(own, HumanFeedbackProvider) or isinstance(own, type):
        raise ProviderError(provider=own, method="request_feedback")
    return own


async def _read(
    run: FlowRun, spec: FeedbackSpec, context: PendingFeedbackContext, provider: HumanFeedbackProvider, words: str
) -> tuple[str, str | None]:
    """The words that were understood in the end, and their label."""
    if spec.emit is None:
        return words, None
    while True:
        try:
            label = await resolve_outcome(
                words,
                spec.emit,
                default_outcome=spec.default_outcome,
                llm=spec.llm,
                message=spec.message,
                asking=watched(run, context.method_name),
            )
        except HumanFeedbackCollapseError as unclear:
            if not isinstance(provider, RepeatingProvider):
                raise
            words = str(await _call(provider.ask_again, context, run.flow, unclear.reason))
        else:
            return words, label


async def _call(function: Callable[..., Any], *args: Any) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    found = await in_waiting_thread(function, *args)
    return await found if inspect.isawaitable(found) else found


def _settled(pending: HumanFeedbackPending, context: PendingFeedbackContext) -> HumanFeedbackPending:
    """The provider's exception, about the request that the engine stored, without the frames it was raised in."""
    if pending.context.request_id != context.request_id:
        pending.context = context
    return pending.with_traceback(None)


def _model_settings(llm: Any) -> Any:
    """What may be stored of a model: its id, and the plain values of settings that hold no secret.

    The settings are named one by one: a secret may have any name, and stand inside headers or an address.
    """
    if llm is None or isinstance(llm, str):
        return llm
    if isinstance(llm, Mapping):
        settings = cast("Mapping[str, Any]", llm)
        return {key: settings[key] for key in STORED_SETTINGS if isinstance(settings.get(key), str | int | float)}
    model = getattr(llm, "model", None)
    return {"model": model} if isinstance(model, str) else None


def _spec(step: Step) -> FeedbackSpec:
    # Also for a stored question whose step has lost its decorator since: the answer then carries no metadata.
    return step.feedback or FeedbackSpec(message="")


def _requested(run: FlowRun, context: PendingFeedbackContext) -> HumanFeedbackRequested:
    return HumanFeedbackRequested(
        flow_name=run.name,
        flow_id=run.flow_id,
        method_name=context.method_name,
        request_id=context.request_id,
        message=context.message,
        output=json_safe(context.method_output),
        emit=tuple(context.emit) if context.emit is not None else None,
    )
