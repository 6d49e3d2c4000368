"""What did a call return or raise? For calls that one thread makes and another hears of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

Outcome = tuple[Any, BaseException | None]
"""What a call returned, or what it raised instead."""

Together = Callable[[Sequence[Callable[[], Any]]], list[Outcome]]
"""Makes several calls to one store, once each and in order, with one commit."""


def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Makes the call; raises nothing."""
    try:
        return call(), None
    except StopIteration as error:
        # A future cannot carry it; Python itself turns one that leaves a coroutine into this.
        return None, RuntimeError(f"the call raised StopIteration({error})")
    except BaseException as error:  # noqa: BLE001 - handed to the caller unchanged
        return None, error


def settle(answer: asyncio.Future[Any], outcome: Outcome) -> None:
    """Hands the outcome to whoever awaits the answer, unless nobody does any more."""
    found, error = outcome
    if answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(found)
