"""What is decided on, as one digest, and its fields for the policy's rules."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel

from bot.reviews.gate_policy import GatePolicy
from bot.reviews.model import Gate
from bot.reviews.policy_rules import MISSING


def payload_hash(gate: Gate, output: Any, state: Any, target: str, policy: GatePolicy) -> str:
    """The SHA-256, in hexadecimal, of everything that a decision is about.

    That is what is proposed, the state that the flow goes on with, where it is decided, at which tier, and between
    which outcomes. target is the place as the flow names it, so that the digest does not hang on what Slack calls it.
    """
    shown = {
        "flow": gate.flow_name,
        "method": gate.method,
        "question": gate.question,
        "emit": list(gate.emit),
        "output": output,
        "state": state,
        "target": target,
        "tier": policy.tier.value,
    }
    return hashlib.sha256(canonical(shown).encode()).hexdigest()


def canonical(value: Any) -> str:
    """One text for equal values: keys sorted, sets in order, no spaces. Types that JSON lacks are told apart."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def fields_of(output: Any, state: Any) -> Callable[[str], Any]:
    """How a rule reads a field: `amount` of the output, `customer.country` inside it, `state.amount` of the state."""

    def read(path: str) -> Any:
        names = path.split(".")
        found = output
        if names[0] == "state":
            found, names = state, names[1:]
        for name in names:
            found = _member(found, name)
        return found

    return read


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name, MISSING)
    if isinstance(value, BaseModel):
        return getattr(value, name) if name in type(value).model_fields else MISSING
    if dataclasses.is_dataclass(value) and name in {each.name for each in dataclasses.fields(value)}:
        return getattr(value, name)
    return MISSING


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, Enum):
        return {"enum": _plain(value.value)}
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields} | {
            name: _plain(each) for name, each in (value.model_extra or {}).items()
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Set):
        return {"set": sorted(canonical(each) for each in cast("Set[Any]", value))}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": hashlib.sha256(value).hexdigest()}
    if isinstance(value, Sequence):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    if isinstance(value, (Decimal, date, time, timedelta)):
        return {type(value).__name__: str(value)}
    # Any other type says what it is by its own text; an object without one only by its class, never by its address.
    text = str(value)
    return {type(value).__name__: "" if " object at 0x" in text else text}
