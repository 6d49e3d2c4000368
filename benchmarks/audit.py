"""How long a record takes to write, to verify and to export: on SQLite, through the same code as `placet audit`.

python benchmarks/audit.py                 100,000 rows
python benchmarks/audit.py --rows 10000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sqlite3
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cryptography

from bot import audit_files
from bot.db.sqlite import SqliteDb
from bot.reviews import record
from bot.reviews.model import AuditEntry, ReviewState
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

TEAM, SIGNER = TeamId("T1"), Signer(bytes(32))
SINGLES = 200


def entry(n: int) -> AuditEntry:
    return AuditEntry(
        review=ReviewId(f"rv{n // 3}"),
        version=n % 3,
        kind="decided",
        actor="T0123456789/U0123456789",
        actor_name="Ana Souza",
        from_state=ReviewState.PENDING,
        to_state=ReviewState.REJECTED,
        outcome="rejected",
        source="button",
        reason_code="wrong_amount",
        text="The amount is twice what the order says. " * 3,
        detail={"asked": ["U0123456789", "U0123456780"], "level": 1},
        payload_hash="0" * 64,
        policy_hash="1" * 64,
        at=datetime(2026, 11, 30, tzinfo=UTC) + timedelta(seconds=n),
    )


async def measured(path: Path, rows: int) -> dict[str, float]:
    db = await SqliteDb.open(path)
    begun = time.perf_counter()
    for first in range(0, rows - SINGLES, 1_000):
        async with db.tx() as tx:
            many = [entry(n) for n in range(first, min(first + 1_000, rows - SINGLES))]
            await record.append(tx, TEAM, many, signer=SIGNER, code_version="bench")
    append_s = time.perf_counter() - begun
    singles: list[float] = []
    for n in range(rows - SINGLES, rows):
        begun = time.perf_counter()
        async with db.tx() as tx:
            await record.append(tx, TEAM, [entry(n)], signer=SIGNER, code_version="bench")
        singles.append((time.perf_counter() - begun) * 1e3)
    await db.close()

    begun = time.perf_counter()
    [report] = await audit_files.check_database(path, team=None, public_key=SIGNER.public_key)
    verify_s = time.perf_counter() - begun
    assert report.finding is None, report.finding
    assert report.rows == rows

    out = path.with_name("record")
    begun = time.perf_counter()
    with audit_files.whole_file(out) as write:
        await audit_files.export_database(path, team=None, form="json", head_only=False, write=write)
    export_s = time.perf_counter() - begun
    begun = time.perf_counter()
    assert audit_files.check_export(out, public_key=SIGNER.public_key).finding is None
    return {
        "append_in_thousands_s": append_s,
        "append_one_committed_ms_median": statistics.median(singles),
        "append_one_committed_ms_p95": statistics.quantiles(singles, n=20)[-1],
        "verify_database_s": verify_s,
        "export_json_s": export_s,
        "export_json_MB": out.stat().st_size / 1e6,
        "verify_export_s": time.perf_counter() - begun,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    rows = max(parser.parse_args().rows, 2 * SINGLES)
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measured(Path(folder) / "placet.db", rows))
    versions = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "cryptography": cryptography.__version__,
    }
    rounded = {name: round(figure, 2) for name, figure in figures.items()}
    print(json.dumps({"rows": rows, **rounded, "versions": versions}, indent=1))


if __name__ == "__main__":
    main()
