"""@start, @listen and @router: each writes what it was told into the method's spec, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from flows.errors import DuplicateConditionError
from flows.graph.conditions import Condition
from flows.graph.spec import MethodSpec, MethodT, annotate, spec_of
from flows.graph.triggers import Trigger, as_condition


def start(condition: Trigger | None = None) -> Callable[[MethodT], MethodT]:
    """Marks an entry point of the flow.

    Without a condition the method runs at every kickoff, at once with the other starts. With one it runs when the
    condition is met, and at kickoff only if the flow has no unconditional start.
    Raises InvalidConditionError or BareDecoratorError.
    Source: flow guide, "@start()".
    """
    wanted = None if condition is None else as_condition(condition, where="@start()")

    def decorate(method: MethodT) -> MethodT:
        return annotate(method, start=True, start_waits=wanted is not None, condition=_merged(method, wanted))

    return decorate


def listen(condition: Trigger) -> Callable[[MethodT], MethodT]:
    """Marks a method that runs when the condition is met.

    Raises InvalidConditionError or BareDecoratorError.
    Source: flow guide, "@listen()".
    """
    wanted = as_condition(condition, where="@listen()")

    def decorate(method: MethodT) -> MethodT:
        return annotate(method, listens=True, condition=_merged(method, wanted))

    return decorate


def router(condition: Trigger | None = None, *, emit: Sequence[str] | None = None) -> Callable[[MethodT], MethodT]:
    """Marks a method whose return value names the next event.

    The condition may come from a @start or @listen on the same method. emit declares the labels for pictures and
    checks; a return annotation of Literals or an Enum does the same. Declaring does not limit what it may return.
    Source: flow guide, "@router()".
    """
    wanted = None if condition is None else as_condition(condition, where="@router()")

    def decorate(method: MethodT) -> MethodT:
        declared = tuple(emit) if emit else labels_of_return(method)
        return annotate(method, router=True, condition=_merged(method, wanted), emits=declared)

    return decorate


def labels_of_return(method: Callable[..., Any]) -> tuple[str, ...] | None:
    """The labels that a return annotation names: Literals, an Enum, unions or Annotated of those; None for others."""
    try:
        hints = get_type_hints(method, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError):
        # The annotation names something that is not importable here, or is words; it then declares nothing.
        return None
    labels = tuple(dict.fromkeys(_labels(hints.get("return"))))
    return labels or None


def _labels(annotation: Any) -> list[str]:
    origin = get_origin(annotation)
    if origin is Literal:
        return [
            str(item.value if isinstance(item, Enum) else item) for item in get_args(annotation) if item is not None
        ]
    if origin is Annotated:
        return _labels(get_args(annotation)[0])
    if origin is Union or origin is UnionType:
        return [label for part in get_args(annotation) for label in _labels(part)]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    return []


def _merged(method: Callable[..., Any], wanted: Condition | None) -> Condition | None:
    known = (spec_of(method) or MethodSpec()).condition
    if wanted is None or known is None or wanted == known:
        return wanted or known
    raise DuplicateConditionError(method=method.__name__, first=str(known), second=str(wanted))
