"""Runs the cases named on the command line on the peer, and prints one JSON line for each."""

import ipaddress
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.differential.case import perform
from tests.differential.catalog import CASES
from tests.differential.engine import Engine, load_engine

_connect = socket.socket.connect


def _guarded(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6) and not ipaddress.ip_address(str(address[0])).is_loopback:
        raise OSError("the cases stay on loopback")
    _connect(self, address)


def without_memory(engine: Engine) -> Engine:
    """The same names, with a base class whose flows keep no memory of their own: it costs seconds for each flow."""

    class Lean(engine.Flow):
        _skip_auto_memory = True

    engine.Flow = Lean
    return engine


def main(names: list[str]) -> None:
    """Writes a first line when all is loaded, then one line for each case."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The peer draws panels on both; only the lines above are read.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    socket.socket.connect = _guarded  # type: ignore[method-assign]
    print("ready", file=lines, flush=True)
    for name in names:
        with tempfile.TemporaryDirectory() as storage:
            engine = without_memory(load_engine("crewai.flow", "crewai", Path(storage)))
            values = perform(CASES[name], engine)
            engine.close()
        print(json.dumps([name, values], ensure_ascii=False), file=lines, flush=True)
    # Threads that the peer leaves behind would keep the process alive.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
