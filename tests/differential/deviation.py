"""What a listed difference says."""

from dataclasses import dataclass
from typing import Any, Literal

Why = Literal["better", "side", "ours", "open"]
"""better: the rule says that the peer does it badly. side: documents and peer differ, and the rule takes a side.
ours: the rule, or the list of differences, says what we do. open: a fault of ours that is not mended yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """One case in which ours gives other values than the peer, on purpose or not yet mended."""

    case: str
    rule: str
    """The rule's number in docs/engine-rules.md."""
    why: Why
    reason: str
    """One sentence."""
    ours: dict[str, Any]
    """Our value of every fact that differs; "(absent)" for a fact that only the peer has."""
