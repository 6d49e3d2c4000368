"""What a step says about its own gate, in the metadata of its decorator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.reviews.gate_policy import Tier, Who
from bot.reviews.policy_faults import Fault, instead
from bot.reviews.policy_layers import Layer, Stated

RESERVED_KEYS = frozenset(
    {
        "tier",
        "risk_score",
        "dispositions",
        "aliases",
        "descriptions",
        "confirm",
        "words",
        "rollback",
        "repeatable",
        "edit",
        "proposals",
        "items",
        "reviewers",
        "summary",
        "labels",
        "language",
    }
)
"""The keys of a step's metadata that mean something to Placet; all others are the author's own."""

HOW_TO_NAME = "Write @handle, #channel, an email address, or an id such as U0123ABC."

_ID = re.compile(r"[UWSCG][A-Z0-9]{2,}")
_EMAIL = re.compile(r"[^@\s,<>]+@[^@\s,<>]+\.[^@\s,<>]+")
_HANDLE = re.compile(r"[@#][^\s@#,<>]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSays:
    """A step's own statement, and what is wrong with it."""

    layer: Layer
    tier: Tier | None
    faults: tuple[Fault, ...]


def step_says(gate: str, metadata: Mapping[str, Any]) -> StepSays:
    """What this step's metadata says. gate is `flow.method`."""
    place = f"step {gate}"
    faults = [
        Fault(
            place=place,
            what=f"the metadata key {key!r} means nothing.",
            mend=f"Did you mean {near!r}? A key of your own needs a name that looks less alike.",
        )
        for key in metadata
        if (near := near_miss(str(key))) is not None
    ]
    tier = _tier(metadata.get("tier"), place, faults)
    score = _score(metadata.get("risk_score"), place, faults)
    pool = _people(metadata.get("reviewers"), place, faults)
    return StepSays(
        layer=Layer(stated=Stated(risk_score=score, pool=pool), place=place), tier=tier, faults=tuple(faults)
    )


def who_of(text: str) -> Who | None:
    """Who is meant by `@handle`, `#channel`, `a@b.c` or an id; None when it is nothing of these."""
    if _ID.fullmatch(text):
        kind = {"S": "group", "C": "channel", "G": "channel"}.get(text[0], "person")
        return Who(kind=cast("Any", kind), id=text, name=text)
    if _EMAIL.fullmatch(text):
        return Who(kind="name", id=text, name=text)
    if _HANDLE.fullmatch(text):
        return Who(kind="channel" if text[0] == "#" else "name", id=text, name=text)
    return None


def near_miss(key: str) -> str | None:
    """The reserved key that somebody meant who wrote this; None for a reserved key and for one of the author's own."""
    if key in RESERVED_KEYS:
        return None
    plain = _plain(key)
    for reserved in sorted(RESERVED_KEYS):
        most = 2 if len(reserved) > 9 else 1
        if _distance(plain, _plain(reserved)) <= most:
            return reserved
    return None


def is_irreversible(metadata: Mapping[str, Any], label: str) -> bool:
    """True when the step's `confirm` lists this label: what it does cannot be undone."""
    stated = metadata.get("confirm")
    if isinstance(stated, (Mapping, list, tuple, set, frozenset)):
        return label in stated
    return stated is True or stated == label


def _tier(stated: Any, place: str, faults: list[Fault]) -> Tier | None:
    if stated is None:
        return None
    known = {tier.value for tier in Tier}
    if isinstance(stated, str) and stated in known:
        return Tier(stated)
    faults.append(Fault(place=place, what=f"{stated!r} is no tier.", mend=instead(str(stated), known)))
    return None


def _score(stated: Any, place: str, faults: list[Fault]) -> int | None:
    if stated is None:
        return None
    if isinstance(stated, int) and not isinstance(stated, bool) and 0 <= stated <= 100:
        return stated
    faults.append(Fault(place=place, what=f"{stated!r} is no risk score.", mend="Write a whole number, 0 to 100."))
    return None


def _people(stated: Any, place: str, faults: list[Fault]) -> tuple[Who, ...] | None:
    if stated is None:
        return None
    names = [stated] if isinstance(stated, str) else stated
    if not isinstance(names, (list, tuple)):
        faults.append(Fault(place=place, what="its reviewers are no list.", mend='Write ["@handle"].'))
        return ()
    found: list[Who] = []
    for name in cast("Sequence[Any]", names):
        who = who_of(name) if isinstance(name, str) else None
        if who is not None:
            found.append(who)
        else:
            faults.append(Fault(place=place, what=f"{name!r} names no reviewer.", mend=HOW_TO_NAME))
    return tuple(found)


def _plain(key: str) -> str:
    return re.sub(r"[\s_-]+", "", key).casefold()


def _distance(one: str, other: str) -> int:
    """How many letters have to be added, dropped, changed or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
