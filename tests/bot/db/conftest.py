"""A PostgreSQL of the tests' own: made, started on a socket in a temporary folder, and stopped again."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb") or ""]
    if not found[-1]:
        reason = "PostgreSQL's server is not installed; get it with: apt-get install postgresql"
        if os.environ.get("REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)
    tools = Path(found[-1]).parent
    # initdb refuses to run as root: the folder and the server belong to the user that the package made.
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="placet-pg-") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        run = {"check": True, "capture_output": True, "user": user, "timeout": 60, "cwd": folder}
        subprocess.run([tools / "initdb", "-A", "trust", "-U", "placet", "-D", data], **run)
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        subprocess.run([tools / "pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start"], **run)
        try:
            yield f"host={folder} user=placet dbname=postgres"
        finally:
            subprocess.run([tools / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **run)
