"""Which steps are ready after a signal: waves, fire-once, re-arming and the memory of and_.

One finished step opens one *wave* for the event of its name. A wave first resolves routers: every router that hears
the event runs, one after another, and each label they answer joins the wave's events and is resolved in turn. Then it
tells plain listeners, event by event; the listeners of one event run at once, and each opens a wave of its own that
this wave waits for. All of it is data, so that a run can stop between any two steps and go on elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from flows.graph.definition import FlowGraph
from flows.graph.shares import Share
from flows.types import EventName, MethodName

_NOBODY: Mapping[MethodName, Share] = {}


class Call(NamedTuple):
    """One execution of a method within a run; numbers count from 1 for each method."""

    method: MethodName
    number: int


class Event(NamedTuple):
    """Something that listeners may wait for."""

    name: EventName
    source: Call
    """The call that raised it."""
    is_label: bool
    """Raised by the call's answer; otherwise by its end."""
    again: bool = False
    """Raised by a router that had already raised one in the same wave."""


class Role(StrEnum):
    """Why a call runs."""

    START = "start"
    ROUTER = "router"
    LISTENER = "listener"


class Phase(StrEnum):
    """How far a call has come."""

    READY = "ready"
    """It is due and has not started."""
    RUNNING = "running"
    """Its body has started."""
    ASKING = "asking"
    """Its body is done; a provider is being asked."""
    WAITING = "waiting"
    """Its question is stored; a person will answer."""


@dataclass(slots=True, kw_only=True)
class Active:
    """A call that is due and not finished."""

    call: Call
    role: Role
    wave: int | None
    """The wave that waits for it; None for the starts of a kickoff."""
    cause: Event | None
    attempt: int = 0
    """How often its body was started."""
    phase: Phase = Phase.READY


