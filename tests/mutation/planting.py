"""How a fault gets into a module: into the functions that exist already, or by importing it anew."""

import gc
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.mutation.mutants import mutated


def plant(path: Path, number: int, function: str) -> bool:
    """Whether the fault is now in every living function of that name; if not, nothing was changed."""
    compiled = compile(mutated(path.read_text("utf-8"), number), str(path), "exec")
    fresh = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compiled)}
    changed: list[tuple[FunctionType, CodeType]] = []
    for living in gc.get_objects():
        if isinstance(living, FunctionType) and living.__code__.co_filename == str(path):
            name = living.__code__.co_qualname
            if name == function or name.startswith(f"{function}.<locals>"):
                code = fresh.get((name, living.__code__.co_firstlineno))
                if code is None or code.co_freevars != living.__code__.co_freevars:
                    return False
                changed.append((living, code))
    for living, code in changed:
        living.__code__ = code
    return any(living.__code__.co_qualname == function for living, _ in changed)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def import_with(path: Path, number: int | None, *, forgotten: Sequence[str]) -> None:
    """Lets the next import of the module bring the fault, or none, and forgets what was imported of these packages."""
    for name in list(sys.modules):
        if name.partition(".")[0] in forgotten and not f"{name}.".startswith("tests.mutation."):
            del sys.modules[name]
    sys.meta_path.insert(0, _Finder(path, number))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, path: Path, number: int | None) -> None:
        self._path, self._number = path, number

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin == str(self._path):
            spec.loader = _Loader(fullname, str(self._path), self._number)
            return spec
        return None


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, number: int | None) -> None:
        super().__init__(fullname, path)
        self._number = number

    def get_code(self, fullname: str) -> CodeType:
        return compile(mutated(Path(self.path).read_text("utf-8"), self._number), self.path, "exec")
