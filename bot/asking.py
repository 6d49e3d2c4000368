"""Which steps may stop to ask a person for a line of text, read from their code without running it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType

from bot.catalog import Catalog, FlowClass

_CALLS = frozenset({"ask", "ask_async"})


def asking_steps(catalog: Catalog) -> tuple[str, ...]:
    """The methods of these flows that name `ask`, as `flow.method`.

    A call from a function outside of the class is not seen.
    """
    return tuple(f"{entry.name}.{name}" for entry in catalog for name in _of(entry.flow_class))


def _of(flow_class: FlowClass) -> Iterator[str]:
    for name, value in inspect.getmembers(flow_class, inspect.isfunction):
        function = inspect.unwrap(value)
        if not function.__module__.startswith("flows.flow") and _CALLS & set(_names(function.__code__)):
            yield name


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
