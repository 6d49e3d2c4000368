"""Which tests run which lines of the modules under test."""

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

Line = tuple[str, int]
"""A file's absolute path and a line of it."""


@dataclass(slots=True, kw_only=True)
class Reach:
    """What was run by whom, while it is being found out."""

    files: frozenset[str]
    at_import: set[Line] = field(default_factory=set[Line])
    """Lines that the import of the modules, or of a test module, runs."""
    by_test: dict[str, set[Line]] = field(default_factory=dict[str, set[Line]])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """Of the processor, while being watched."""
    running_now: set[Line] = field(init=False)
    """Where the lines go that run at this moment."""

    def __post_init__(self) -> None:
        self.running_now = self.at_import

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follows every thread that starts meanwhile; what runs counts as run at import, but for `running`."""
        before = sys.gettrace()
        threading.settrace(self._each_call)
        sys.settrace(self._each_call)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(before)

    @contextmanager
    def running(self, test: str) -> Iterator[None]:
        """Counts what runs meanwhile as run by that test."""
        began = time.process_time()
        # Threads of a pool outlive the test that started them, so they must follow the name and not a closure.
        self.running_now = self.by_test.setdefault(test, set())
        yield
        self.running_now = self.at_import
        self.seconds[test] = time.process_time() - began

    def tests_of_line(self, path: Path, line: int) -> list[str]:
        """The tests that run the line, the quickest first."""
        return self._sorted(test for test, lines in self.by_test.items() if (str(path), line) in lines)

    def tests_of_module(self, path: Path, *, besides: str) -> list[str]:
        """The tests that run anything of the module, and those below a directory, the quickest first.

        A test that only reads what the module defines runs nothing of it, and stands in that directory.
        """
        file = str(path)
        return self._sorted(
            test
            for test, lines in self.by_test.items()
            if test.startswith(besides) or any(name == file for name, _ in lines)
        )

    def _sorted(self, tests: Iterable[str]) -> list[str]:
        return sorted(tests, key=self.seconds.__getitem__)

    def _each_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._each_line if frame.f_code.co_filename in self.files else None

    def _each_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.running_now.add((frame.f_code.co_filename, frame.f_lineno))
        return self._each_line
