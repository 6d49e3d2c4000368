"""Runs in the memory of one process: for tests and for flows that need not outlive it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pydantic

from flows.persistence.codec import from_text, to_text
from flows.persistence.contexts import shown_context
from flows.persistence.state_data import state_dict
from flows.persistence.types_registry import module_of
from flows.ports import Clock, FlowPersistence, SystemClock, moment_of
from flows.types import Checkpoint, OpenedRequest, PendingFeedbackContext, PendingRequest, RunRecord, StoredRun


@dataclass(slots=True)
class _Run:
    latest: Checkpoint
    started_at: datetime
    updated_at: datetime
    steps: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(slots=True)
class _Request:
    row: PendingRequest
    context: str
    state: str


class MemoryFlowPersistence(FlowPersistence):
    """Keeps runs in dicts, through the same codec as the store on disk, so that types fail or survive alike."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock: Clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._states: dict[str, tuple[str, datetime]] = {}
        self._runs: dict[str, _Run] = {}
        self._requests: dict[str, _Request] = {}

    def init_db(self) -> None:
        """Nothing to make ready."""

    def close(self) -> None:
        """Nothing to close; what is stored stays."""

    def save_state(self, flow_uuid: str, method_name: str, state_data: Mapping[str, Any] | pydantic.BaseModel) -> None:
        """Keeps a snapshot in place of the one before. Raises CodecError for a value whose type cannot be kept."""
        text = to_text(state_dict(state_data), path="state")
        with self._lock:
            self._states[flow_uuid] = text, self._clock.now()

    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        """The newest snapshot, or None."""
        with self._lock:
            found = self._states.get(flow_uuid)
        return None if found is None else from_text(found[0], path="state")

    def save_pending_feedback(
        self, flow_uuid: str, context: PendingFeedbackContext, state_data: Mapping[str, Any] | pydantic.BaseModel
    ) -> None:
        """Stores a question with the state at the pause."""
        with self._lock:
            self._open(flow_uuid, OpenedRequest(context=context, callback_info={}, state=state_dict(state_data)))

    def load_pending_feedback(self, flow_uuid: str) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        """State and context of the oldest open question, or None."""
        with self._lock:
            for request in self._requests.values():
                if request.row.flow_id == flow_uuid and request.row.status == "pending":
                    home = module_of(request.row.context.flow_class)
                    context = from_text(request.context, home=home, path="context")
                    return from_text(request.state, home=home, path="state"), context
        return None

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        """Removes every question of the flow."""
        with self._lock:
            self._requests = {key: item for key, item in self._requests.items() if item.row.flow_id != flow_uuid}

    def claim(
        self, request_id: str, outcome: str | None, text: str, by: str | None, *, replaced_output: str | None = None
    ) -> bool:
        """Whether this call decided the request."""
        with self._lock:
            request = self._requests.get(request_id)
            if request is None or request.row.status != "pending":
                return False
            request.row = replace(
                request.row, status="decided", outcome=outcome, feedback=text, by=by, replaced_output=replaced_output
            )
            return True

    def checkpoint(self, checkpoint: Checkpoint) -> bool:
        """Stores where a run stands; False when the stored run is not at the version before."""
        now = self._clock.now()
        with self._lock:
            run = self._runs.get(checkpoint.flow_id)
            if checkpoint.is_first:
                self.clear_pending_feedback(checkpoint.flow_id)
                run = _Run(latest=checkpoint, started_at=now, updated_at=now)
            elif run is None or run.latest.version != checkpoint.version - 1:
                return False
            for request in checkpoint.opened:
                self._open(checkpoint.flow_id, request)
            for request_id in checkpoint.closed:
                self._requests.pop(request_id, None)
            run.latest, run.updated_at = checkpoint, now
            run.steps.update(checkpoint.steps)
            self._runs[checkpoint.flow_id] = run
            return True

    def load_checkpoint(self, flow_uuid: str) -> StoredRun | None:
        """What the engine needs to go on with a run, or None."""
        with self._lock:
            run = self._runs.get(flow_uuid)
            if run is None:
                return super().load_checkpoint(flow_uuid)
            return StoredRun(
                flow_id=flow_uuid,
                flow_class=run.latest.flow_class,
                status=run.latest.status,
                version=run.latest.version,
                body=run.latest.body,
                steps=tuple(run.steps[position] for position in sorted(run.steps)),
                requests=tuple(self.list_pending(flow_uuid)),
            )

    def checkpoint_version(self, flow_uuid: str) -> int | None:
        """The number of the run's last checkpoint, or None."""
        with self._lock:
            run = self._runs.get(flow_uuid)
        return None if run is None else run.latest.version

    def load_run(self, flow_uuid: str) -> RunRecord | None:
        """Where a run stands, or None when it is unknown. See the store on disk for a paused run with an answer."""
        with self._lock:
            run = self._runs.get(flow_uuid)
            if run is None:
                return None
            has_decided = any(
                item.row.flow_id == flow_uuid and item.row.status == "decided" for item in self._requests.values()
            )
            latest = run.latest
            home = module_of(latest.flow_class)
            return RunRecord(
                flow_id=flow_uuid,
                flow_class=latest.flow_class,
                status="running" if latest.status == "paused" and has_decided else latest.status,
                result=None if latest.result is None else from_text(latest.result, home=home, path="result"),
                error=latest.error,
                gate_decided=latest.gate_decided or has_decided,
                interrupted=latest.interrupted,
                started_at=run.started_at,
                updated_at=run.updated_at,
            )

    def list_pending(self, flow_uuid: str | None = None) -> list[PendingRequest]:
        """Stored questions, oldest first."""
        with self._lock:
            return [
                _read(item) for item in self._requests.values() if flow_uuid is None or item.row.flow_id == flow_uuid
            ]

    def purge(self, before: datetime) -> int:
        """Removes finished runs last changed before this moment, with all that belongs to them; returns how many.

        A snapshot of that age whose run was never stored, and which waits for nobody, counts as one too.
        """
        limit = moment_of(before)
        with self._lock:
            old = [
                flow_id
                for flow_id, run in self._runs.items()
                if run.latest.status == "finished" and run.updated_at < limit
            ]
            for flow_id in old:
                del self._runs[flow_id]
                self._states.pop(flow_id, None)
                self.clear_pending_feedback(flow_id)
            kept = {*self._runs, *(request.row.flow_id for request in self._requests.values())}
            left = [key for key, (_, saved_at) in self._states.items() if saved_at < limit and key not in kept]
            for flow_id in left:
                del self._states[flow_id]
            return len(old) + len(left)

    def _open(self, flow_id: str, request: OpenedRequest) -> None:
        context = request.context
        texts = to_text(context, path="context"), request.state_text or to_text(request.state, path="state")
        known = self._requests.get(context.request_id)
        if known is not None:
            known.context, known.state = texts
            known.row = replace(known.row, callback_info=request.callback_info)
            return
        row = PendingRequest(
            flow_id=flow_id,
            request_id=context.request_id,
            method_name=context.method_name,
            status="pending",
            outcome=None,
            feedback=None,
            by=None,
            context=context,
            callback_info=from_text(to_text(request.callback_info, path="callback_info")),
            requested_at=context.requested_at,
        )
        self._requests[context.request_id] = _Request(row, *texts)


def _read(request: _Request) -> PendingRequest:
    home = module_of(request.row.context.flow_class)
    return replace(request.row, context=shown_context(request.context, home=home))
