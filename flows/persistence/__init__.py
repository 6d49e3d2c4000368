"""Keeping runs: the stores, @persist, and the port for a store of your own."""

from flows.persistence.decorator import persist
from flows.persistence.default import default_flow_persistence, set_flow_persistence_factory
from flows.persistence.memory import MemoryFlowPersistence
from flows.persistence.sqlite import SQLiteFlowPersistence
from flows.persistence.types_registry import register_type
from flows.ports import FlowPersistence

__all__ = [
    "FlowPersistence",
    "MemoryFlowPersistence",
    "SQLiteFlowPersistence",
    "default_flow_persistence",
    "persist",
    "register_type",
    "set_flow_persistence_factory",
]
