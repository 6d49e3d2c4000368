"""Runs in one SQLite file: states, checkpoints, steps and open questions.

Every table starts with `flow_`, so another package may share the file. Every key starts with a namespace, so one file
can serve callers whose run ids collide. Times are put in from the clock, never from SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pydantic

from flows.config import store_file
from flows.outcomes import Outcome
from flows.persistence.codec import from_text, to_text
from flows.persistence.contexts import shown_context
from flows.persistence.sqlite_file import SqliteFile
from flows.persistence.state_data import state_dict
from flows.persistence.types_registry import module_of
from flows.ports import Clock, FlowPersistence, SystemClock, moment_of
from flows.types import (
    Checkpoint,
    OpenedRequest,
    PendingFeedbackContext,
    PendingRequest,
    RequestStatus,
    RunRecord,
    RunStatus,
    StoredRun,
)


class SQLiteFlowPersistence(FlowPersistence):
    """Keeps runs in one SQLite file, safe for several threads, store objects and processes.

    Decisions and pauses are committed with FULL synchronisation, checkpoints and ends with NORMAL.
    Source: human feedback guide, "Best practices for async feedback" (the default store).
    """

    def __init__(self, db_path: str | Path | None = None, *, namespace: str = "", clock: Clock | None = None) -> None:
        self.db_path = Path(db_path) if db_path is not None else store_file()
        self.namespace = namespace
        self._clock: Clock = clock or SystemClock()
        self._file = SqliteFile(self.db_path)
        self.init_db()

    def init_db(self) -> None:
        """Opens the file and makes the tables; harmless when they are there.

        Raises PersistenceError when the file cannot be used, or a newer version of this package wrote it.
        """
        self._file.prepare()

    def close(self) -> None:
        """Closes the file. A later call opens it again."""
        self._file.close()

    def together(self, calls: Sequence[Callable[[], Any]]) -> list[Outcome]:
        """What several calls to this store returned or raised, in their order, with one commit for what they write."""
        return self._file.together(calls)

    def save_state(self, flow_uuid: str, method_name: str, state_data: Mapping[str, Any] | pydantic.BaseModel) -> None:
        """Keeps a snapshot in place of the one before. Raises CodecError for a value whose type cannot be kept."""
        text = to_text(state_dict(state_data), path="state")
        with self._file.transaction("NORMAL") as tx:
            # Only the newest is ever loaded; a copy for each step would grow with the run.
            tx.execute("DELETE FROM flow_states WHERE namespace = ? AND flow_id = ?", (self.namespace, flow_uuid))
            tx.execute(
                "INSERT INTO flow_states (namespace, flow_id, method_name, state, saved_at) VALUES (?, ?, ?, ?, ?)",
                (self.namespace, flow_uuid, method_name, text, self._now()),
            )

    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        """The newest snapshot, or None."""
        row = self._row(
            "SELECT state FROM flow_states WHERE namespace = ? AND flow_id = ? ORDER BY n DESC LIMIT 1", flow_uuid
        )
        return None if row is None else from_text(row["state"], path="state")

    def save_pending_feedback(
        self, flow_uuid: str, context: PendingFeedbackContext, state_data: Mapping[str, Any] | pydantic.BaseModel
    ) -> None:
        """Stores a question with the state at the pause; a repeated request id keeps the first row's place."""
        request = OpenedRequest(context=context, callback_info={}, state=state_dict(state_data))
        with self._file.transaction("FULL") as tx:
            self._insert_request(tx, flow_uuid, request)

    def load_pending_feedback(self, flow_uuid: str) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        """State and context of the oldest open question, or None."""
        row = self._row(
            "SELECT * FROM flow_pending WHERE namespace = ? AND flow_id = ? AND status = 'pending' ORDER BY n LIMIT 1",
            flow_uuid,
        )
        if row is None:
            return None
        home = module_of(row["flow_class"])
        context = cast("PendingFeedbackContext", from_text(row["context"], home=home, path="context"))
        return from_text(row["state"], home=home, path="state"), context

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        """Removes every question of the flow."""
        with self._file.transaction("NORMAL") as tx:
            tx.execute("DELETE FROM flow_pending WHERE namespace = ? AND flow_id = ?", (self.namespace, flow_uuid))

    def claim(
        self, request_id: str, outcome: str | None, text: str, by: str | None, *, replaced_output: str | None = None
    ) -> bool:
        """Whether this call decided the request: one conditional UPDATE, so that exactly one caller is told yes."""
        with self._file.transaction("FULL") as tx:
            changed = tx.execute(
                "UPDATE flow_pending SET status = 'decided', outcome = ?, feedback = ?, decided_by = ?,"
                " replaced_output = ?, decided_at = ?"
                " WHERE namespace = ? AND request_id = ? AND status = 'pending'",
                (outcome, text, by, replaced_output, self._now(), self.namespace, request_id),
            )
            return changed.rowcount == 1

    def checkpoint(self, checkpoint: Checkpoint) -> bool:
        """Stores where a run stands, in one transaction; False when the stored run is not at the version before."""
        with self._file.transaction("FULL" if checkpoint.opened or checkpoint.status == "paused" else "NORMAL") as tx:
            if not self._write_run(tx, checkpoint):
                return False
            for position, step in checkpoint.steps:
                tx.execute(
                    "INSERT INTO flow_steps (namespace, flow_id, position, step) VALUES (?, ?, ?, ?)",
                    (self.namespace, checkpoint.flow_id, position, step),
                )
            for request_id in checkpoint.closed:
                tx.execute(
                    "DELETE FROM flow_pending WHERE namespace = ? AND request_id = ?", (self.namespace, request_id)
                )
            for request in checkpoint.opened:
                self._insert_request(tx, checkpoint.flow_id, request)
            return True

    def load_checkpoint(self, flow_uuid: str) -> StoredRun | None:
        """What the engine needs to go on with a run, or None."""
        with self._file.moment():
            run = self._row("SELECT * FROM flow_runs WHERE namespace = ? AND flow_id = ?", flow_uuid)
            steps = self._rows(
                "SELECT step FROM flow_steps WHERE namespace = ? AND flow_id = ? ORDER BY position", flow_uuid
            )
            requests = tuple(self.list_pending(flow_uuid))
        if run is not None:
            return StoredRun(
                flow_id=flow_uuid,
                flow_class=run["flow_class"],
                status=run["status"],
                version=run["version"],
                body=run["body"],
                steps=tuple(row["step"] for row in steps),
                requests=requests,
            )
        return super().load_checkpoint(flow_uuid) if requests else None

    def checkpoint_version(self, flow_uuid: str) -> int | None:
        """The number of the run's last checkpoint, or None."""
        row = self._row("SELECT version FROM flow_runs WHERE namespace = ? AND flow_id = ?", flow_uuid)
        return None if row is None else row["version"]

    def load_run(self, flow_uuid: str) -> RunRecord | None:
        """Where a run stands, or None when it is unknown.

        A paused run with an answered question counts as running: its answer is taken and its steps are due.
        Raises CodecError when its result is of a class that is unknown here.
        """
        with self._file.moment():
            row = self._row("SELECT * FROM flow_runs WHERE namespace = ? AND flow_id = ?", flow_uuid)
            decided = self._row(
                "SELECT 1 FROM flow_pending WHERE namespace = ? AND flow_id = ? AND status = 'decided' LIMIT 1",
                flow_uuid,
            )
        return None if row is None else _record(row, has_decided=decided is not None)

    def list_pending(self, flow_uuid: str | None = None) -> list[PendingRequest]:
        """Stored questions, oldest first; of all runs of the namespace when no id is given."""
        if flow_uuid is None:
            rows = self._rows("SELECT * FROM flow_pending WHERE namespace = ? ORDER BY n")
        else:
            rows = self._rows("SELECT * FROM flow_pending WHERE namespace = ? AND flow_id = ? ORDER BY n", flow_uuid)
        return [_request(row) for row in rows]

    def purge(self, before: datetime) -> int:
        """Removes finished runs last changed before this moment, with all that belongs to them; returns how many.

        A snapshot of that age whose run was never stored, and which waits for nobody, counts as one too.
        """
        limit = moment_of(before).isoformat()
        old = "SELECT flow_id FROM flow_runs WHERE namespace = ? AND status = 'finished' AND updated_at < ?"
        with self._file.transaction("NORMAL") as tx:
            for table in ("flow_steps", "flow_pending", "flow_states"):
                tx.execute(
                    f"DELETE FROM {table} WHERE namespace = ? AND flow_id IN ({old})",  # noqa: S608 - the names stand above
                    (self.namespace, self.namespace, limit),
                )
            runs = tx.execute(
                "DELETE FROM flow_runs WHERE namespace = ? AND status = 'finished' AND updated_at < ?",
                (self.namespace, limit),
            ).rowcount
            snapshots = tx.execute(
                "DELETE FROM flow_states WHERE namespace = ? AND saved_at < ?"
                " AND flow_id NOT IN (SELECT flow_id FROM flow_runs WHERE namespace = ?)"
                " AND flow_id NOT IN (SELECT flow_id FROM flow_pending WHERE namespace = ?)",
                (self.namespace, limit, self.namespace, self.namespace),
            ).rowcount
            return runs + snapshots

    def _write_run(self, tx: sqlite3.Cursor, checkpoint: Checkpoint) -> bool:
        now = self._now()
        written = (
            checkpoint.flow_class,
            checkpoint.status,
            checkpoint.version,
            checkpoint.body,
            checkpoint.result,
            checkpoint.error,
            checkpoint.gate_decided,
            to_text(list(checkpoint.interrupted)),
            now,
        )
        if not checkpoint.is_first:
            changed = tx.execute(
                "UPDATE flow_runs SET flow_class = ?, status = ?, version = ?, body = ?, result = ?, error = ?,"
                " gate_decided = ?, interrupted = ?, updated_at = ?"
                " WHERE namespace = ? AND flow_id = ? AND version = ?",
                (*written, self.namespace, checkpoint.flow_id, checkpoint.version - 1),
            )
            return changed.rowcount == 1
        for table in ("flow_steps", "flow_pending"):
            tx.execute(
                f"DELETE FROM {table} WHERE namespace = ? AND flow_id = ?",  # noqa: S608 - the names stand above
                (self.namespace, checkpoint.flow_id),
            )
        tx.execute(
            "INSERT OR REPLACE INTO flow_runs (flow_class, status, version, body, result, error, gate_decided,"
            " interrupted, updated_at, namespace, flow_id, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*written, self.namespace, checkpoint.flow_id, now),
        )
        return True

    def _insert_request(self, tx: sqlite3.Cursor, flow_id: str, request: OpenedRequest) -> None:
        context = request.context
        tx.execute(
            "INSERT INTO flow_pending (namespace, request_id, flow_id, flow_class, method_name, status, context,"
            " callback_info, state, requested_at) VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)"
            " ON CONFLICT (namespace, request_id) DO UPDATE SET context = excluded.context,"
            " callback_info = excluded.callback_info, state = excluded.state",
            (
                self.namespace,
                context.request_id,
                flow_id,
                context.flow_class,
                context.method_name,
                to_text(context, path="context"),
                to_text(request.callback_info, path="callback_info"),
                request.state_text or to_text(request.state, path="state"),
                context.requested_at.isoformat(),
            ),
        )

    def _rows(self, sql: str, *arguments: str) -> list[sqlite3.Row]:
        return self._file.rows(sql, (self.namespace, *arguments))

    def _row(self, sql: str, *arguments: str) -> sqlite3.Row | None:
        rows = self._rows(sql, *arguments)
        return rows[0] if rows else None

    def _now(self) -> str:
        return self._clock.now().isoformat()


