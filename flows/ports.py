"""The seams: what a run needs from outside, and what users may bring of their own."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable
from weakref import WeakKeyDictionary, WeakSet

import pydantic

from flows.errors import PersistenceError, StoreTypeError
from flows.outcomes import Together
from flows.types import (
    Checkpoint,
    HumanFeedbackPending,
    OpenedRequest,
    PendingFeedbackContext,
    PendingRequest,
    RunRecord,
    StoredRun,
)

logger = logging.getLogger(__name__)


@runtime_checkable
class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment, aware UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, aware UTC."""
        return datetime.now(UTC)


@runtime_checkable
class LanguageModel(Protocol):
    """Answers a prompt; the shape of the models people already have."""

    def call(self, messages: Any, **options: Any) -> Any:
        """The model's answer: text, a pydantic object or JSON text.

        messages is a text or a list of role and content dicts. options may hold `response_format`, a pydantic class;
        a model that does not know the keyword is called with `response_model` instead. May be a coroutine function.
        """
        ...


class FlowView(Protocol):
    """What a provider may see of the flow it serves."""

    @property
    def flow_id(self) -> str:
        """The run's id."""
        ...

    @property
    def state(self) -> Any:
        """The user's state."""
        ...

    @property
    def pending(self) -> tuple[HumanFeedbackPending, ...]:
        """Questions of this run that nobody has answered, oldest first."""
        ...


@runtime_checkable
class HumanFeedbackProvider(Protocol):
    """Asks a person for feedback, at once or by pausing the run.

    Source: human feedback guide, "The provider abstraction".
    """

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> Any:
        """The person's words; may be a coroutine function.

        Raises HumanFeedbackPending to pause the run until the answer is given through resume.
        """
        ...


@runtime_checkable
class RepeatingProvider(HumanFeedbackProvider, Protocol):
    """A provider with a person in front of it, who can be asked again at once."""

    def ask_again(self, context: PendingFeedbackContext, flow: Any, reason: str) -> Any:
        """The person's words after the first ones were unclear; may be a coroutine function."""
        ...


@runtime_checkable
class InputProvider(Protocol):
    """Answers `ask()`."""

    def request_input(self, message: str, flow: Any, metadata: dict[str, Any] | None = None) -> Any:
        """Text, None for no answer, or an InputResponse; may be a coroutine function."""
        ...


class MemoryRecord(Protocol):
    """One remembered text."""

    @property
    def content(self) -> str:
        """The text."""
        ...


class MemoryMatch(Protocol):
    """A remembered text that fits a query."""

    @property
    def record(self) -> MemoryRecord:
        """What was remembered."""
        ...


class Memory(Protocol):
    """Remembers lessons for `learn=True`."""

    def recall(self, query: str, *, source: str | None = None, limit: int = 5) -> Sequence[MemoryMatch]:
        """The best matches, best first."""
        ...

    def remember_many(self, contents: Sequence[str], *, source: str | None = None) -> Any:
        """Stores the texts; returns at once."""
        ...


