"""Which classes a stored value may be restored as."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard, TypeVar, get_args, get_type_hints

import pydantic

from flows.types import IDENTIFIED_SUFFIX, HumanFeedbackResult, PendingFeedbackContext, identified

TypeT = TypeVar("TypeT", bound=type)

_registered: dict[str, type] = {}
_homes: set[str] = set()
"""Modules of flow classes in use: the classes they define or import need no registration."""

_MAIN = "__main__"


def register_type(cls: TypeT) -> TypeT:
    """Allows values to be stored, and restored, as this dataclass, pydantic model or Enum; works as a decorator.

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
    """Allows values of classes that the flow's own module, or a parent's, defines or imports to be stored."""
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


def class_named(path: str, *, home: str | None = None) -> type | None:
    """The class of a stored value, or None when it may not be restored here.

    A class counts when it is registered, or when a module that is home to a flow, and is loaded, defines or imports
    it. home names one more such module: that of the flow which stored the value. What a home stored while it ran as
    the program's main file, or what the main file stored while it was imported, is found under its other name.
    Nothing is ever imported because a row says so.
    """
    if path in _registered:
        return _registered[path]
    if path.endswith(IDENTIFIED_SUFFIX):
        base = class_named(path.removesuffix(IDENTIFIED_SUFFIX), home=home)
        return identified(base) if base is not None and issubclass(base, pydantic.BaseModel) else None
    homes = {name: sys.modules[name] for name in (home, *_homes) if name in sys.modules}
    module, _, qualname = path.partition(":")
    found = _defined_in(sys.modules.get(module), qualname)
    if module in homes:
        if found is not None:
            return found
    elif found is not None and any(item is found for other in homes.values() for item in tuple(vars(other).values())):
        return register_type(found)
    return _moved(module, qualname, homes)


def _defined_in(module: ModuleType | None, qualname: str) -> type | None:
    found: Any = module
    for part in qualname.split("."):
        found = getattr(found, part, None)
    is_own = _is_storable(found) and module is not None and path_of(found) == f"{module.__name__}:{qualname}"
    return found if is_own else None


def _moved(module: str, qualname: str, homes: Mapping[str, ModuleType]) -> type | None:
    """The class of a file that ran as the main file when it stored the value, or that does so now."""
    if module == _MAIN:
        others = [other for name, other in homes.items() if name != _MAIN]
    elif module not in sys.modules and _MAIN in homes and module.rpartition(".")[2] == _main_file():
        others = [homes[_MAIN]]
    else:
        return None
    found = [cls for other in others if (cls := _defined_in(other, qualname)) is not None]
    return found[0] if len(found) == 1 else None


def _main_file() -> str:
    return Path(getattr(sys.modules[_MAIN], "__file__", None) or "").stem


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
