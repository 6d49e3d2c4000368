"""Where two records of one case differ."""

import json
from typing import Any

from tests.differential.case import Values

ABSENT = "(absent)"
"""Stands for a fact that only the peer's record has."""


def differences(ours: Values, peer: Values) -> dict[str, Any]:
    """Our value of each fact that differs. Types count: True is not 1."""
    facts = sorted({*ours, *peer})
    return {fact: ours.get(fact, ABSENT) for fact in facts if _text(ours, fact) != _text(peer, fact)}


def _text(values: Values, fact: str) -> str | None:
    return json.dumps(values[fact], sort_keys=True) if fact in values else None