class FlowPersistence(ABC):
    """Keeps runs. A subclass with the first three methods works; ours also keep the progress of runs.

    Values keep their types on the way through a store: what `load_state` returns equals what `save_state` was given.
    Methods block; the engine calls them off the event loop, one at a time.
    """

    @abstractmethod
    def init_db(self) -> None:
        """Makes the store ready; harmless when it is."""

    @abstractmethod
    def save_state(self, flow_uuid: str, method_name: str, state_data: Mapping[str, Any] | pydantic.BaseModel) -> None:
        """Keeps a snapshot of a flow's state after a method, as the newest one."""

    @abstractmethod
    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        """The newest snapshot, or None."""

    def save_pending_feedback(
        self, flow_uuid: str, context: PendingFeedbackContext, state_data: Mapping[str, Any] | pydantic.BaseModel
    ) -> None:
        """Stores a question with the state at the pause. By default only the state is kept."""
        self.save_state(flow_uuid, context.method_name, state_data)

    def load_pending_feedback(self, flow_uuid: str) -> tuple[dict[str, Any], PendingFeedbackContext] | None:
        """State and context of the oldest open question, or None."""
        return None

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        """Forgets the open questions of a flow. By default nothing is kept, so nothing is forgotten."""
        return

    def claim(
        self, request_id: str, outcome: str | None, text: str, by: str | None, *, replaced_output: str | None = None
    ) -> bool:
        """Whether this call, and no other, decides the request.

        By default exact within one process only, and known until the run is carried on or fails.
        """
        with _CLAIM_LOCK:
            claims = _CLAIMS.setdefault(self, {})
            is_first = request_id not in claims
            if is_first:
                claims[request_id] = _Claim(outcome, text, by, replaced_output)
            return is_first

    def checkpoint(self, checkpoint: Checkpoint) -> bool:
        """Stores where a run stands, in one transaction; False when the stored run is not at the version before.

        By default only open questions and their state are kept, so that a run survives a pause but no crash. Raises
        PersistenceError when a run opens more questions than the store can show at once.
        """
        if self not in _TOLD:
            _TOLD.add(self)
            logger.warning("%s keeps no checkpoints: a run survives pauses, but no crash.", type(self).__name__)
        held = self.load_pending_feedback(checkpoint.flow_id)
        if held is not None and (held[1].request_id in checkpoint.closed or checkpoint.status == "finished"):
            self.clear_pending_feedback(checkpoint.flow_id)
        if checkpoint.opened:
            _save_opened(self, checkpoint.flow_id, checkpoint.opened)
        with _CLAIM_LOCK:
            claims = _CLAIMS.get(self, {})
            # That they were decided must stay known here, since a stale copy may still answer; the words need not.
            claims.update((request_id, _Claim()) for request_id in checkpoint.closed if request_id in claims)
        return True

    def load_checkpoint(self, flow_uuid: str) -> StoredRun | None:
        """What the engine needs to go on with a run, or None."""
        found = self.load_pending_feedback(flow_uuid)
        if found is None:
            return None
        state, context = found
        return StoredRun(
            flow_id=flow_uuid,
            flow_class=context.flow_class,
            status="paused",
            version=0,
            body=None,
            steps=(),
            requests=tuple(self.list_pending(flow_uuid)),
            state=state,
        )

    def checkpoint_version(self, flow_uuid: str) -> int | None:
        """The number of the run's last checkpoint, or None when no checkpoint is kept.

        By default the whole run is loaded for it.
        """
        found = self.load_checkpoint(flow_uuid)
        return None if found is None or found.body is None else found.version

    def load_run(self, flow_uuid: str) -> RunRecord | None:
        """Where a run stands, or None when it is unknown. By default no run is known."""
        return None

    def purge(self, before: datetime) -> int:
        """Removes finished runs that were last changed before this moment (aware); returns how many.

        Their steps, answers and state snapshots go with them. A snapshot of that age whose run was never stored, since
        its flow has only @persist, counts as a finished run, unless it waits for somebody. Runs that are running,
        paused or failed stay, since they can still go on. By default no run is known, so none is removed. Raises
        ValueError for a naive moment.
        """
        moment_of(before)
        return 0

    def list_pending(self, flow_uuid: str | None = None) -> list[PendingRequest]:
        """Stored questions, oldest first; of all runs when no id is given.

        A shown value whose class is unknown here stands in its context as a picture in JSON's types.
        """
        found = self.load_pending_feedback(flow_uuid) if flow_uuid is not None else None
        if found is None:
            return []
        context = found[1]
        with _CLAIM_LOCK:
            claim = _CLAIMS.get(self, {}).get(context.request_id)
        return [
            PendingRequest(
                flow_id=context.flow_id,
                request_id=context.request_id,
                method_name=context.method_name,
                status="pending" if claim is None else "decided",
                outcome=claim.outcome if claim else None,
                feedback=claim.text if claim else None,
                by=claim.by if claim else None,
                context=context,
                callback_info={},
                requested_at=context.requested_at,
                replaced_output=claim.replaced_output if claim else None,
            )
        ]


def as_store(given: Any) -> FlowPersistence:
    """What a caller gave as a store. Raises StoreTypeError for a path, a class, or anything else that is none."""
    if isinstance(given, type) or not callable(getattr(given, "load_checkpoint", None)):
        raise StoreTypeError(given=cast("object", given))
    return given


def together_of(store: FlowPersistence) -> Together | None:
    """How a store makes several calls with one commit: its method `together`. None for a store that has none.

    The method takes calls to the store, makes each once and in order, and returns what each returned or raised; a call
    that raises must take back its own writes only.
    """
    return getattr(store, "together", None)


def forget_claims(store: FlowPersistence, request_ids: Sequence[str]) -> None:
    """Lets requests be answered again whose run failed, in a store that keeps a run's question and nothing else.

    A store with a `claim` of its own is not touched: it keeps what was decided.
    """
    with _CLAIM_LOCK:
        claims = _CLAIMS.get(store, {})
        for request_id in request_ids:
            claims.pop(request_id, None)


def moment_of(moment: datetime) -> datetime:
    """The same moment in UTC. Raises ValueError for one without a zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone. Pass an aware datetime, such as datetime.now(UTC).")
    return moment.astimezone(UTC)


def _save_opened(store: FlowPersistence, flow_uuid: str, opened: Sequence[OpenedRequest]) -> None:
    expected = _shown(store, flow_uuid)
    for request in opened:
        expected.add(request.context.request_id)
        store.save_pending_feedback(flow_uuid, request.context, request.state)
    shown = _shown(store, flow_uuid)
    # A store that shows none at all lets runs pause in this process only; one that shows some must show each.
    if shown and expected - shown:
        raise PersistenceError(
            f"{type(store).__name__} shows one question of a run at a time, and run {flow_uuid!r} has "
            f"{len(expected)}: the answer to the others would be lost. Keep a row for each question and implement "
            "list_pending and clear_pending_feedback for them, or use a store that keeps checkpoints."
        )


def _shown(store: FlowPersistence, flow_uuid: str) -> set[str]:
    return {request.request_id for request in store.list_pending(flow_uuid) if request.status == "pending"}


class _Claim(NamedTuple):
    """An answer that won its request."""

    outcome: str | None = None
    text: str | None = None
    by: str | None = None
    replaced_output: str | None = None


# What the defaults above remember about stores that keep nothing of the kind themselves.
_CLAIM_LOCK = threading.Lock()
_CLAIMS: WeakKeyDictionary[FlowPersistence, dict[str, _Claim]] = WeakKeyDictionary()
_TOLD: WeakSet[FlowPersistence] = WeakSet()

EventListener = Callable[[Any], object]
"""Hears every event of a run; its return value is ignored and its exceptions are logged."""
