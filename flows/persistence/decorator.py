"""@persist: writes down that state is to be saved, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from flows.errors import StoreTypeError
from flows.graph.spec import PersistSpec, annotate
from flows.ports import FlowPersistence, as_store

TargetT = TypeVar("TargetT", bound=Callable[..., Any])

_ATTRIBUTE = "__flow_persist__"


@overload
def persist(persistence: TargetT) -> TargetT: ...
@overload
def persist(
    persistence: FlowPersistence | None = None, verbose: bool = False, *, enabled: bool = True
) -> Callable[[TargetT], TargetT]: ...
def persist(persistence: Any = None, verbose: bool = False, *, enabled: bool = True) -> Any:
    """Saves the state after every method of a class, or after one method.

    A method's setting wins over its class's; enabled=False turns saving off for that method. Without a store the
    default one is used. May be written without parentheses. Raises StoreTypeError for what is no store.
    Source: flow guide, "Flow persistence".
    """
    if isinstance(persistence, type) and issubclass(persistence, FlowPersistence):
        raise StoreTypeError(given=persistence)
    is_target = isinstance(persistence, type) or (
        callable(persistence) and not isinstance(persistence, FlowPersistence)
    )
    if is_target:
        return _decorate(persistence, PersistSpec())
    if persistence is not None:
        as_store(persistence)
    spec = PersistSpec(persistence=persistence, verbose=verbose, enabled=enabled)

    def decorate(target: TargetT) -> TargetT:
        return _decorate(target, spec)

    return decorate


def class_persist(flow: type) -> PersistSpec | None:
    """What @persist on the class, or on a parent, asks for."""
    return getattr(flow, _ATTRIBUTE, None)


def _decorate(target: Any, spec: PersistSpec) -> Any:
    if isinstance(target, type):
        setattr(target, _ATTRIBUTE, spec)
        return target
    return annotate(target, persist=spec)
