"""What waits for a decision, as far as one person may know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.reviews.gate_policy import Who
from bot.reviews.model import Review
from bot.reviews.store import ReviewStore
from bot.slack.directory import Directory
from bot.slack.people import People
from bot.types import ChannelId, Person, TeamId, UserId

_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What one person is shown."""

    shown: tuple[tuple[Review, bool], ...]
    """Each review, and whether it waits for this person: those come first, then by number."""
    more: int
    """How many more there are."""


class Sight:
    """What one person may know of reviews. Each group and channel is asked about once, however many reviews there are.

    What Slack does not say gives nobody a sight of anything.
    """

    def __init__(self, team: TeamId, user: UserId, person: Person | None, people: People, directory: Directory) -> None:
        self._user, self._people, self._directory = user, people, directory
        self._is_ours = (
            person is not None
            and person.team == team
            and not (person.is_bot or person.is_deleted or person.is_stranger)
        )
        self._may_decide = self._is_ours and not (person is None or person.is_guest)
        self._among: dict[tuple[str, str], bool] = {}

    async def is_asked(self, review: Review) -> bool:
        """Whether this person is one of those whom the review names now."""
        return self._may_decide and await self._is_one_of(review.asked or ())

    async def knows_of(self, review: Review, operators: Sequence[Who]) -> bool:
        """Whether the review is this person's, waits for them, stands or runs where they are, or is theirs to run."""
        if self._is_ours and (review.requester == self._user or await self._is_one_of(operators)):
            return True
        if await self.is_asked(review) or await self._is_in(review.thread.channel):
            return True
        return self._may_decide and review.asked is None and await self._is_in(review.target_channel)

    async def _is_one_of(self, who: Sequence[Who]) -> bool:
        # Whoever is named by id costs Slack nothing, so they come first.
        for each in sorted(who, key=lambda one: one.kind != "person"):
            if (each.kind, each.id) not in self._among:
                # None: Slack does not say.
                people = await self._directory.people((each,), asking=self._user)
                self._among[each.kind, each.id] = people is not None and self._user in people
            if self._among[each.kind, each.id]:
                return True
        return False

    async def _is_in(self, channel: ChannelId) -> bool:
        return await self._is_one_of((Who(kind="channel", id=channel, name=channel),))


async def waiting(store: ReviewStore, team: TeamId, sight: Sight, operators: Sequence[Who], *, limit: int) -> Waiting:
    """Everything that waits in this workspace and that the person of `sight` may know of; at most `limit` are given.

    What others only may see takes no place of theirs, however much of it there is.
    """
    theirs: list[Review] = []
    others: list[Review] = []
    count, after_n = 0, 0
    while page := await store.pending(team, _PAGE, after_n=after_n):
        after_n = page[-1].n
        for review in page:
            if not await sight.knows_of(review, operators):
                continue
            count += 1
            kept = theirs if await sight.is_asked(review) else others
            if len(kept) < limit:
                kept.append(review)
    shown = [*((review, True) for review in theirs), *((review, False) for review in others)][:limit]
    return Waiting(shown=tuple(shown), more=count - len(shown))
