"""Writes what the peer does with every case to peer.json: `python -m tests.differential.run_peer`.

It makes an environment outside the repository, installs the peer there, and runs the cases in a process of that
environment, each within a time limit. Run it again after a case was added or changed; the tests read only the file.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from tests.differential.catalog import CASES

PEER = "crewai==1.15.30"
RESULTS = Path(__file__).with_name("peer.json")
ROOT = Path(__file__).parents[2]

LOADING, CASE = 180.0, 30.0
"""Time limits in seconds: for the peer's import, and for one case."""

QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}


def main() -> None:
    """Parses the command line, runs the cases, and writes the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", type=Path, help=f"an interpreter that has {PEER}; by default one is made")
    parser.add_argument("cases", nargs="*", help="run these cases only and keep the other results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        python = options.python or environment(Path(scratch) / "venv")
        found = asyncio.run(values_of(python, Path(scratch), options.cases or list(CASES)))
    kept = json.loads(RESULTS.read_text("utf-8"))["cases"] if options.cases and RESULTS.exists() else {}
    cases = {name: values for name, values in {**kept, **found}.items() if name in CASES}
    text = json.dumps({"peer": PEER, "cases": cases}, indent=1, ensure_ascii=False, sort_keys=True)
    RESULTS.write_text(text + "\n", "utf-8")
    print(f"{len(found)} of {len(cases)} cases run on {PEER}")


def environment(place: Path) -> Path:
    """The interpreter of a new environment that holds the peer."""
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


async def values_of(python: Path, scratch: Path, names: list[str]) -> dict[str, Any]:
    """The values of each case. A case that takes too long counts as a TimeoutError, and a new process goes on."""
    found: dict[str, Any] = {}
    waiting = list(names)
    while waiting:
        worker = await asyncio.create_subprocess_exec(
            python,
            "-m",
            "tests.differential.peer_worker",
            *waiting,
            env={**os.environ, **QUIET, "PYTHONPATH": str(ROOT), "HOME": str(scratch), "CREWAI_STORAGE_DIR": "storage"},
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            limit=2**22,
        )
        assert worker.stdout is not None
        try:
            if not await asyncio.wait_for(worker.stdout.readline(), LOADING):
                sys.exit(f"the peer could not be loaded by {python}")
            while waiting:
                name, values = await _next_values(worker.stdout, waiting[0])
                found[name] = values
                waiting.remove(name)
                if values == {"raised": "TimeoutError"}:
                    break
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()
    return found


async def _next_values(lines: asyncio.StreamReader, name: str) -> tuple[str, Any]:
    try:
        line = await asyncio.wait_for(lines.readline(), CASE)
    except TimeoutError:
        line = b""
    # An empty line: the process died over this case, which to the reader is the same as never ending.
    return tuple(json.loads(line)) if line else (name, {"raised": "TimeoutError"})


if __name__ == "__main__":
    main()
