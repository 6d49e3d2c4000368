"""A click and the end of the time, within 5 ms of each other, 209 times on each database: one end, one polite answer.

Kind of the bug log: answer and timeout in the same instant end in a conflict error for the user.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.reviews.model import AlreadyResolved, ReviewState, Won

REVIEWS = 19
SETTLES = {"decided", "auto_rejected"}


@pytest.mark.parametrize("offset_ms", range(-5, 6))
async def test_a_click_at_the_instant_of_the_expiry_ends_in_one_state(
    reviews, opened, decide, clock, offset_ms: int
) -> None:
    waiting = [await opened(f"rv{n:02}", ts=f"{n}.0", policy={"ladder": ()}) for n in range(REVIEWS)]
    clock.advance(timedelta(minutes=30, milliseconds=offset_ms))

    clicks = [decide(reviews, review) for review in waiting]
    # The clock comes somewhere among the clicks, at another place for each offset.
    place = (offset_ms + 5) * REVIEWS // 10
    made = await asyncio.gather(*clicks[:place], reviews.tick(waiting[0].team, clock.now()), *clicks[place:])

    ended = {change.after.id: change.after for change in made[place]}
    verdicts = [*made[:place], *made[place + 1 :]]
    won = {verdict.review.id: verdict.review for verdict in verdicts if isinstance(verdict, Won)}
    lost = {verdict.review.id: verdict.review for verdict in verdicts if isinstance(verdict, AlreadyResolved)}
    assert sorted([*won, *ended]) == [review.id for review in waiting]
    assert lost == ended
    assert offset_ms >= 0 or not ended
    assert {review.state for review in lost.values()} <= {ReviewState.AUTO_REJECTED}
    records = [await reviews.store.audit(review.team, review.id) for review in waiting]
    assert [sum(entry.kind in SETTLES for entry in entries) for entries in records] == [1] * REVIEWS
