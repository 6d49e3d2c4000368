"""What a case is, and how what it did becomes plain JSON."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import ModuleType
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from tests.differential.engine import Engine

Values = dict[str, Any]
"""Recorded facts by name, in JSON's own types."""
Run = Callable[[], "Values | Awaitable[Values]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One small flow, or a few that show one rule together."""

    name: str
    rules: tuple[str, ...]
    """The rules that it shows."""
    build: Callable[[Engine], Run]
    """Writes the flow with an engine's names and gives what to run."""


def case(*rules: str) -> Callable[[Callable[[Engine], Run]], Case]:
    """Makes a case of the function below, named after it."""
    return lambda build: Case(name=build.__name__, rules=rules, build=build)


def cases_in(modules: Iterable[ModuleType], more: Iterable[Case] = ()) -> dict[str, Case]:
    """The cases of these modules, and more of them, by name. Raises AssertionError for a name that is used twice."""
    found = [item for module in modules for item in vars(module).values() if isinstance(item, Case)]
    found.extend(more)
    by_name = {item.name: item for item in found}
    assert len(by_name) == len(found), "two cases share a name"
    return by_name


def perform(case: Case, engine: Engine) -> Values:
    """What the case records on this engine; an exception that leaves it is recorded as a fact of its own."""
    try:
        found = case.build(engine)()
        values = asyncio.run(_awaited(found)) if inspect.isawaitable(found) else found
    except Exception as error:
        return {"raised": kind(error)}
    return {key: plain(value) for key, value in values.items()}


async def outcome(awaitable: Awaitable[Any]) -> Any:
    """What it gives, or the exception it raises as a fact."""
    try:
        return plain(await awaitable)
    except Exception as error:
        return {"raised": kind(error)}


def attempt(call: Callable[[], Any]) -> Any:
    """What the call gives, or the exception it raises as a fact."""
    try:
        return plain(call())
    except Exception as error:
        return {"raised": kind(error)}


def ran(flow_class: type, log: list[Any], **inputs: Any) -> Run:
    """The common case: kick off a new instance; record what fired in order, what came back, and all outputs."""

    async def run() -> Values:
        flow: Any = flow_class()
        result = await outcome(flow.kickoff_async(inputs=inputs or None))
        return {"fired": log, "result": result, "outputs": list(flow.method_outputs)}

    return run


PATIENCE = 2.0
"""How long, in seconds, a step waits for another before it says that the other did not come."""


async def came(event: asyncio.Event) -> bool:
    """Whether the event was set in time."""
    try:
        await asyncio.wait_for(event.wait(), PATIENCE)
    except TimeoutError:
        return False
    return True


def kind(error: BaseException) -> str:
    """The builtin type that the exception is: what a caller of either engine can catch."""
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def plain(value: Any) -> Any:
    """The value in JSON's types. What JSON does not have is shown with its type, so that a lost type is seen."""
    if isinstance(value, Enum):
        return {"enum": value.name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, (tuple, set, frozenset)):
        items = [plain(item) for item in value]
        return {type(value).__name__: items if isinstance(value, tuple) else sorted(items, key=str)}
    if isinstance(value, BaseException):
        context = getattr(value, "context", None)
        return {"pending": context.method_name} if context is not None else {"error": kind(value)}
    if isinstance(value, BaseModel):
        return {type(value).__name__: {name: plain(getattr(value, name)) for name in type(value).model_fields}}
    if hasattr(value, "feedback") and hasattr(value, "outcome"):
        return {"review": [plain(value.output), value.feedback, value.outcome]}
    if isinstance(value, (datetime, date, time, timedelta, Decimal, UUID, bytes)):
        return {type(value).__name__: str(value)}
    return {"type": type(value).__name__}


async def _awaited(awaitable: Awaitable[Values]) -> Values:
    return await awaitable
