"""The engine beside the bare floor, and beside CrewAI where it is asked for: one command, one table.

    python benchmarks/engine.py                  ours, the floor, and the floor with our engine's writes
    python benchmarks/engine.py --peer           CrewAI too, in an environment made for it in a temporary folder
    python benchmarks/engine.py --work /dev/shm  databases in memory: what remains is the processor's time

Every measurement runs in a fresh process; the systems take turns, so that a noisy machine disturbs all of them alike.
Read the ratios: an absolute number may be off by three times, a ratio taken in one round is not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEER = "crewai==1.15.30"
QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "OTEL_SDK_DISABLED": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
}
FLOOR_IMPORT = "import asyncio, sqlite3, pydantic"
IMPORTS = {
    "floor": FLOOR_IMPORT,
    "flows": "from flows import Flow, start, listen",
    "crewai": "from crewai.flow.flow import Flow, start, listen",
}
CASES: list[tuple[str, list[int]]] = [
    ("import", [0]),
    ("chain", [10, 100, 1000]),
    ("chain_sync", [10, 100, 1000]),
    ("loop_self", [10, 100, 1000]),
    ("loop_pair", [10, 100, 1000]),
    ("fan_out", [10, 100, 1000]),
    ("pause", [10, 1000, 100_000]),
    ("concurrent", [200]),
]
IMPORT = """import json, time
begun_at = time.perf_counter()
{}
took = time.perf_counter() - begun_at
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps({{"import_ms": took * 1e3, "peak_MB": peak}}), flush=True)
"""

ONLY_STORED = ("pause", "concurrent")
"""The cases of the floor that stores every step."""

Key = tuple[str, int, str]


def peer_python() -> Path:
    """An interpreter with the peer installed, in a temporary folder; never a dependency of the project."""
    folder = Path(tempfile.gettempdir()) / "placet-bench-peer"
    python, mark = folder / "bin/python", folder / PEER
    if not mark.exists():
        print(f"making an environment with {PEER} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
        mark.touch()
    return python


def measure(system: str, python: Path, case: str, n: int, work: Path) -> dict[str, float] | None:
    """One measurement in a fresh process; None when it does not end well."""
    folder = Path(tempfile.mkdtemp(dir=work))
    code = ["-c", IMPORT.format(IMPORTS[system])] if case == "import" else []
    script = code or [str(HERE / "workloads.py"), system, case, str(n), str(folder)]
    environment = {**os.environ, **QUIET, "HOME": str(folder), "PYTHONPATH": str(ROOT) if system == "flows" else ""}
    try:
        done = subprocess.run(
            [python, *script], env=environment, capture_output=True, text=True, check=False, timeout=300, cwd=folder
        )
        return (
            json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else _failed(system, case, n, done)
        )
    except subprocess.TimeoutExpired:
        print(f"{system} {case} {n}: no end within 300 s", file=sys.stderr)
        return None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _failed(system: str, case: str, n: int, done: subprocess.CompletedProcess[str]) -> None:
    print(f"{system} {case} {n}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)


def rounds(systems: dict[str, Path], count: int, work: Path, largest: int) -> dict[Key, dict[str, list[float]]]:
    """(case, n, metric) → system → one value for each round."""
    found: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(count):
        for case, sizes in CASES:
            for n in (size for size in sizes if size <= largest):
                for system, python in systems.items():
                    if system == "writes" and case not in ONLY_STORED:
                        continue
                    for metric, value in (measure(system, python, case, n, work) or {}).items():
                        found[case, n, metric][system].append(value)
    return found


def table(found: dict[Key, dict[str, list[float]]], systems: list[str]) -> Iterator[str]:
    """The table, in brackets the ratio of ours to the other system, the median over the rounds."""
    yield "| case | N | metric | ours | " + " | ".join(other for other in systems if other != "flows") + " |"
    yield "|---|---|---|---|" + "---|" * (len(systems) - 1)
    for (case, n, metric), values in found.items():
        ours = values.get("flows", [])
        cells = [f"{statistics.median(ours):.3g}" if ours else "-"]
        for other in systems:
            if other != "flows":
                theirs = values.get(other, [])
                ratios = [mine / its for mine, its in zip(ours, theirs, strict=False)]
                cells.append(f"{statistics.median(theirs):.3g} (× {statistics.median(ratios):.3g})" if ratios else "-")
        yield f"| {case} | {n or ''} | {metric} | " + " | ".join(cells) + " |"
    for case in ("chain", "chain_sync", "loop_self", "loop_pair", "fan_out"):
        small, large = (found.get((case, n, "us_per_step"), {}).get("flows") for n in (10, 1000))
        if small and large:
            yield (
                f"| {case} | 1000 / 10 | us_per_step | × {statistics.median(large) / statistics.median(small):.3g} |"
                + " |" * (len(systems) - 1)
            )


def syncs(work: Path) -> str:
    """How many fsyncs one pause and resume cycle costs on disk, counted by strace."""
    if shutil.which("strace") is None:
        return "fsyncs of a cycle: not counted (strace is not installed)"
    cycles, traced = 20, ["strace", "-f", "-e", "trace=fsync,fdatasync,write"]
    with tempfile.TemporaryDirectory(dir=work) as folder:
        done = subprocess.run(
            [*traced, sys.executable, HERE / "workloads.py", "flows", "fsyncs", str(cycles), folder],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
    between = done.stderr.partition("counted from here")[2].partition("counted to here")[0]
    return f"fsyncs of a pause and resume cycle: {(between.count('fsync(') + between.count('fdatasync(')) / cycles:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", action="store_true", help=f"measure {PEER} too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=100_000, help="leave out larger N")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()), help="where the databases lie")
    options = parser.parse_args()
    systems = {system: Path(sys.executable) for system in ("floor", "writes", "flows")}
    if options.peer:
        systems["crewai"] = peer_python()
    found = rounds(systems, options.rounds, options.work, options.largest)
    print(
        f"Medians of {options.rounds} rounds; in brackets ours divided by theirs, the median of the rounds' ratios.\n"
    )
    print("\n".join(table(found, list(systems))))
    print(f"\n{syncs(Path(tempfile.gettempdir()))}")


if __name__ == "__main__":
    main()
