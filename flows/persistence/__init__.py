"""Keeping runs: the stores, @persist, and the port for a store of your own."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flows.persistence.decorator import persist
from flows.ports import FlowPersistence

if TYPE_CHECKING:
    from flows.persistence.default import default_flow_persistence, set_flow_persistence_factory
    from flows.persistence.memory import MemoryFlowPersistence
    from flows.persistence.sqlite import SQLiteFlowPersistence
    from flows.persistence.types_registry import register_type

_ON_FIRST_USE = {
    "MemoryFlowPersistence": "flows.persistence.memory",
    "SQLiteFlowPersistence": "flows.persistence.sqlite",
    "default_flow_persistence": "flows.persistence.default",
    "register_type": "flows.persistence.types_registry",
    "set_flow_persistence_factory": "flows.persistence.default",
}

__all__ = [
    "FlowPersistence",
    "MemoryFlowPersistence",
    "SQLiteFlowPersistence",
    "default_flow_persistence",
    "persist",
    "register_type",
    "set_flow_persistence_factory",
]


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = found
    return found
