"""The first message of a run's thread, as far as it was posted for the run: it shows where the run stands."""

from __future__ import annotations

import structlog

from bot.errors import SlackRefused, SlackUnavailable
from bot.render import runs
from bot.sessions.languages import Languages
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import MessageRef, Run, RunState

log = structlog.get_logger(__name__)


class Roots:
    """Keeps the roots of threads true."""

    def __init__(self, outbound: Outbound, people: People, languages: Languages) -> None:
        self._outbound, self._people, self._languages = outbound, people, languages

    async def show(self, run: Run, state: RunState) -> None:
        """The root says that the run stands so."""
        if not run.root_is_ours:
            return
        person = await self._people.person(run.requester)
        name, language = person.name if person else run.requester, self._languages.of(run.thread.channel)
        message = runs.root(run.flow_name, name, run.inputs, language, state)
        try:
            await self._outbound.update(MessageRef(channel=run.thread.channel, ts=run.thread.ts), message)
        except (SlackRefused, SlackUnavailable) as error:
            # The root is a convenience; the cards and the lines below it carry the facts.
            log.warning("root_not_updated", run=run.id, reason=str(error))
