"""What a decorator accepts as a trigger: or_, and_, and the reading of names and step references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flows.errors import BareDecoratorError, InvalidConditionError
from flows.graph.conditions import AllOf, AnyOf, Condition, On
from flows.graph.spec import spec_of
from flows.types import EventName

Trigger = str | Condition | Callable[..., Any]
"""What a decorator accepts: a name or label, a decorated method, or a built condition."""


def or_(*triggers: Trigger) -> Condition:
    """A condition that any one of the triggers meets.

    Raises InvalidConditionError for anything that is no trigger, and for no trigger at all.
    """
    parts = _parts(triggers, where="or_()")
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def and_(*triggers: Trigger) -> Condition:
    """A condition that is met once every trigger has been seen since it was last met.

    Raises InvalidConditionError for anything that is no trigger, and for no trigger at all.
    """
    parts = _parts(triggers, where="and_()")
    return parts[0] if len(parts) == 1 else AllOf(parts)


def as_condition(trigger: object, *, where: str) -> Condition:
    """The condition that a decorator's argument stands for.

    where names the decorator in the error. Raises InvalidConditionError, or BareDecoratorError for a function that is
    no step: nearly always a decorator without its parentheses.
    """
    if isinstance(trigger, (On, AnyOf, AllOf)):
        return trigger
    if isinstance(trigger, str) and trigger:
        return On(EventName(trigger))
    name = getattr(trigger, "__name__", None)
    if callable(trigger) and isinstance(name, str) and not isinstance(trigger, type):
        spec = spec_of(trigger)
        if spec is None or not spec.is_step:
            raise BareDecoratorError(decorator=where.removesuffix("()").removeprefix("@"), function=name)
        return On(EventName(name))
    raise InvalidConditionError(where=where, given=trigger)


def _parts(triggers: tuple[object, ...], *, where: str) -> tuple[Condition, ...]:
    if not triggers:
        raise InvalidConditionError(where=where, given=())
    parts = (as_condition(trigger, where=where) for trigger in triggers)
    return tuple(dict.fromkeys(parts))
