"""What is wrong with a policy, where, and how it is mended."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from bot.errors import BotError


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that a policy may not say."""

    place: str
    """`reviews.yml:12`, or the gate whose step says it."""
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what} {self.mend}".rstrip()


class PolicyError(BotError):
    """The policy does not allow a start; every fault is named at once."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("The policy does not allow a start:\n" + "\n".join(f"  - {fault}" for fault in faults))


def instead(word: str, known: Iterable[str]) -> str:
    """What to write instead of `word`: the nearest of what is known, or all of it."""
    names = sorted(known)
    near = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(names)}." if names else "None is known."
