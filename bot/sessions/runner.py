"""Start, resume and continue a flow, and say how it ended. Every call may come a second time after a crash."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import structlog

from bot.catalog import Catalog, FlowClass
from bot.errors import BotError
from bot.reviews.model import Review
from bot.sessions.model import Failed, Finished, Interrupted, Paused, RunEnd
from bot.types import Run, RunId
from flows import FlowPersistence, HumanFeedbackPending, HumanFeedbackProvider, PersistenceError, RunRecord

log = structlog.get_logger(__name__)
T = TypeVar("T")


class FlowMissing(BotError):
    """A stored run belongs to a flow that FLOWS_APP does not have any more."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"The flow {name!r} of a stored run is not in FLOWS_APP. Bring it back under this name, then restart; "
            "its reviews wait meanwhile."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request of a run as it is stored now."""

    request: HumanFeedbackPending
    state: Any


class Runner:
    """The flows of the catalog, run on one store."""

    def __init__(self, catalog: Catalog, persistence: FlowPersistence, provider: HumanFeedbackProvider) -> None:
        self._catalog, self._persistence, self._provider = catalog, persistence, provider
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="placet-runs")

    async def begin(self, run: Run) -> RunEnd:
        """Run a flow from its start, or from where an earlier try of this same call left it."""
        flow_class = self._class(run.flow_name)
        record = await self._record(run.id)
        if record is None:
            flow = flow_class(persistence=self._persistence, human_feedback_provider=self._provider)
            return await self._go(run.id, lambda: flow.kickoff_async(inputs={**run.inputs, "id": run.id}))
        # Before a person has decided anything, going on is only trying again.
        return await self._stands(run.id, record, flow_class, repeatable=() if record.gate_decided else None)

    async def resume(self, run: Run, review: Review) -> RunEnd:
        """Hand a decision to its run, or find out what became of an earlier try.

        Pending and executing: nothing ran. Decided and executing: the run broke off. Ended or paused: only the settling
        is left.
        Source: docs/architecture.md, "After a crash".
        """
        flow_class = self._class(run.flow_name)
        if review.id in {pending.context.request_id for pending in await self._pending(run.id)}:
            flow = await flow_class.from_pending_async(
                run.id,
                self._persistence,
                request_id=review.id,
                human_feedback_provider=self._provider,
            )
            by = "system" if review.decided_by is None else f"{review.team}/{review.decided_by}"
            return await self._go(run.id, lambda: flow.resume_async(review.note, outcome=review.outcome, by=by))
        record = await self._record(run.id)
        if record is None:
            log.error("run_lost", run=run.id)
            return Interrupted(reference=_reference())
        return await self._stands(run.id, record, flow_class, repeatable=_repeatable(review.gate.metadata))

    async def asked(self, run: Run, review_id: str) -> Asked | None:
        """What the run really asks under this id, with the state that it goes on with; None when it asks no such thing.

        Raises FlowMissing.
        """
        flow_class = self._class(run.flow_name)
        if review_id not in {pending.context.request_id for pending in await self._pending(run.id)}:
            return None
        flow = await flow_class.from_pending_async(
            run.id, self._persistence, request_id=review_id, human_feedback_provider=self._provider
        )
        # As the run itself has it: the list of requests keeps an output of its own, which nothing goes on with.
        request = next((each for each in flow.pending if each.context.request_id == review_id), None)
        return None if request is None else Asked(request=request, state=flow.state)

    async def waiting(self) -> list[HumanFeedbackPending]:
        """Every request that waits for a person, of all runs."""
        return await self._pending(None)

    async def withdraw(self, run: Run) -> None:
        """Nobody waits for this run's questions any more; it stays stored, and does not go on."""
        await self._call(self._persistence.clear_pending_feedback, run.id)

    def require(self, flow_name: str) -> None:
        """Raises FlowMissing unless the catalog has this flow: asked before a claim is taken for it."""
        self._class(flow_name)

    def close(self) -> None:
        """Give the thread back."""
        self._executor.shutdown(wait=True)

    async def _stands(
        self, run: RunId, record: RunRecord, flow_class: FlowClass, *, repeatable: Collection[str] | None
    ) -> RunEnd:
        """What the stored run says. repeatable names the steps that may run again; None: all of them."""
        match record.status:
            case "finished":
                return Finished(output=record.result)
            case "paused":
                return Paused(requests=tuple(await self._pending(run)))
            case "failed":
                log.error("run_had_failed", run=run, error=record.error)
                return Failed(reference=_reference())
            case "running":
                if repeatable is not None and not set(record.interrupted) <= set(repeatable):
                    reference = _reference()
                    log.error("run_interrupted", run=run, steps=record.interrupted, reference=reference)
                    return Interrupted(reference=reference)
                log.info("run_continued", run=run, steps=record.interrupted)
                return await self._go(
                    run,
                    lambda: flow_class.continue_async(
                        run, "retry", persistence=self._persistence, human_feedback_provider=self._provider
                    ),
                )

    async def _go(self, run: RunId, step: Callable[[], Awaitable[Any]]) -> RunEnd:
        """The one place where a user's flow runs; what it raises is logged once and becomes a reference code."""
        try:
            output = await step()
        except PersistenceError:
            # The run's own store failed, not the flow: the entry is tried again.
            raise
        except Exception:
            reference = _reference()
            log.exception("run_failed", run=run, reference=reference)
            return Failed(reference=reference)
        if isinstance(output, HumanFeedbackPending):
            return Paused(requests=tuple(await self._pending(run)))
        return Finished(output=output)

    def _class(self, name: str) -> FlowClass:
        entry = self._catalog.get(name)
        if entry is None:
            raise FlowMissing(name)
        return entry.flow_class

    async def _record(self, run: RunId) -> RunRecord | None:
        return await self._call(self._persistence.load_run, run)

    async def _pending(self, run: RunId | None) -> list[HumanFeedbackPending]:
        requests = await self._call(self._persistence.list_pending, run)
        return [
            HumanFeedbackPending(context=request.context, callback_info=dict(request.callback_info))
            for request in requests
            if request.status == "pending"
        ]

    async def _call(self, call: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, call, *args)


def _repeatable(metadata: Mapping[str, Any]) -> Collection[str]:
    steps = metadata.get("repeatable")
    return [str(step) for step in cast("list[Any]", steps)] if isinstance(steps, (list, tuple, set)) else []


def _reference() -> str:
    return uuid.uuid4().hex[:8]
