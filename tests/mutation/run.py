"""Plants one small fault after another in modules and says which of them no test notices.

`python -m tests.mutation.run flows/graph flows/human_feedback` runs all; docs/mutation.md explains what is left.
Everything is imported once. Each fault gets a forked child with limits on its time and memory, which runs the tests
that reach the faulty line, the quickest first, until one fails.
"""

import argparse
import os
import pickle
import resource
import select
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import hypothesis
import pytest

from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.planting import import_with, plant
from tests.mutation.reach import Reach

ROOT = Path(__file__).parents[2]

TESTS = {
    "flows": (
        "tests/flows/graph",
        "tests/flows/human_feedback",
        "tests/spec/test_graph_rules.py",
        "tests/spec/test_running_rules.py",
        "tests/spec/test_feedback_rules.py",
        "tests/spec/test_pause_rules.py",
        "tests/spec/test_ask_rules.py",
        "tests/spec/test_picture_rules.py",
    ),
    "bot": (
        "tests/bot/reviews/test_machine.py",
        "tests/bot/reviews/test_transitions.py",
        "tests/bot/reviews/test_policy.py",
        "tests/bot/reviews/test_deadlines.py",
        "tests/bot/reviews/test_service.py",
        "tests/bot/reviews/test_audit_chain.py",
        "tests/bot/reviews/test_audit_record.py",
        "tests/bot/reviews/test_audit_signing.py",
    ),
}
"""What must notice a fault in each package: the quick tests of its modules, and of the rules they carry out."""

CPU, WALL = 5, 300.0
"""Seconds that one fault may take beyond its tests' own: of the processor, and in all; more means it never ends."""
MEMORY = 2 << 30
"""Bytes that one fault may take."""

UNPLANTED = 2
"""How a child ends that could not change the living functions; the module is then imported anew."""

Verdict = Literal["killed", "endless", "survived", "unplanted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks for."""

    modules: tuple[Path, ...]
    every: int
    lines: frozenset[int]


class Server:
    """A plugin that, instead of running the tests, plants each fault and runs the tests that reach it."""

    def __init__(self, options: Options, reach: Reach) -> None:
        self.results: dict[Path, list[tuple[Mutant, Verdict]]] = {}
        self._options, self._reach = options, reach

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the faults."""
        items = {item.nodeid: item for item in session.items}
        self._reach = _in_child(lambda: _baseline(session, self._reach))
        every = list(items)
        if _fate(lambda: _fails_anew(self._options.modules[0], None, every), self._limit(every)) != "survived":
            pytest.exit("The tests must pass after a new import, too.", returncode=2)
        print(f"\n{len(items)} tests pass without a fault.", flush=True)
        for path in self._options.modules:
            found = self.results.setdefault(path, [])
            for mutant in mutants_of(path.read_text("utf-8"))[:: self._options.every]:
                if self._options.lines and mutant.line not in self._options.lines:
                    continue
                verdict = self._verdict(path, mutant, items)
                found.append((mutant, verdict))
                if verdict == "survived":
                    print(f"{path.relative_to(ROOT)}:{mutant}", flush=True)
        return True

    def _verdict(self, path: Path, mutant: Mutant, items: dict[str, pytest.Item]) -> Verdict:
        verdict: Verdict = "survived"
        function = mutant.function
        is_at_import = function is None or (str(path), mutant.line) in self._reach.at_import
        if function is not None:
            names = self._reach.tests_of_line(path, mutant.line)
            chosen = [items[name] for name in names]
            verdict = _fate(lambda: _fails_with(path, mutant.number, function, chosen), self._limit(names))
        if verdict == "unplanted" or (verdict == "survived" and is_at_import):
            reaching = self._reach.tests_of_module(path, besides=f"tests/{_package(path)}/")
            verdict = _fate(lambda: _fails_anew(path, mutant.number, reaching), self._limit(reaching))
        return verdict

    def _limit(self, tests: Sequence[str]) -> int:
        return CPU + int(2 * sum(self._reach.seconds[name] for name in tests))


class Chosen:
    """A plugin that keeps these tests only, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drops and sorts."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._places), key=lambda item: self._places[item.nodeid]
        )


def _baseline(session: pytest.Session, reach: Reach) -> Reach:
    for at, item in enumerate(session.items):
        following = session.items[at + 1] if at + 1 < len(session.items) else None
        with reach.watching(), reach.running(item.nodeid):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            raise RuntimeError(f"{item.nodeid} fails without any fault")
    return reach


