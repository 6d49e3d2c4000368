"""Which step the present code belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple
from uuid import NAMESPACE_OID, uuid5

from flows.engine.run import FlowRun
from flows.errors import OutsideStepError
from flows.graph.progress import Active


class RunningStep(NamedTuple):
    """The step that the present code belongs to."""

    run: FlowRun
    active: Active

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, and different for every other call."""
        call = self.active.call
        return str(uuid5(NAMESPACE_OID, f"{self.run.flow_id}\n{self.run.token}\n{call.method}\n{call.number}"))


_STEP: ContextVar[RunningStep | None] = ContextVar("flow_step", default=None)


def enter_step(run: FlowRun, active: Active) -> None:
    """Makes the call the present one for the code that runs in this context."""
    _STEP.set(RunningStep(run=run, active=active))


def present_method(run: FlowRun) -> str:
    """The name of the step of this run that the caller stands in; "" outside."""
    step = _STEP.get()
    return step.active.call.method if step is not None and step.run is run else ""


def present_step(run: FlowRun, *, name: str) -> RunningStep:
    """The step of this run that the caller stands in; name is what was read. Raises OutsideStepError."""
    step = _STEP.get()
    if step is None or step.run is not run:
        raise OutsideStepError(name=name)
    return step
