"""What the surroundings decide: the two environment variables of this package, and the providers a host sets."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from flows.ports import HumanFeedbackProvider, InputProvider


@dataclass(slots=True)
class FlowConfig:
    """Process-wide fallbacks; a host fills them on purpose."""

    hitl_provider: HumanFeedbackProvider | None = None
    """Asks for feedback where a step names no provider."""
    input_provider: InputProvider | None = None
    """Answers `ask()` where a flow has no provider."""


flow_config = FlowConfig()


def storage_dir() -> Path:
    """Where stores live by default: FLOWS_STORAGE_DIR, else the platform's data directory.

    Never the working directory, so that a run is found again from wherever the program is started.
    """
    given = _variable("FLOWS_STORAGE_DIR")
    return Path(given).expanduser() if given else _platform_data_dir() / "placet-flows"


def store_file() -> Path:
    """The file of the default store."""
    return storage_dir() / "flows.db"


def default_model() -> str | None:
    """The model id of FLOWS_MODEL, or None when no model is configured."""
    return _variable("FLOWS_MODEL") or None


def _platform_data_dir() -> Path:
    if sys.platform == "win32":
        return Path(_variable("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(_variable("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()  # noqa: TID251 - this module is the one reader