@dataclass(slots=True, kw_only=True)
class Wave:
    """What one finished call sets in motion."""

    number: int
    parent: int | None
    events: list[Event]
    """The call's own event, then the labels of routers in the order they were raised.

    What its routers have heard and no plain listener waits for is gone, so that a loop of routers does not grow.
    """
    after: Event | None = None
    """The label of the call itself, raised when this wave is over."""
    after_joins_parent: bool = False
    """Whether `after` joins the parent's events (a router) or opens a wave of its own (a start)."""
    is_routing: bool = True
    at: int = -1
    """The event under way."""
    queue: list[MethodName]
    """Routers of that event still to run."""
    open: int = 0
    """Calls and inner waves this wave waits for."""
    raised_by: list[MethodName]
    fired: dict[MethodName, bool]
    """Fire-once listeners that fired in this wave, and whether for a label."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """Where a run stands. One plain record; only the functions of this module change it."""

    counts: dict[MethodName, int] = field(default_factory=dict[MethodName, int])
    fired: set[MethodName] = field(default_factory=set[MethodName])
    """Fire-once listeners that are spent."""
    heard: dict[MethodName, dict[str, set[int]]] = field(default_factory=dict[MethodName, dict[str, set[int]]])
    """For each method, by place of the and_ in its condition: the parts already seen."""
    waves: dict[int, Wave] = field(default_factory=dict[int, Wave])
    active: dict[Call, Active] = field(default_factory=dict[Call, Active])
    next_wave: int = 1


def begin(graph: FlowGraph, progress: Progress) -> list[Active]:
    """The calls that a kickoff starts."""
    return [_enter(progress, method, role=Role.START, wave=None, cause=None) for method in graph.starts]


def finish(graph: FlowGraph, progress: Progress, call: Call, label: str | None) -> list[Active]:
    """The calls that become ready because this one ended.

    label is the event its answer raises, or None. Raises KeyError for a call that is not active.
    """
    ended = progress.active.pop(call)
    own = EventName(call.method)
    after = Event(EventName(label), call, is_label=True) if label else None
    joins_parent = ended.role is Role.ROUTER
    wave: Wave | None
    if graph.hears(own):
        wave = _open(progress, Event(own, call, is_label=False), parent=_heir(progress, ended, after))
        wave.after, wave.after_joins_parent = after, joins_parent
    else:
        wave = _after(progress, ended.wave, after, joins_parent=joins_parent, fired={})
    ready: list[Active] = []
    _proceed(graph, progress, wave, ready)
    return ready


def _open(progress: Progress, event: Event, *, parent: int | None) -> Wave:
    wave = Wave(number=progress.next_wave, parent=parent, events=[event], queue=[], raised_by=[], fired={})
    progress.next_wave += 1
    progress.waves[wave.number] = wave
    return wave


def _heir(progress: Progress, ended: Active, after: Event | None) -> int | None:
    """The wave that waits for the ended call's wave.

    A wave with nothing left but this call leaves its place to the new one, so that a long chain stays flat.
    """
    if ended.wave is None:
        return None
    wave = progress.waves[ended.wave]
    spent = not wave.is_routing and wave.open == 1 and wave.at == len(wave.events) - 1
    if spent and wave.after is None and after is None:
        del progress.waves[wave.number]
        return wave.parent
    return wave.number


def _proceed(graph: FlowGraph, progress: Progress, wave: Wave | None, ready: list[Active]) -> None:
    """Takes waves forward until each waits for a call, or is over and its parent has been taken forward."""
    while wave is not None:
        wave = _close(progress, wave) if not _step(graph, progress, wave, ready) else None


def _step(graph: FlowGraph, progress: Progress, wave: Wave, ready: list[Active]) -> bool:
    """Whether the wave waits for something, after taking it as far as it goes."""
    while True:
        if wave.queue:
            method = wave.queue.pop(0)
            ready.append(_enter(progress, method, role=Role.ROUTER, wave=wave.number, cause=wave.events[wave.at]))
            wave.open = 1
            return True
        if wave.is_routing and wave.at >= 0 and wave.events[wave.at].name not in graph.listeners_hearing:
            del wave.events[wave.at]
        else:
            wave.at += 1
        if wave.at >= len(wave.events):
            if not wave.is_routing:
                return False
            wave.is_routing, wave.at = False, -1
            continue
        event = wave.events[wave.at]
        if wave.is_routing:
            wave.queue = _hearing(progress, graph.routers_hearing.get(event.name, _NOBODY))
            continue
        if event.is_label:
            _rearm(graph, progress, wave, event)
        methods = _hearing(progress, graph.listeners_hearing.get(event.name, _NOBODY))
        if methods:
            ready.extend(_enter_together(graph, progress, methods, wave, event))
            wave.open = len(methods)
            return True


def _close(progress: Progress, wave: Wave) -> Wave | None:
    """The wave to take forward next, now that this one is over."""
    del progress.waves[wave.number]
    return _after(progress, wave.parent, wave.after, joins_parent=wave.after_joins_parent, fired=wave.fired)


def _after(
    progress: Progress, parent: int | None, label: Event | None, *, joins_parent: bool, fired: dict[MethodName, bool]
) -> Wave | None:
    """The wave to take forward next, once all that a call's name set in motion is over.

    The call's own label joins the parent's events, or opens a wave that the parent then waits for instead, and that
    counts as one with the wave of the name: fired is what fired in that one.
    """
    if label is not None and not joins_parent:
        wave = _open(progress, label, parent=parent)
        wave.fired = fired
        return wave
    if parent is None:
        return None
    waiting = progress.waves[parent]
    if label is not None:
        router = label.source.method
        is_again = router in waiting.raised_by
        waiting.events.append(label._replace(again=is_again))
        if not is_again:
            waiting.raised_by.append(router)
    waiting.open -= 1
    return waiting if waiting.open == 0 else None


def _enter(progress: Progress, method: MethodName, *, role: Role, wave: int | None, cause: Event | None) -> Active:
    number = progress.counts.get(method, 0) + 1
    if number > 1:
        # A step that runs again begins a new cycle: every fire-once listener may fire in it.
        progress.fired.clear()
    progress.counts[method] = number
    active = Active(call=Call(method, number), role=role, wave=wave, cause=cause)
    progress.active[active.call] = active
    return active


def _enter_together(
    graph: FlowGraph, progress: Progress, methods: Sequence[MethodName], wave: Wave, event: Event
) -> list[Active]:
    # Marked before entering: a listener that itself runs again counts as a step run again, and is armed anew.
    once = [method for method in methods if graph.steps[method].once]
    progress.fired.update(once)
    wave.fired.update(dict.fromkeys(once, event.is_label))
    return [_enter(progress, method, role=_role(graph, method), wave=wave.number, cause=event) for method in methods]


def _role(graph: FlowGraph, method: MethodName) -> Role:
    step = graph.steps[method]
    return Role.START if step.is_conditional else Role.LISTENER


def _rearm(graph: FlowGraph, progress: Progress, wave: Wave, label: Event) -> None:
    """Lets fire-once listeners of a router's label fire again, unless they have fired in this wave.

    So a step and the label it leads to, or the labels of chained routers, fire an alternative once. A router that
    looped before any listener ran fires it once for each of its labels.
    """
    for method in graph.listeners_hearing.get(label.name, ()):
        if method not in wave.fired or (label.again and wave.fired[method]):
            progress.fired.discard(method)


def _hearing(progress: Progress, candidates: Mapping[MethodName, Share]) -> list[MethodName]:
    """Those of the methods whose condition is met by the event whose shares these are."""
    met: list[MethodName] = []
    for method, share in candidates.items():
        if method in progress.fired:
            continue
        if _meets(share, progress.heard.setdefault(method, {}) if share.joins else {}):
            met.append(method)
            progress.heard.pop(method, None)
    return met


def _meets(share: Share, memory: dict[str, set[int]]) -> bool:
    is_met = share.meets
    for join in share.joins:
        parts = [index for index, part in join.parts if _meets(part, memory)]
        if not parts:
            continue
        seen = memory.setdefault(join.place, set())
        seen.update(parts)
        if len(seen) == join.size:
            del memory[join.place]
            is_met = True
    return is_met


def mark_started(actives: Sequence[Active]) -> list[Active]:
    """Those of the calls whose body starts now; their attempt counts."""
    starting = [active for active in actives if active.phase is Phase.READY]
    for active in starting:
        active.phase = Phase.RUNNING
        active.attempt += 1
    return starting


def take_back(actives: Sequence[Active]) -> None:
    """Undoes `mark_started` for calls whose body was never run."""
    for active in actives:
        active.phase = Phase.READY
        active.attempt -= 1
