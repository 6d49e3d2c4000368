"""T13: two processes, one database, 1,000 acts in an order that nobody chose: each review ends once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from bot.reviews import record
from bot.reviews.audit_check import verify
from bot.types import RunId, TeamId

T1 = TeamId("T1")
RIVAL = Path(__file__).with_name("rival.py")
REVIEWS, ACTS = 100, 500
ENDS = {"decided", "auto_rejected", "cancelled"}
TERMINAL = {"approved", "rejected", "auto_rejected", "cancelled"}


def fight(address: tuple[str, str], folder: Path) -> list[dict]:
    """What each of two processes did. Each hears how far the other has come."""
    (one_hears, other_says), (other_hears, one_says) = os.pipe(), os.pipe()
    reports = [folder / "one.json", folder / "other.json"]
    rivals = [
        subprocess.Popen(
            [sys.executable, RIVAL, *address, str(seed), str(ACTS), str(REVIEWS), reports[seed]],
            stdin=hears,
            stdout=says,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed, (hears, says) in enumerate([(one_hears, one_says), (other_hears, other_says)])
    ]
    for end in (one_hears, other_says, other_hears, one_says):
        os.close(end)
    try:
        ends = [(each.communicate(timeout=60)[1], each.returncode) for each in rivals]
    finally:
        for each in rivals:
            each.kill()
            each.wait()
    assert ends == [("", 0)] * 2
    return [json.loads(report.read_text("utf-8")) for report in reports]


@pytest.mark.slow
@pytest.mark.timeout(150)
async def test_two_processes_end_each_review_once(address, reviews, opened, clock, db, tmp_path) -> None:
    names = []
    for n in range(REVIEWS):
        names.append((await opened(f"rv{n:03}", ts=f"{n}.0", run=RunId(f"run{n}"))).id)
        clock.advance(timedelta(seconds=10))

    one, other = fight(address, tmp_path)

    # One end for each, and whoever made it was told so; nobody else was.
    assert sorted(one["settled"] + other["settled"]) == names
    assert set(one["verdicts"]) | set(other["verdicts"]) <= {
        "Won",
        "AlreadyResolved",
        "Stale",
        "escalated",
        "not escalated",
    }
    assert min(len(one["settled"]), len(other["settled"])) > 0
    found = [await reviews.store.get(T1, name) for name in names]
    assert {review.state for review in found} <= TERMINAL
    records = [await reviews.store.audit(T1, name) for name in names]
    assert [sum(entry.kind in ENDS for entry in entries) for entries in records] == [1] * REVIEWS
    # The record and the review say the same, step by step.
    assert [entries[-1].to_state for entries in records] == [review.state for review in found]
    assert [entries[-1].version for entries in records] == [review.version for review in found]

    async with db.tx() as tx:
        resumes = sorted(row[0] for row in await tx.run("select key from inbox where kind = 'resume'"))
        head = await record.head(tx, T1)
        rows = await record.rows(tx, T1, 0, 10_000)
    assert resumes == [f"resume:{review.id}:{review.version}" for review in found if review.state != "cancelled"]
    assert head is not None
    assert verify(rows, head, head.public_key) is None
    assert [row.n for row in rows] == list(range(1, len(rows) + 1))
