"""@human_feedback: checks its arguments and writes them into the method's spec."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flows.errors import FeedbackSpecError, nearest
from flows.graph.spec import FeedbackSpec, MethodT, annotate

logger = logging.getLogger(__name__)


def human_feedback(
    message: str,
    emit: Sequence[str] | None = None,
    llm: Any = None,
    default_outcome: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    provider: Any = None,
    learn: bool = False,
    learn_limit: int = 5,
    learn_source: str = "hitl",
    learn_strict: bool = False,
) -> Callable[[MethodT], MethodT]:
    """Shows the method's output to a person and waits for feedback before the flow goes on.

    With emit the feedback becomes one of these labels and routes the flow; without it listeners of the method receive
    the HumanFeedbackResult. llm reads free text as a label: a model id, or an object. default_outcome is the label of
    an explicit empty answer. provider asks the person; the console does by default.
    Raises FeedbackSpecError (a ValueError) for arguments that do not fit together.
    Source: human feedback guide, "The @human_feedback decorator".
    """
    labels = _checked_labels(emit)
    if not message.strip():
        raise FeedbackSpecError("@human_feedback needs a message: the question that the person reads.")
    if default_outcome is not None and labels is None:
        raise FeedbackSpecError("default_outcome has no meaning without emit. Declare the labels with emit=[...].")
    if default_outcome is not None and default_outcome not in (labels or ()):
        listed = ", ".join(map(repr, labels or ()))
        hint = nearest(default_outcome, labels or ())
        raise FeedbackSpecError(
            f"default_outcome {default_outcome!r} is not in emit. Use one of {listed}."
            + (f" Did you mean {hint!r}?" if hint else "")
        )
    spec = FeedbackSpec(
        message=message,
        emit=labels,
        llm=llm,
        default_outcome=default_outcome,
        metadata=metadata,
        provider=provider,
        learn=learn,
        learn_limit=learn_limit,
        learn_source=learn_source,
        learn_strict=learn_strict,
    )

    def decorate(method: MethodT) -> MethodT:
        if labels is not None and default_outcome is None:
            logger.warning(
                "%s has no default_outcome: an empty answer means %r. Declare the label that is safe.",
                getattr(method, "__qualname__", method),
                labels[0],
            )
        return annotate(method, feedback=spec)

    return decorate


def _checked_labels(emit: Sequence[str] | None) -> tuple[str, ...] | None:
    if isinstance(emit, str):
        raise FeedbackSpecError(f"emit must be a list of labels, not the text {emit!r}. Write emit=[{emit!r}].")
    labels = tuple(emit or ())
    if any(not label.strip() for label in labels):
        raise FeedbackSpecError("emit holds an empty label. Give every outcome a name.")
    if len({label.strip().casefold() for label in labels}) != len(labels):
        raise FeedbackSpecError(f"emit holds labels that people cannot tell apart: {', '.join(map(repr, labels))}.")
    return labels or None
