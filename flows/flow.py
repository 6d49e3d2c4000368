"""Flow: what users subclass; every method is one call into a module below."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, cast

from typing_extensions import TypeVar

from flows import engine
from flows.graph.decorators import listen, router, start
from flows.graph.triggers import and_, or_
from flows.ports import as_store
from flows.yielding import yielding

if TYPE_CHECKING:
    from pathlib import Path

    from flows.engine.stream import AsyncStreamSession, StreamSession
    from flows.events import FlowEvent
    from flows.flow_state import FlowState
    from flows.persistence.decorator import persist
    from flows.ports import Clock, EventListener, FlowPersistence, HumanFeedbackProvider, InputProvider
    from flows.types import HumanFeedbackPending, HumanFeedbackResult

__all__ = ["Flow", "FlowMeta", "FlowState", "and_", "listen", "or_", "persist", "router", "start"]

StateT = TypeVar("StateT", default=dict[str, Any])
FlowT = TypeVar("FlowT", bound="Flow[Any]")

UNCHANGED: Any = object()
"""Stands for "the output was not edited", since None is an output too."""


class Flow(Generic[StateT]):
    """A graph of methods around one state.

    Subclass it, mark methods with @start, @listen and @router, and call `kickoff`. `Flow[Model]` has a pydantic model
    as its state; a plain Flow has a dict. A subclass keeps its parents' steps.
    Source: flow guide, "Flows".
    """

    __is_flow__: ClassVar[bool] = True

    name: str | None = None
    """Replaces the class's name in events and catalogues."""
    initial_state: Any = None
    """A class-wide default for the constructor's argument of this name."""

    def __init__(
        self,
        *,
        initial_state: Any = None,
        persistence: FlowPersistence | None = None,
        suppress_flow_events: bool = False,
        stream: bool = False,
        memory: Any = None,
        input_provider: InputProvider | None = None,
        max_method_calls: int = 100,
        human_feedback_provider: HumanFeedbackProvider | None = None,
        defer_trace_finalization: bool | None = None,
        clock: Clock | None = None,
        on_event: EventListener | None = None,
    ) -> None:
        """Makes an instance; nothing runs yet.

        persistence keeps a checkpoint after every step, so that `continue_async` works after a crash at any moment.
        human_feedback_provider asks for every review whose step has no provider of its own, or only the console.
        Raises GraphError when the class describes no graph that can run, StateError for a bad initial state,
        StoreTypeError or ProviderError for an object that is no store or no provider.
        """
        services = engine.run.new_services(
            clock=clock,
            persistence=persistence,
            provider=human_feedback_provider,
            input_provider=input_provider,
            memory=memory,
        )
        settings = engine.run.Settings(
            suppress_flow_events=suppress_flow_events,
            max_method_calls=max_method_calls,
            defer_trace_finalization=defer_trace_finalization,
        )
        self.stream = stream
        run = engine.run.new_run(self, initial_state=initial_state, services=services, settings=settings)
        engine.run.attach(self, run)
        if on_event is not None:
            engine.run.tell_created(run, on_event)

    # What a flow is.

    @property
    def state(self) -> StateT:
        """The state. Raises StateError while required fields still wait for a kickoff's inputs."""
        run = engine.run.run_of(self)
        return cast("StateT", run.slot.value(run.name))

    @property
    def flow_id(self) -> str:
        """The run's id: the state's `id` as text."""
        return engine.run.run_of(self).flow_id

    @property
    def persistence(self) -> FlowPersistence | None:
        """The store of checkpoints, as the constructor was given it or as it was set since."""
        return engine.run.run_of(self).services.persistence

    @persistence.setter
    def persistence(self, store: FlowPersistence | None) -> None:
        engine.run.run_of(self).keep_in(store)

    @property
    def memory(self) -> Any:
        """The memory that `learn=True` uses; None without one."""
        return engine.run.run_of(self).services.memory

    @memory.setter
    def memory(self, memory: Any) -> None:
        engine.run.run_of(self).services.memory = memory

    @property
    def input_provider(self) -> InputProvider | None:
        """Who answers `ask()`; None leaves it to `flow_config`, and then to the console."""
        return engine.run.run_of(self).services.input_provider

    @input_provider.setter
    def input_provider(self, provider: InputProvider | None) -> None:
        engine.run.run_of(self).services.input_provider = provider

    @property
    def input_history(self) -> list[dict[str, Any]]:
        """Every `ask()` of this instance: message, response, method_name, timestamp, metadata, response_metadata."""
        return engine.run.run_of(self).input_history

    _input_history = input_history

    @property
    def method_outputs(self) -> list[Any]:
        """What methods returned in this run, in order of completion; routers' labels are among them."""
        return [step.recorded for step in engine.run.run_of(self).steps]

    @property
    def human_feedback_history(self) -> list[HumanFeedbackResult]:
        """Every answer of a person in this run, oldest first."""
        return engine.run.run_of(self).history

    @property
    def last_human_feedback(self) -> HumanFeedbackResult | None:
        """The newest answer of a person in this run."""
        history = engine.run.run_of(self).history
        return history[-1] if history else None

    @yielding
    def pending(self) -> tuple[HumanFeedbackPending, ...]:
        """Questions of this run that nobody has answered, oldest first."""
        return tuple(pending for _, pending in engine.run.run_of(self).waiting)

    @property
    def pending_feedback(self) -> HumanFeedbackPending | None:
        """The question that the next resume answers; None when nothing waits."""
        return engine.lifecycle.chosen_pending(engine.run.run_of(self))

    @yielding
    def restored_from(self) -> str | None:
        """The id whose stored state the last kickoff took over; None when there was none."""
        return engine.run.run_of(self).restored_from

    @yielding
    def input_files(self) -> Mapping[str, Any]:
        """The files that the last kickoff was given, by name."""
        return engine.run.run_of(self).input_files

    def on_event(self, listener: EventListener) -> Callable[[], None]:
        """Has the callable hear every event of this flow; returns a function that ends this."""
        listeners = engine.run.run_of(self).listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    # Inside a step.

    @yielding
    def idempotency_key(self) -> str:
        """A key for one outward effect of the running step: the same when the step is tried again.

        Derived from this run, method and call number: another run under the same id has other keys.
        Raises OutsideStepError outside a step.
        """
        return engine.present.present_step(engine.run.run_of(self), name="idempotency_key").idempotency_key

    @yielding
    def attempt(self) -> int:
        """Which try of the running step this is: 1, then 2 after a crash or failure. Raises OutsideStepError."""
        return engine.present.present_step(engine.run.run_of(self), name="attempt").active.attempt

    def ask(self, message: str, timeout: float | None = None, metadata: dict[str, Any] | None = None) -> str | None:
        """Asks a person for a line of text and blocks this step until it is there.

        "" means Enter; None means timeout (in seconds), a failing provider, or no answer. In an async step it blocks
        the event loop: use `ask_async` there.
        Source: flow guide, "Asking for input".
        """
        return engine.ask.ask(engine.run.run_of(self), message, timeout, metadata)

    async def ask_async(
        self, message: str, timeout: float | None = None, metadata: dict[str, Any] | None = None
    ) -> str | None:
        """As `ask`, while other steps go on."""
        run = engine.run.run_of(self)
        return await engine.ask.ask_async(run, message, timeout, metadata, method=engine.present.present_method(run))

    def emit(self, event: FlowEvent) -> None:
        """Tells everybody who listens to this flow, streams included, of an event of your own."""
        engine.run.run_of(self).emit(event)

    def plot(self, filename: str | Path = "flow_plot", show: bool = True) -> str:
        """Draws the flow as a web page and returns its path; filename may hold a directory."""
        # Loaded on use: most programs draw nothing.
        from flows import plot as plotting

        return plotting.plot(self, filename, show=show)

    # Running.

    def kickoff(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        input_files: Mapping[str, Any] | None = None,
        from_checkpoint: str | None = None,
        restore_from_state_id: str | None = None,
    ) -> Any:
        """Runs to the end and returns the last output, or the oldest HumanFeedbackPending when the run is paused.

        Works inside a running loop too: the run then goes to a thread, and the call blocks. With `stream` set it
        returns a StreamSession. See `kickoff_async`.
        """
        start_run = _kickoff(self, inputs, input_files, from_checkpoint, restore_from_state_id)
        return _stream(self, start_run) if self.stream else engine.blocking.run_blocking(start_run)

    async def kickoff_async(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        input_files: Mapping[str, Any] | None = None,
        from_checkpoint: str | None = None,
        restore_from_state_id: str | None = None,
    ) -> Any:
        """Runs to the end and returns the last output, or the oldest HumanFeedbackPending when the run is paused.

        inputs are laid over the state; inputs["id"] names the run and restores the newest stored state of that id.
        restore_from_state_id takes over another run's state under a fresh id. from_checkpoint is the id of a stored
        run that is continued from its last finished step, as `continue_async(id, "retry")` does; it keeps its own
        inputs, so none may be passed. With `stream` set an
        AsyncStreamSession is returned at once, and the run begins with the first frame that is read.
        Raises what a step raises, unchanged; RunInProgressError while this instance runs; PendingRequestsError when
        the id waits for people; StateError for inputs that the state refuses; PersistenceError when the store fails.
        """
        start_run = _kickoff(self, inputs, input_files, from_checkpoint, restore_from_state_id)
        return _astream(self, start_run) if self.stream else await start_run()

    async def akickoff(self, inputs: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """The same as `kickoff_async`."""
        return await self.kickoff_async(inputs, **options)

    def stream_events(self, inputs: Mapping[str, Any] | None = None, **options: Any) -> StreamSession:
        """A stream of this run, whatever `stream` says; options are kickoff's."""
        return _stream(self, _kickoff(self, inputs, **options))

    def astream(self, inputs: Mapping[str, Any] | None = None, **options: Any) -> AsyncStreamSession:
        """The async twin of `stream_events`."""
        return _astream(self, _kickoff(self, inputs, **options))

    # Pausing and going on.

    @classmethod
    def from_pending(
        cls, flow_id: str, persistence: FlowPersistence | None = None, *, request_id: str | None = None, **kwargs: Any
    ) -> Self:
        """An instance that stands where the paused run stands, ready for `resume`.

        persistence defaults to the class's @persist store, else the default one; kwargs go to the constructor.
        Raises NoPendingFeedbackError (a ValueError) when nothing waits, AlreadyResumedError when the answer is in,
        AmbiguousRequestError when several questions are open and request_id names none.
        """
        flow, store = _adopt(cls, persistence, kwargs)
        engine.lifecycle.open_pending(engine.run.run_of(flow), store.load_checkpoint(flow_id), flow_id, request_id)
        return flow

    @classmethod
    async def from_pending_async(
        cls, flow_id: str, persistence: FlowPersistence | None = None, *, request_id: str | None = None, **kwargs: Any
    ) -> Self:
        """As `from_pending`, with the store called off the loop."""
        flow, store = _adopt(cls, persistence, kwargs)
        found = await engine.lifecycle.stored(store, store.load_checkpoint, flow_id)
        engine.lifecycle.open_pending(engine.run.run_of(flow), found, flow_id, request_id)
        return flow

    def resume(
        self, feedback: str = "", *, outcome: str | None = None, by: str | None = None, output: Any = UNCHANGED
    ) -> Any:
        """Answers the pending question and runs on. See `resume_async`.

        Raises RunningLoopError (a RuntimeError) inside a running loop.
        """
        engine.blocking.refuse_running_loop(called="resume", instead="resume_async")
        return engine.blocking.run_blocking(lambda: self.resume_async(feedback, outcome=outcome, by=by, output=output))

    async def resume_async(
        self, feedback: str = "", *, outcome: str | None = None, by: str | None = None, output: Any = UNCHANGED
    ) -> Any:
        """Answers the pending question and runs on to the end or to the next pause.

        outcome is a decided label: no model is asked. Without it the words are read as a label. by says who decided.
        output replaces what was reviewed; the original stays in the result's metadata. The words are read first, then
        the request is claimed in the store, then the flow runs: of several callers exactly one runs it.
        Raises AlreadyResumedError for all others, HumanFeedbackCollapseError for unclear words (the request stays
        pending), NoPendingFeedbackError, and what a step raises (the decision stays taken; see `continue_async`).
        """
        replaced = None if output is UNCHANGED else (output,)
        return await engine.lifecycle.resume(
            engine.run.run_of(self), feedback, outcome=outcome, by=by, replaced=replaced
        )

    @classmethod
    async def continue_async(
        cls,
        flow_id: str,
        how: Literal["retry", "done"] = "retry",
        *,
        output: Any = None,
        persistence: FlowPersistence | None = None,
        **kwargs: Any,
    ) -> Any:
        """Goes on with a stored run whose process died or whose step failed; returns what kickoff would.

        "retry" runs the interrupted steps again, with the same idempotency keys; after a decision whose listeners had
        not started it just runs them. "done" takes output as the result of the one interrupted step.
        Raises CannotContinueError for a run that is unknown, finished or only waiting, RunMovedError when somebody
        else has gone on with it, and what a step raises.
        """
        flow, store = _adopt(cls, persistence, kwargs)
        return await engine.recovery.proceed(engine.run.run_of(flow), store, flow_id, how, output=output)


# Functions and no methods: whatever name an author chooses for a step or a helper, none of these is in its way.


def _kickoff(
    flow: Flow[Any],
    inputs: Mapping[str, Any] | None = None,
    input_files: Mapping[str, Any] | None = None,
    from_checkpoint: str | None = None,
    restore_from_state_id: str | None = None,
) -> Callable[[], Coroutine[Any, Any, Any]]:
    """What a kickoff with these arguments will do, once called."""
    run = engine.run.run_of(flow)
    if from_checkpoint is None:
        return lambda: engine.lifecycle.kickoff(
            run, inputs, restore_from_state_id=restore_from_state_id, input_files=input_files
        )
    if restore_from_state_id is not None:
        raise ValueError("from_checkpoint and restore_from_state_id exclude each other. Pass one of them.")
    if inputs or input_files:
        raise ValueError("from_checkpoint goes on with the stored run's own inputs and files. Pass it alone.")
    store = run.store if run.store is not None else engine.classes.store_for_pauses(type(flow), run.graph)
    return lambda: engine.recovery.proceed(run, store, from_checkpoint, "retry", output=None)


def _stream(flow: Flow[Any], start_run: Callable[[], Coroutine[Any, Any, Any]]) -> StreamSession:
    return engine.stream.StreamSession(engine.run.run_of(flow), start_run)


def _astream(flow: Flow[Any], start_run: Callable[[], Coroutine[Any, Any, Any]]) -> AsyncStreamSession:
    return engine.stream.AsyncStreamSession(engine.run.run_of(flow), start_run)


def _adopt(
    cls: type[FlowT], persistence: FlowPersistence | None, kwargs: dict[str, Any]
) -> tuple[FlowT, FlowPersistence]:
    """A new instance, and the store whose run it will take over."""
    flow = cls(**kwargs)
    run = engine.run.run_of(flow)
    if persistence is not None:
        run.services.persistence = as_store(persistence)
    store = run.services.persistence
    run.store = store if store is not None else engine.classes.store_for_pauses(cls, engine.classes.graph_of(cls))
    return flow, run.store


FlowMeta = type(Flow)
"""The class of flow classes, for code that names it; a flow needs no metaclass of its own here."""


_ON_FIRST_USE = {"FlowState": "flows.flow_state", "persist": "flows.persistence.decorator"}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_FIRST_USE[name]), name)
