"""Running flows: one question, one module. They are loaded when the first flow is made."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flows.engine import ask, blocking, classes, lifecycle, present, recovery, run, stream

__all__ = ["ask", "blocking", "classes", "lifecycle", "present", "recovery", "run", "stream"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
