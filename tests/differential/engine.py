"""One engine's names, as the cases use them."""

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

NAMES = (
    "Flow",
    "start",
    "listen",
    "router",
    "or_",
    "and_",
    "persist",
    "human_feedback",
    "HumanFeedbackPending",
    "HumanFeedbackResult",
    "PendingFeedbackContext",
    "InputResponse",
    "flow_config",
    "build_flow_structure",
)
"""What a flow's file imports from the package itself."""


@dataclass(slots=True, kw_only=True)
class Engine:
    """The names that a flow's file imports, from one package or the other, and a place for stores."""

    storage: Path
    Flow: Any
    FlowState: Any
    start: Any
    listen: Any
    router: Any
    or_: Any
    and_: Any
    persist: Any
    human_feedback: Any
    HumanFeedbackPending: Any
    HumanFeedbackResult: Any
    PendingFeedbackContext: Any
    InputResponse: Any
    flow_config: Any
    build_flow_structure: Any
    SQLiteFlowPersistence: Any
    BaseLLM: Any
    stores: list[Any] = field(default_factory=list)

    def store(self, name: str = "flows") -> Any:
        """A store in a file of this case; the same name is the same file."""
        return self.opened(self.SQLiteFlowPersistence(str(self.storage / f"{name}.db")))

    def opened(self, store: Any) -> Any:
        """The store, noted so that it is closed after the case."""
        self.stores.append(store)
        return store

    def close(self) -> None:
        """Closes the stores, where the engine's stores can be closed, and forgets what hosts configured."""
        for store in self.stores:
            getattr(store, "close", lambda: None)()
        self.flow_config.hitl_provider = None
        self.flow_config.input_provider = None


def load_engine(flow_package: str, model_package: str, storage: Path) -> Engine:
    """The engine whose flow names live in one package and whose model base in another."""
    flow, models = import_module(flow_package), import_module(model_package)
    persistence = import_module(f"{flow_package}.persistence")
    found = {name: getattr(flow, name) for name in NAMES}
    return Engine(
        storage=storage,
        FlowState=import_module(f"{flow_package}.flow").FlowState,
        SQLiteFlowPersistence=persistence.SQLiteFlowPersistence,
        BaseLLM=models.BaseLLM,
        **found,
    )
