"""An opt-in alias: after `import flows.compat.crewai`, files that import `crewai.flow` get this package's engine.

    import flows.compat.crewai  # before anything that imports crewai
    import their_flows          # says `from crewai.flow.flow import Flow, start, listen`

It stands in for the flow modules (`ALIASES`) and for `Flow`, `LLM` and `BaseLLM` of the top package. Everything else of
CrewAI, such as `crewai.Agent`, is refused with NotAliasedError, also where CrewAI is installed. What: one process has
one `crewai`, this one or the real one. Why: CrewAI's agents are themselves flows of its own engine and its top package
imports that engine, so its agents cannot be had without the modules whose names the alias takes. What we gave up: a
file that needs both cannot stay unmodified. Its flow names come from `flows`, its agents from the real `crewai`, and
the alias stays out; the two engines do not meet.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import MappingProxyType, ModuleType
from typing import Any

from flows.errors import FlowError

ALIASES: Mapping[str, tuple[str, tuple[str, ...] | None]] = MappingProxyType(
    {
        "crewai": ("flows", ("BaseLLM", "Flow", "LLM")),
        "crewai.flow": ("flows", None),
        "crewai.flow.async_feedback": (
            "flows",
            ("ConsoleProvider", "HumanFeedbackPending", "HumanFeedbackProvider", "PendingFeedbackContext"),
        ),
        "crewai.flow.async_feedback.providers": ("flows", ("ConsoleProvider",)),
        "crewai.flow.async_feedback.types": (
            "flows",
            ("HumanFeedbackPending", "HumanFeedbackProvider", "PendingFeedbackContext"),
        ),
        "crewai.flow.flow": ("flows.flow", None),
        "crewai.flow.flow_config": ("flows", ("flow_config",)),
        "crewai.flow.human_feedback": ("flows.human_feedback", None),
        "crewai.flow.input_provider": ("flows", ("InputProvider", "InputResponse")),
        "crewai.flow.persistence": ("flows.persistence", None),
        "crewai.flow.persistence.base": ("flows", ("FlowPersistence",)),
        "crewai.flow.persistence.decorators": ("flows", ("persist",)),
        "crewai.flow.persistence.sqlite": ("flows", ("SQLiteFlowPersistence",)),
        "crewai.flow.visualization": (
            "flows",
            ("FlowStructure", "build_flow_structure", "visualize_flow_structure"),
        ),
    }
)
"""What each stand-in gives: names of one of our modules, or with None all that the module exports."""


class CrewAIAlreadyImportedError(FlowError, ImportError):
    """The real CrewAI is loaded, so that its name is taken. Import the alias first, or leave it out."""

    def __init__(self, *, loaded: str) -> None:
        self.loaded = loaded
        super().__init__(
            f"{loaded!r} is already imported, so the alias cannot take its name. "
            "Put 'import flows.compat.crewai' before every import of crewai, in the program's first module."
        )


class NotAliasedError(FlowError, ImportError):
    """A module or name of CrewAI that the alias does not have. Import the flow names from `flows` in that file."""

    def __init__(self, *, wanted: str, is_installed: bool) -> None:
        self.wanted, self.is_installed = wanted, is_installed
        real = (
            "The installed CrewAI cannot serve it, because its agents run on the flow engine that the alias replaces."
            if is_installed
            else "CrewAI is not installed."
        )
        super().__init__(
            f"{wanted!r} is not part of the alias, which has only crewai.flow and its public modules. {real} "
            "To use both, leave the alias out and import the flow names from 'flows'.",
            name=wanted,
        )


class StandIn(ModuleType):
    """A module under CrewAI's name whose names are those of one of our modules."""

    def __init__(self, name: str, source: ModuleType, names: Sequence[str]) -> None:
        super().__init__(name, f"The names of {source.__name__} under the name {name}.")
        self.__source = source
        self.__all__ = sorted(names)
        # Every stand-in is a package, and an empty one, so that imports of what lies deeper reach the Refuser.
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        """One of our names. Raises NotAliasedError for any other, AttributeError for what Python itself asks for."""
        if name in self.__all__:
            return getattr(self.__source, name)
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        raise _not_aliased(f"{self.__name__}.{name}")

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__all__})


class Refuser:
    """Stops the import of every CrewAI module that has no stand-in, before a real one is found."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Nothing, for all other modules. Raises NotAliasedError for one of CrewAI's."""
        if fullname.startswith("crewai."):
            raise _not_aliased(fullname)


def install() -> None:
    """Puts the stand-ins in place; once they are, nothing more happens.

    Raises CrewAIAlreadyImportedError when any module of the real CrewAI is loaded.
    """
    if _is_stand_in(sys.modules.get("crewai")):
        return
    loaded = sorted(name for name in sys.modules if name == "crewai" or name.startswith("crewai."))
    if loaded:
        raise CrewAIAlreadyImportedError(loaded=loaded[0])
    modules = {alias: _stand_in(alias, source, names) for alias, (source, names) in ALIASES.items()}
    for alias, module in modules.items():
        package, _, name = alias.rpartition(".")
        # `human_feedback` and `flow_config` of the package are the decorator and the settings, in every import order.
        if package and name not in modules[package].__all__:
            setattr(modules[package], name, module)
    sys.modules.update(modules)
    sys.meta_path.insert(0, Refuser())


def _stand_in(alias: str, source_name: str, names: tuple[str, ...] | None) -> StandIn:
    source = import_module(source_name)
    return StandIn(alias, source, source.__all__ if names is None else names)


def _is_stand_in(module: ModuleType | None) -> bool:
    # By name and not by class: reloading this module makes a new class.
    return type(module).__qualname__ == StandIn.__qualname__ and type(module).__module__ == StandIn.__module__


def _not_aliased(wanted: str) -> NotAliasedError:
    return NotAliasedError(wanted=wanted, is_installed=PathFinder.find_spec("crewai") is not None)


install()