def _request(row: sqlite3.Row) -> PendingRequest:
    home = module_of(row["flow_class"])
    context = shown_context(row["context"], home=home)
    return PendingRequest(
        flow_id=row["flow_id"],
        request_id=row["request_id"],
        method_name=row["method_name"],
        status=cast("RequestStatus", row["status"]),
        outcome=row["outcome"],
        feedback=row["feedback"],
        by=row["decided_by"],
        context=context,
        callback_info=from_text(row["callback_info"], home=home, path="callback_info"),
        requested_at=context.requested_at,
        replaced_output=row["replaced_output"],
    )


def _record(row: sqlite3.Row, *, has_decided: bool) -> RunRecord:
    home = module_of(row["flow_class"])
    status = cast("RunStatus", row["status"])
    interrupted: Sequence[str] = from_text(row["interrupted"])
    return RunRecord(
        flow_id=row["flow_id"],
        flow_class=row["flow_class"],
        status="running" if status == "paused" and has_decided else status,
        result=None if row["result"] is None else from_text(row["result"], home=home, path="result"),
        error=row["error"],
        gate_decided=bool(row["gate_decided"]) or has_decided,
        interrupted=tuple(interrupted),
        started_at=datetime.fromisoformat(row["started_at"]),
        updated_at=datetime.fromisoformat(row["updated_at"]),
    )
