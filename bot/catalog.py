"""FLOWS_APP: the flows that people may start."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError

from bot.errors import CatalogError
from bot.reviews.policy_rules import GateOf
from flows import Flow, gates_of

FlowClass = type[Flow[Any]]
_OURS = ("flows", "bot")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEntry:
    """One flow that can be started."""

    name: str
    flow_class: FlowClass
    description: str
    """The first line of the class's docstring."""
    inputs: tuple[str, ...] | None
    """What `start` may set: the class's own `inputs`, else the fields of its state model. None: the state is a dict
    and takes anything."""
    state_model: type[BaseModel] | None = None
    """What inputs are checked against before a run begins."""

    @property
    def required(self) -> tuple[str, ...]:
        """The inputs without which no run can begin."""
        if self.state_model is None:
            return ()
        return tuple(
            name for name, field in self.state_model.model_fields.items() if field.is_required() and name != "id"
        )


class Catalog:
    """The flows of one FLOWS_APP, by name."""

    def __init__(self, entries: Iterable[FlowEntry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def __iter__(self) -> Iterator[FlowEntry]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def get(self, name: str) -> FlowEntry | None:
        """The flow of that name. Case and the difference between - and _ do not matter."""
        return self._entries.get(name) or self._entries.get(name.casefold().replace("-", "_"))

    @property
    def digest(self) -> str:
        """Names the code of these flows, by the text of the modules that define them: twelve hexadecimal digits."""
        text = hashlib.sha256()
        for entry in self:
            text.update(entry.name.encode())
            with contextlib.suppress(OSError, TypeError):
                text.update((inspect.getsource(inspect.getmodule(entry.flow_class) or entry.flow_class)).encode())
        return text.hexdigest()[:12]

    def gates(self) -> list[GateOf]:
        """Every step of these flows that waits for a person."""
        return [
            GateOf(
                flow_name=entry.name,
                flow_class=entry.flow_class.__name__,
                method=gate.method,
                emit=gate.emit,
                default_outcome=gate.default_outcome,
                metadata=gate.metadata,
                question=gate.message,
            )
            for entry in self
            for gate in gates_of(entry.flow_class)
        ]

    def nearest(self, name: str) -> str:
        """The name that comes closest to `name`; empty when there are no flows."""
        near = difflib.get_close_matches(name, list(self._entries), n=1, cutoff=0.0)
        return near[0] if near else ""


def load(flows_app: str, *, folder: Path) -> Catalog:
    """The flows of a module, a package or a path. folder is where a relative name is looked up.

    Raises CatalogError naming the file and the fault.
    """
    modules = _modules(flows_app, folder)
    entries: dict[str, FlowEntry] = {}
    for module in modules:
        for entry in _flows_of(module):
            twin = entries.setdefault(entry.name, entry)
            if twin.flow_class is not entry.flow_class:
                raise CatalogError(
                    f"FLOWS_APP={flows_app!r}: two flows are called {entry.name!r}, {_where(twin.flow_class)} and "
                    f"{_where(entry.flow_class)}. Give one of them another `name`."
                )
    if not entries:
        raise CatalogError(
            f"FLOWS_APP={flows_app!r} holds no flow. A flow is a subclass of flows.Flow with an @start() step, defined "
            "in that module and not only imported into it."
        )
    return Catalog(entries.values())


def of(*classes: FlowClass) -> Catalog:
    """A catalog of these flows, for tests and for programs that start a bot themselves."""
    return Catalog(_entry(each) for each in classes)


def _modules(flows_app: str, folder: Path) -> list[ModuleType]:
    path = Path(flows_app)
    looks_like_path = path.suffix == ".py" or "/" in flows_app or flows_app in (".", "..")
    if looks_like_path:
        return _from_path(flows_app, folder / path)
    if not all(part.isidentifier() for part in flows_app.split(".")):
        raise CatalogError(
            f"FLOWS_APP={flows_app!r} is neither a module name nor a path. Examples: my_flows, my_flows.reviews, "
            "./my_flows, ./my_flow.py."
        )
    _refuse_clash(flows_app, folder)
    if str(folder) not in sys.path:
        # Last, so that a folder's own flows/ or bot.py can never stand in for ours.
        sys.path.append(str(folder))
    package = _import(flows_app, flows_app)
    inner = pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}.")
    return [package, *(_import(flows_app, info.name) for info in inner)]


def _refuse_clash(flows_app: str, folder: Path) -> None:
    root = flows_app.split(".")[0]
    is_shipped = flows_app == "flows.examples" or flows_app.startswith("flows.examples.")
    if root not in _OURS or is_shipped:
        return
    raise CatalogError(
        f"FLOWS_APP={flows_app!r}: the name {root!r} belongs to Placet, so {folder / root} cannot be imported under "
        f"it. Rename that folder, or give its path: FLOWS_APP=./{flows_app.replace('.', '/')}."
    )


def _from_path(flows_app: str, path: Path) -> list[ModuleType]:
    if path.is_dir():
        files = [
            file
            for file in sorted(path.rglob("*.py"))
            if not any(part.startswith((".", "__pycache__")) for part in file.relative_to(path).parts)
        ]
        if str(path) not in sys.path:
            sys.path.append(str(path))
    elif path.is_file():
        files = [path]
    else:
        raise CatalogError(f"FLOWS_APP={flows_app!r}: {path} does not exist.")
    return [_from_file(flows_app, file, path) for file in files]


def _from_file(flows_app: str, file: Path, root: Path) -> ModuleType:
    # A name of its own, stable over restarts: paused flows keep their class by it.
    inner = file.relative_to(root).with_suffix("") if root.is_dir() else Path(file.stem)
    name = "placet_app." + ".".join(re.sub(r"\W", "_", part) for part in inner.parts)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CatalogError(f"FLOWS_APP={flows_app!r}: {file} cannot be read as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise CatalogError(_fault(flows_app, str(file), error)) from error
    return module


def _import(flows_app: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise CatalogError(
                f"FLOWS_APP={flows_app!r}: there is no module {error.name!r} in {Path.cwd()} or among the installed "
                "packages. Run Placet from the folder that holds it, or give a path: FLOWS_APP=./folder."
            ) from error
        raise CatalogError(_fault(flows_app, name, error)) from error
    except Exception as error:
        raise CatalogError(_fault(flows_app, name, error)) from error


def _fault(flows_app: str, where: str, error: BaseException) -> str:
    last = inspect.getinnerframes(error.__traceback__)[-1] if error.__traceback__ else None
    line = f" ({last.filename}, line {last.lineno})" if last else ""
    return f"FLOWS_APP={flows_app!r}: {where} cannot be loaded: {type(error).__name__}: {error}{line}."


def _flows_of(module: ModuleType) -> Iterator[FlowEntry]:
    for value in vars(module).values():
        if not inspect.isclass(value) or not issubclass(value, Flow) or value.__name__.startswith("_"):
            continue
        if value.__module__ == module.__name__:
            yield _entry(cast("FlowClass", value))


def _entry(flow_class: FlowClass) -> FlowEntry:
    own_name = vars(flow_class).get("name")
    name = own_name if isinstance(own_name, str) and own_name else _snake(flow_class.__name__)
    return FlowEntry(
        name=name.casefold().replace("-", "_"),
        flow_class=flow_class,
        description=next(iter((inspect.getdoc(flow_class) or "").strip().splitlines()), ""),
        inputs=_inputs(flow_class),
        state_model=_state_model(flow_class),
    )


def _inputs(flow_class: FlowClass) -> tuple[str, ...] | None:
    stated = getattr(flow_class, "inputs", None)
    if isinstance(stated, (tuple, list)):
        return tuple(str(name) for name in cast("list[Any]", stated))
    model = _state_model(flow_class)
    return None if model is None else tuple(name for name in model.model_fields if name != "id")


def _state_model(flow_class: FlowClass) -> type[BaseModel] | None:
    for base in inspect.getmro(flow_class):
        for generic in getattr(base, "__orig_bases__", ()):
            for state in get_args(generic):
                if inspect.isclass(state) and issubclass(state, BaseModel):
                    return state
    return None


def _snake(name: str) -> str:
    stem = name.removesuffix("Flow") or name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", stem).casefold()


def _where(flow_class: FlowClass) -> str:
    return f"{flow_class.__module__}.{flow_class.__qualname__}"


def unknown_inputs(entry: FlowEntry, inputs: Mapping[str, Any]) -> list[str]:
    """The names in `inputs` that this flow does not take."""
    return [] if entry.inputs is None else [name for name in inputs if name not in entry.inputs]


def check_inputs(entry: FlowEntry, inputs: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The names that are missing, and the names whose values the flow's state would not take."""
    missing = [name for name in entry.required if name not in inputs]
    if entry.state_model is None:
        return missing, []
    try:
        entry.state_model.model_validate({"id": "", **inputs})
    except ValidationError as error:
        named = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]}
        return missing, [name for name in inputs if name in named]
    return missing, []