def _fails(items: Sequence[pytest.Item]) -> bool:
    for at, item in enumerate(items):
        following = items[at + 1] if at + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return True
    return False


def _fails_with(path: Path, number: int, function: str, items: Sequence[pytest.Item]) -> int:
    return int(_fails(items)) if plant(path, number, function) else UNPLANTED


def _fails_anew(path: Path, number: int | None, tests: Sequence[str]) -> int:
    import_with(path, number, forgotten=("flows", "bot", "tests"))
    files = dict.fromkeys(name.partition("::")[0] for name in tests)
    return int(pytest.main([*_arguments(), "-x", *files], plugins=[Chosen(tests)]) != pytest.ExitCode.OK)


def _fate(fails: Callable[[], int], cpu: int) -> Verdict:
    child = os.fork()
    if child == 0:
        _run_quietly(fails, cpu)
    descriptor = os.pidfd_open(child)
    ended, _, _ = select.select([descriptor], [], [], WALL)
    os.close(descriptor)
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "endless"
    code = os.WEXITSTATUS(status)
    return "survived" if code == 0 else "unplanted" if code == UNPLANTED else "killed"


def _run_quietly(fails: Callable[[], int], cpu: int) -> None:
    """Ends this process with what the work gives: 1 when a test fails, 0 when none does."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        # A forked child begins with no time spent.
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = fails()
    finally:
        os._exit(code)


def _in_child(work: Callable[[], Any]) -> Any:
    """What the work gives, done in a forked child so that nothing of it is left in this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
        except BaseException as error:
            print(f"{error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        pytest.exit("The tests must pass before faults are planted.", returncode=2)
    return pickle.loads(written)


def _arguments() -> list[str]:
    kept = "not slow and not browser and not postgres"
    return [
        "-q",
        "-s",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "-o",
        "timeout=40",
        "-m",
        kept,
        "--rootdir",
        str(ROOT),
    ]


def _package(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def _modules(given: Sequence[str]) -> tuple[Path, ...]:
    paths = [Path(name).resolve() for name in given]
    return tuple(found for path in paths for found in ([path] if path.is_file() else sorted(path.glob("*.py"))))


def main() -> int:
    """Parses the command line, runs the faults, and prints the counts; 1 when fewer than nine in ten are killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="+", help="module files, or packages")
    parser.add_argument("--every", type=int, default=1, help="only every n-th fault")
    parser.add_argument("--lines", type=int, nargs="*", default=(), help="only faults on these lines")
    given = parser.parse_args()
    options = Options(modules=_modules(given.modules), every=given.every, lines=frozenset(given.lines))
    os.chdir(ROOT)
    # The same examples every time, none remembered, none made smaller: a fault's fate must not be luck.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutation", derandomize=True, database=None, phases=phases)
    hypothesis.settings.load_profile("mutation")
    packages = {_package(path) for path in options.modules}
    tests = [test for package in sorted(packages) for test in TESTS[package]]
    reach = Reach(files=frozenset(map(str, options.modules)))
    server = Server(options, reach)
    with reach.watching():
        status = pytest.main([*_arguments(), "--co", "-qq", *tests])
    if status != pytest.ExitCode.OK:
        return int(status)
    pytest.main([*_arguments(), "--no-summary", *tests], plugins=[server])
    return _report(server.results)


def _report(results: dict[Path, list[tuple[Mutant, Verdict]]]) -> int:
    print(f"{'module':44} {'faults':>6} {'killed':>6} {'endless':>7} {'left':>5} {'share':>6}")
    total, left = 0, 0
    for path, found in results.items():
        verdicts: list[Verdict] = [verdict for _, verdict in found]
        if verdicts:
            _line(str(path.relative_to(ROOT)), verdicts)
        total += len(verdicts)
        left += verdicts.count("survived")
    _line("all", [verdict for found in results.values() for _, verdict in found])
    return int(total == 0 or left > total * 0.1)


def _line(name: str, verdicts: Sequence[Verdict]) -> None:
    killed, endless, left = (verdicts.count(verdict) for verdict in ("killed", "endless", "survived"))
    share = 100 * (1 - left / len(verdicts)) if verdicts else 0.0
    print(f"{name:44} {len(verdicts):6} {killed:6} {endless:7} {left:5} {share:5.1f}%")


if __name__ == "__main__":
    sys.exit(main())
