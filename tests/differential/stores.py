"""A store that notes the methods whose state it is given."""

from typing import Any

from tests.differential.engine import Engine


def watched(engine: Engine, log: list[str], name: str = "watched") -> Any:
    """The engine's own store in a file of this case; the log takes the name of each save."""

    class Watched(engine.SQLiteFlowPersistence):
        def save_state(self, flow_uuid: str, method_name: str, state_data: Any) -> None:
            log.append(method_name)
            super().save_state(flow_uuid, method_name, state_data)

    return engine.opened(Watched(str(engine.storage / f"{name}.db")))
