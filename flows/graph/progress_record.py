"""A run's progress in JSON's own types, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flows.graph.progress import Active, Call, Event, Phase, Progress, Role, Wave
from flows.types import EventName, MethodName


def to_dict(progress: Progress) -> dict[str, Any]:
    """The record in JSON's own types."""
    return {
        "counts": progress.counts,
        "fired": sorted(progress.fired),
        "heard": {
            method: {place: sorted(seen) for place, seen in memory.items()} for method, memory in progress.heard.items()
        },
        "next_wave": progress.next_wave,
        "waves": [
            {
                "number": wave.number,
                "parent": wave.parent,
                "events": [list(event) for event in wave.events],
                "after": list(wave.after) if wave.after else None,
                "after_joins_parent": wave.after_joins_parent,
                "is_routing": wave.is_routing,
                "at": wave.at,
                "queue": wave.queue,
                "open": wave.open,
                "raised_by": wave.raised_by,
                "fired": wave.fired,
            }
            for wave in progress.waves.values()
        ],
        "active": [
            {
                "call": list(active.call),
                "role": active.role.value,
                "wave": active.wave,
                "cause": list(active.cause) if active.cause else None,
                "attempt": active.attempt,
                "phase": active.phase.value,
            }
            for active in progress.active.values()
        ],
    }


def from_dict(data: dict[str, Any]) -> Progress:
    """The record that `to_dict` wrote."""
    waves = [_wave(item) for item in data["waves"]]
    actives = [_active(item) for item in data["active"]]
    return Progress(
        counts=dict(data["counts"]),
        fired=set(data["fired"]),
        heard={
            method: {place: set(seen) for place, seen in memory.items()} for method, memory in data["heard"].items()
        },
        next_wave=data["next_wave"],
        waves={wave.number: wave for wave in waves},
        active={active.call: active for active in actives},
    )


def _wave(item: dict[str, Any]) -> Wave:
    return Wave(
        number=item["number"],
        parent=item["parent"],
        events=[_event(event) for event in item["events"]],
        after=_maybe_event(item["after"]),
        after_joins_parent=item["after_joins_parent"],
        is_routing=item["is_routing"],
        at=item["at"],
        queue=list(item["queue"]),
        open=item["open"],
        raised_by=list(item["raised_by"]),
        fired=dict(item["fired"]),
    )


def _active(item: dict[str, Any]) -> Active:
    return Active(
        call=_call(item["call"]),
        role=Role(item["role"]),
        wave=item["wave"],
        cause=_maybe_event(item["cause"]),
        attempt=item["attempt"],
        phase=Phase(item["phase"]),
    )


def _call(data: Sequence[Any]) -> Call:
    return Call(MethodName(data[0]), data[1])


def _event(data: Sequence[Any]) -> Event:
    name, source, is_label, again = data
    return Event(EventName(name), _call(source), is_label, again)


def _maybe_event(data: Sequence[Any] | None) -> Event | None:
    return None if data is None else _event(data)
