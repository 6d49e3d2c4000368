"""What is true around a review when somebody wants to decide it: who sees it, who is asked, who was."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from bot.errors import SlackUnavailable
from bot.reviews.gate_policy import Who
from bot.reviews.model import Review
from bot.reviews.policy import Standing
from bot.slack.directory import Directory
from bot.slack.people import People
from bot.types import UserId

log = structlog.get_logger(__name__)


class Standings:
    """Looks up the people that a policy names, at the moment they act."""

    def __init__(self, people: People, directory: Directory) -> None:
        self._people, self._directory = people, directory

    async def of(self, review: Review, user: UserId) -> Standing | None:
        """The standing, asked for the sake of this person; None when Slack does not say: then nobody decides."""
        if review.asked is None:
            try:
                return Standing(seeing=await self._people.members(review.target_channel, asking=user))
            except SlackUnavailable as error:
                log.warning("members_unknown", review=review.id, reason=str(error))
                return None
        asked = await self._directory.people(review.asked, asking=user)
        before = await self._directory.people(review.passed_over)
        if asked is None or before is None:
            log.warning("people_unknown", review=review.id)
            return None
        # Nothing but being asked counts here, so nobody needs to be known to see the card.
        return Standing(seeing=frozenset(), asked=asked, before=before - asked)

    async def is_operator(self, user: UserId, operators: Sequence[Who]) -> bool:
        """Whether the policy names this person as one who runs the bot; False when Slack does not say."""
        found = await self._directory.people(operators, asking=user) if operators else frozenset[UserId]()
        return found is not None and user in found
