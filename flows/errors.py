"""The errors this package raises on purpose, by what the caller can do about them.

FlowError
├── GraphError (ValueError)            fix the flow's class
│   ├── InvalidConditionError
│   ├── SelfListeningError
│   └── DuplicateConditionError
├── BareDecoratorError (TypeError)     write the parentheses
├── FeedbackSpecError (ValueError)     fix the arguments of @human_feedback
├── HumanFeedbackCollapseError (ValueError)  ask the person again, with the labels
├── ProviderError (ValueError)         give an object with the expected method
├── MissingProviderError (RuntimeError)  pass the provider again to whoever goes on with the run
├── NoPendingFeedbackError (ValueError)  nothing waits; it was answered or never asked
├── AmbiguousRequestError (ValueError) name the request
├── AlreadyResumedError (ValueError)  tell the person who was second
├── PendingRequestsError (RuntimeError)  answer the open requests first
├── RunInProgressError (RuntimeError)  one run at a time for one instance
├── RunBusyError (RuntimeError)        the answer is taken; whoever runs the flow carries it out
├── RunMovedError (RuntimeError)       another process went on with the run; load it again
├── CannotContinueError (RuntimeError) nothing to continue, or not this way
├── RunningLoopError (RuntimeError)    call the async twin
├── OutsideStepError (RuntimeError)    only a running step has this value
├── StoreTypeError (TypeError)         give a store object, not its path or class
├── StateError (ValueError)            fix the state model or the inputs
├── StateTypeError (TypeError)         give a state of a known kind
├── PersistenceError (RuntimeError)    the store failed; the cause is chained
├── CodecError (ValueError)            keep only values whose type can be stored
└── ModelError (RuntimeError)          the language model could not be reached or set up
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath


class FlowError(Exception):
    """Base of every error this package raises on purpose."""


class GraphError(FlowError, ValueError):
    """A flow class describes a graph that cannot run. Fix the class; retrying cannot help."""


class InvalidConditionError(GraphError):
    """A trigger is neither a name, nor a step, nor built by or_() and and_()."""

    def __init__(self, *, where: str, given: object) -> None:
        self.where, self.given = where, given
        super().__init__(
            f"Invalid condition {given!r} in {where}. "
            "Expected a method name or label, a decorated method, or or_(...) / and_(...) of those."
        )


class SelfListeningError(GraphError):
    """A method waits for its own name and would call itself for ever."""

    def __init__(self, *, flow: str, method: str, condition: str) -> None:
        self.flow, self.method, self.condition = flow, method, condition
        super().__init__(
            f"Invalid flow definition for {flow}: method {method!r} listens to its own name in {condition}. "
            f"Rename the method, for example to 'handle_{method}', and keep the label."
        )


class DuplicateConditionError(GraphError):
    """Two decorators give one method two different triggers."""

    def __init__(self, *, method: str, first: str, second: str) -> None:
        self.method, self.first, self.second = method, first, second
        super().__init__(
            f"Method {method!r} has two triggers, {first} and {second}. Combine them in one or_(...) or and_(...)."
        )


class BareDecoratorError(FlowError, TypeError):
    """A decorator stands without parentheses, or its trigger is a function that is no step."""

    def __init__(self, *, decorator: str, function: str) -> None:
        self.decorator, self.function = decorator, function
        super().__init__(
            f"@{decorator} was given the plain function {function!r}. "
            f"Write @{decorator}(...) with parentheses; a trigger must itself be a decorated method."
        )


class FeedbackSpecError(FlowError, ValueError):
    """The arguments of @human_feedback do not fit together."""


class HumanFeedbackCollapseError(FlowError, ValueError):
    """The person's words could not be read as exactly one label; nothing was decided."""

    def __init__(self, *, feedback: str, emit: Sequence[str], reason: str) -> None:
        self.feedback, self.emit, self.reason = feedback, tuple(emit), reason
        super().__init__(
            f"The feedback could not be read as one of {', '.join(map(repr, emit))}: {reason}. "
            "Answer with one of these labels."
        )


class ProviderError(FlowError, ValueError):
    """An object given as a provider lacks the method that asks the person."""

    def __init__(self, *, provider: object, method: str) -> None:
        self.provider, self.method = provider, method
        if isinstance(provider, type):
            name = provider.__name__
            reason = f"the class {name} cannot be asked {method!r}. Pass an object of it: {name}(...)."
        else:
            reason = f"{type(provider).__name__!r} is no provider: it has no method {method!r}."
        super().__init__(reason)


class MissingProviderError(FlowError, RuntimeError):
    """The run was served by a provider of its constructor, and whoever goes on with it gave none.

    Nobody was asked. `continue_async` with the provider goes on from this question.
    """

    def __init__(self, *, flow: str, flow_id: str, method: str) -> None:
        self.flow, self.flow_id, self.method = flow, flow_id, method
        super().__init__(
            f"{flow}.{method} of run {flow_id!r} has nobody to ask: a provider that was passed to the constructor "
            "served this run before. Pass human_feedback_provider= to from_pending() or continue_async() too."
        )


class NoPendingFeedbackError(FlowError, ValueError):
    """No stored question of this run waits for an answer."""

    def __init__(self, *, flow_id: str, request_id: str | None = None) -> None:
        self.flow_id, self.request_id = flow_id, request_id
        which = f" with request id {request_id!r}" if request_id else ""
        super().__init__(f"No pending feedback found for run {flow_id!r}{which}.")


