"""Which classes a stored value may be restored as."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeGuard, TypeVar, get_args, get_type_hints

import pydantic

from flows.types import IDENTIFIED_SUFFIX, HumanFeedbackResult, PendingFeedbackContext, identified

TypeT = TypeVar("TypeT", bound=type)

_registered: dict[str, type] = {}
_homes: set[str] = set()
"""Modules of flow classes in use: their own classes need no registration."""


def register_type(cls: TypeT) -> TypeT:
    """Allows stored values to be restored as this dataclass, pydantic model or Enum; works as a decorator.

    Raises TypeError for another kind of class.
    """
    if not _is_storable(cls):
        raise TypeError(f"{cls!r} is no dataclass, pydantic model or Enum, so no value of it can be stored.")
    _registered[path_of(cls)] = cls
    return cls


def register_reachable(root: Any) -> None:
    """Registers every storable class that an annotation leads to: a state model, its fields' types, and theirs."""
    for cls in _reachable(root, set()):
        register_type(cls)


def register_home(flow: type) -> None:
    """Allows stored values to be restored as classes that stand in the flow's own module, or in its parents'."""
    _homes.update(base.__module__ for base in flow.__mro__ if base is not object)


def path_of(cls: type) -> str:
    """The name a stored value carries for its class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def module_of(flow_class: str) -> str | None:
    """The loaded module in a dotted "module.qualified_name", or None when it is not loaded."""
    name = flow_class
    while name:
        name = name.rpartition(".")[0]
        if name in sys.modules:
            return name
    return None


def class_named(path: str, *, home: str | None) -> type | None:
    """The class of a stored value, or None when it may not be restored here.

    A class counts when it is registered, or when it stands in a module that is home to a flow, and that is loaded.
    home names one more such module: that of the flow which stored the value.
    Nothing is ever imported because a row says so.
    """
    if path in _registered:
        return _registered[path]
    if path.endswith(IDENTIFIED_SUFFIX):
        base = class_named(path.removesuffix(IDENTIFIED_SUFFIX), home=home)
        return identified(base) if base is not None and issubclass(base, pydantic.BaseModel) else None
    module_name, _, qualname = path.partition(":")
    if (module_name not in _homes and module_name != home) or module_name not in sys.modules:
        return None
    found: Any = sys.modules[module_name]
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found if _is_storable(found) and path_of(found) == path else None


def _is_storable(cls: Any) -> TypeGuard[type[Any]]:
    return isinstance(cls, type) and (is_dataclass(cls) or issubclass(cls, (pydantic.BaseModel, Enum)))


def _reachable(annotation: Any, seen: set[Any]) -> Iterator[type]:
    for part in get_args(annotation):
        yield from _reachable(part, seen)
    if not _is_storable(annotation) or annotation in seen:
        return
    seen.add(annotation)
    yield annotation
    for inner in _field_types(annotation):
        yield from _reachable(inner, seen)


def _field_types(cls: type[Any]) -> list[Any]:
    if issubclass(cls, pydantic.BaseModel):
        return [item.annotation for item in cls.model_fields.values()]
    if not is_dataclass(cls):
        return []
    try:
        hints = get_type_hints(cls)
    except (NameError, TypeError):
        # A forward reference that cannot be resolved here leads nowhere; its class can be registered by hand.
        return []
    return [hints.get(item.name) for item in fields(cls)]


register_type(HumanFeedbackResult)
register_type(PendingFeedbackContext)
