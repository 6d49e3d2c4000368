"""Which store serves a flow that was given none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from flows.config import store_file
from flows.ports import FlowPersistence

_factory: Callable[[], FlowPersistence] | None = None


def default_flow_persistence() -> FlowPersistence:
    """The store for flows without one: the factory's, else one SQLite file in the storage directory."""
    return _factory() if _factory is not None else _sqlite(store_file())


def set_flow_persistence_factory(factory: Callable[[], FlowPersistence] | None) -> None:
    """Lets a host decide the default store; None restores the SQLite file."""
    global _factory
    _factory = factory


@cache
def _sqlite(path: Path) -> FlowPersistence:
    # Loaded here: most processes never need the default store, and the file's module takes time to load.
    from flows.persistence.sqlite import SQLiteFlowPersistence

    return SQLiteFlowPersistence(path)