class AmbiguousRequestError(FlowError, ValueError):
    """Several questions of this run are open and the caller named none."""

    def __init__(self, *, flow_id: str, requests: Sequence[tuple[str, str]]) -> None:
        self.flow_id, self.requests = flow_id, tuple(requests)
        listed = ", ".join(f"{request} ({method})" for request, method in requests)
        super().__init__(f"Run {flow_id!r} has {len(requests)} pending requests: {listed}. Pass request_id=.")


class AlreadyResumedError(FlowError, ValueError):
    """Somebody else's answer to this question came first; this one changed nothing."""

    def __init__(self, *, flow_id: str, request_id: str, outcome: str | None = None, by: str | None = None) -> None:
        self.flow_id, self.request_id, self.outcome, self.by = flow_id, request_id, outcome, by
        detail = f" as {outcome!r}" if outcome else ""
        detail += f" by {by}" if by else ""
        super().__init__(f"Request {request_id!r} of run {flow_id!r} was already resolved{detail}.")


class PendingRequestsError(FlowError, RuntimeError):
    """A new run would bury questions that people still have to answer, or answers that are not carried out yet."""

    def __init__(self, *, flow_id: str, requests: Sequence[str], is_answered: bool = False) -> None:
        self.flow_id, self.requests, self.is_answered = flow_id, tuple(requests), is_answered
        listed = ", ".join(requests)
        super().__init__(
            f"The answer to {listed} of run {flow_id!r} is taken and not carried out yet. If the process that took it "
            "died, call continue_async() before starting the run anew."
            if is_answered
            else f"Run {flow_id!r} is paused and waits for {listed}. Resume it before starting it anew."
        )


class RunInProgressError(FlowError, RuntimeError):
    """This instance is running already; its state belongs to that run."""

    def __init__(self, *, flow: str, flow_id: str) -> None:
        self.flow, self.flow_id = flow, flow_id
        super().__init__(
            f"{flow} run {flow_id!r} is in progress. Use a new instance for a second run at the same time."
        )


class RunBusyError(FlowError, RuntimeError):
    """The answer is taken, and the run is being carried out elsewhere, or was interrupted there.

    A live run takes the answer up as soon as it rests. After a crash, `continue_async` does.
    """

    def __init__(self, *, flow_id: str, request_id: str) -> None:
        self.flow_id, self.request_id = flow_id, request_id
        super().__init__(
            f"The answer to request {request_id!r} is taken, and run {flow_id!r} is not at rest: whoever runs it "
            "carries the answer out. If that process died, call continue_async()."
        )


class RunMovedError(FlowError, RuntimeError):
    """The stored run has moved on since it was loaded; this copy stopped before doing anything twice."""

    def __init__(self, *, flow_id: str, version: int) -> None:
        self.flow_id, self.version = flow_id, version
        super().__init__(f"Run {flow_id!r} was changed by somebody else before checkpoint {version}. Load it again.")


class CannotContinueError(FlowError, RuntimeError):
    """The stored run cannot be continued in the way asked for."""

    def __init__(self, *, flow_id: str, reason: str) -> None:
        self.flow_id, self.reason = flow_id, reason
        super().__init__(f"Run {flow_id!r} cannot be continued: {reason}.")


class RunningLoopError(FlowError, RuntimeError):
    """A sync method that would block the event loop was called inside it."""

    def __init__(self, *, called: str, instead: str) -> None:
        self.called, self.instead = called, instead
        super().__init__(f"{called}() cannot be called inside a running event loop. Use `await {instead}()` instead.")


class OutsideStepError(FlowError, RuntimeError):
    """A value that belongs to one running step was read outside any step."""

    def __init__(self, *, name: str) -> None:
        self.name = name
        super().__init__(f"{name} has a value only inside a running step of this flow.")


class StoreTypeError(FlowError, TypeError):
    """What was given as a store is none: a path, a class, or an object without a store's methods."""

    def __init__(self, *, given: object) -> None:
        self.given = given
        if isinstance(given, type):
            what, mend = f"the class {given.__name__}", f"an object of it: {given.__name__}(...)"
        elif isinstance(given, (str, PurePath)):
            what, mend = repr(given), f"SQLiteFlowPersistence({str(given)!r})"
        else:
            what, mend = f"an object of {type(given).__name__!r}", "an object of a FlowPersistence subclass"
        super().__init__(f"{what} is no store. Pass {mend}.")


class StateError(FlowError, ValueError):
    """The state cannot be made, restored or updated from what was given."""


class StateTypeError(FlowError, TypeError):
    """`initial_state` is of a kind that cannot be a state."""

    def __init__(self, *, given: object) -> None:
        self.given = given
        kind = given if isinstance(given, type) else type(given)
        super().__init__(
            f"The state of a flow (initial_state, Flow[...]) cannot be {kind.__name__!r}. "
            "Expected a dict, a pydantic model, or a class of those."
        )


class PersistenceError(FlowError, RuntimeError):
    """A store call failed; the run stopped and the cause is chained."""


class CodecError(FlowError, ValueError):
    """A value cannot be stored with its type, or a stored value cannot be restored."""

    def __init__(self, *, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}")


class ModelError(FlowError, RuntimeError):
    """A language model could not be set up or reached."""


def text_of(error: BaseException) -> str:
    """Type and text of an exception, in characters that can be stored, whatever the exception does when it is read."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a user's exception may fail to say what it is
        text = "(its text cannot be read)"
    return f"{type(error).__name__}: {text}".encode("utf-8", "backslashreplace").decode()


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name most like this one, or None when none is close."""
    # Loaded here: only an error needs it.
    from difflib import get_close_matches

    found = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None
