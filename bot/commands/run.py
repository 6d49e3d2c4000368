"""Do what a command says, and give the answer to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.catalog import Catalog, FlowEntry, check_inputs, unknown_inputs
from bot.commands.asker import Asker
from bot.commands.manage import Managing
from bot.commands.parse import (
    ID,
    About,
    BadInput,
    Command,
    Halt,
    Help,
    ListFlows,
    Malformed,
    OpenQuote,
    Pending,
    Reassign,
    ShowPolicy,
    Start,
    Status,
    UnknownWord,
    is_command,
    parse,
)
from bot.errors import SlackRefused, SlackUnavailable
from bot.render import commands as drawn
from bot.render.commands import Listed, RunStatus
from bot.render.mrkdwn import NOTHING, Mrkdwn, code, fill, join, mention, one_line, say, truncate
from bot.render.runs import flow_title
from bot.reviews.service import ReviewService
from bot.sessions.host import SessionHost
from bot.sessions.languages import Languages
from bot.sessions.model import Said
from bot.sessions.store import SessionStore
from bot.slack.outbound import Outbound
from bot.slack.people import People
from bot.types import ChannelId, Language, Message, MessageRef, ReviewId, Run, TeamId, ThreadKey, UserId, UserMessage

SLASH = fill("/flows ")


class Commands:
    """The commands of `/flows` and of mentions."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        host: SessionHost,
        sessions: SessionStore,
        reviews: ReviewService,
        people: People,
        outbound: Outbound,
        managing: Managing,
        policy_page: Callable[[Language], Message],
        bot_user: UserId,
        languages: Languages,
        default_flows: Mapping[str, str],
    ) -> None:
        self._catalog, self._host = catalog, host
        self._sessions, self._reviews = sessions, reviews
        self._people, self._outbound = people, outbound
        self._managing, self._policy_page = managing, policy_page
        self._bot_user = bot_user
        self._languages, self._default_flows = languages, default_flows

    async def typed(self, *, team: TeamId, user: UserId, channel: ChannelId, text: str, key: str) -> Message | None:
        """The private answer to a slash command.

        None: a flow is started, stored when this returns; the thread that begins speaks for itself.
        """
        person = await self._people.person(user)
        language = (person.language if person else None) or self._languages.of(channel)
        asker = Asker(team=team, user=user, channel=channel, thread=None, language=language, prefix=SLASH)
        command = parse(text)
        if isinstance(command, Start):
            entry = self._startable(command, asker)
            if isinstance(entry, Message):
                return entry
            await self._host.start_flow(
                team, key, channel=channel, user=user, flow_name=entry.name, inputs=dict(command.inputs)
            )
            return None
        return await self._told(command, asker)

    async def again(
        self, *, team: TeamId, user: UserId, channel: ChannelId, review: ReviewId, card: MessageRef
    ) -> Message:
        """The private answer to the button that asks again what nobody answered."""
        person = await self._people.person(user)
        language = (person.language if person else None) or self._languages.of(channel)
        asker = Asker(
            team=team, user=user, channel=channel, thread=None, language=language, prefix=SLASH, source="button"
        )
        return await self._managing.again(review, card, asker)

    def concerns(self, message: UserMessage, *, owned: bool, busy: bool) -> bool:
        """True when a message that is addressed to the bot is to be answered as a command.

        owned: it stands in a thread of ours; busy: a review is open there. Words in such a thread may be meant for the
        review or for other people, so only what is a command through and through counts there.
        """
        if message.text and (busy or (owned and message.thread.channel.startswith("D"))):
            return is_command(message.text)
        return True

    async def spoken(self, message: UserMessage, *, home: ThreadKey | None) -> Said | None:
        """The answer to a command in a message.

        None: a flow was started, and what it shows speaks for itself.
        """
        is_direct = message.thread.channel.startswith("D")
        asker = Asker(
            team=message.thread.team,
            user=message.user,
            channel=message.thread.channel,
            thread=home if message.in_thread else None,
            language=self._languages.of(message.thread.channel),
            prefix=NOTHING if is_direct else fill("{} ", mention(self._bot_user)),
        )
        command = parse(message.text)
        if isinstance(command, Start):
            entry = self._startable(command, asker)
            if isinstance(entry, Message):
                return Said(message=entry)
            await self._host.start_in_thread(message, flow_name=entry.name, inputs=dict(command.inputs))
            return None
        if isinstance(command, UnknownWord) and is_direct:
            return Said(message=drawn.help_text(self._bot_user, asker.prefix, asker.language))
        return Said(message=await self._told(command, asker), private=await self._is_elsewhere(command, asker))

    async def _is_elsewhere(self, command: Command, asker: Asker) -> bool:
        """True when the answer tells of another channel than the one it would be shared in."""
        if isinstance(command, (Pending, About, Reassign, Halt)):
            return await self._managing.is_elsewhere(command, asker)
        if not isinstance(command, Status):
            return False
        if command.id is None:
            return asker.thread is not None and asker.thread.channel != asker.channel
        run = await self._find(command.id, asker)
        return run is not None and run.thread.channel != asker.channel

    async def _told(self, command: Command, asker: Asker) -> Message:
        language, prefix = asker.language, asker.prefix
        match command:
            case Help():
                return drawn.help_text(self._bot_user, asker.prefix, language)
            case ListFlows():
                listed = [
                    Listed(description=flow.description, inputs=flow.inputs or (), start=start_line(flow, asker.prefix))
                    for flow in self._catalog
                ]
                return drawn.flow_list(listed, language)
            case Status(id=None):
                return drawn.status_list([await self._status(run) for run in await self._running(asker)], language)
            case Status(id=wanted):
                run = await self._find(wanted or "", asker)
                if run is None:
                    return drawn.note(say("status.missing", language, id=one_line(wanted or "")))
                return drawn.status_one(await self._status(run), language)
            case Pending() | About() | Reassign() | Halt():
                return await self._managing.do(command, asker)
            case ShowPolicy():
                return self._policy_page(language)
            case Malformed(verb="reassign"):
                return drawn.note(say("manage.write_reassign", language, p=prefix))
            case Malformed(verb="pending" | "pause" | "continue" | "policy" as verb):
                return drawn.note(say("manage.write_alone", language, p=prefix, verb=one_line(verb)))
            case Malformed(verb=verb):
                return drawn.note(say("manage.which", language, p=prefix, verb=one_line(verb)))
            case BadInput(word=word):
                return drawn.note(say("start.bad_input", language, word=one_line(word)))
            case OpenQuote(text=text):
                return drawn.note(say("command.quotes", language, text=one_line(text)))
            case UnknownWord(word=word, near=near):
                return drawn.note(say("command.unknown", language, word=one_line(word), near=one_line(near), p=prefix))
            case Start():
                raise AssertionError("starts are handled by the callers, who know where they belong")

    def _startable(self, command: Start, asker: Asker) -> FlowEntry | Message:
        language, prefix = asker.language, asker.prefix
        chosen = command.name or self._default_flows.get(asker.channel, "")
        if not chosen:
            near = next((entry.name for entry in self._catalog), "")
            return drawn.note(say("start.which", language, near=one_line(near), p=prefix))
        entry = self._catalog.get(chosen)
        if entry is None:
            near = one_line(self._catalog.nearest(command.name))
            return drawn.note(say("start.unknown", language, name=one_line(command.name), near=near))
        for name in unknown_inputs(entry, command.inputs):
            names = join([code(each) for each in entry.inputs or ()], ", ")
            words = say("start.unknown_input", language, flow=flow_title(entry.name), name=one_line(name), names=names)
            return drawn.note(words)
        return self._refused_inputs(entry, command, asker) or entry

    @staticmethod
    def _refused_inputs(entry: FlowEntry, command: Start, asker: Asker) -> Message | None:
        """What is wrong with the inputs, said before a run begins that could only fail."""
        missing, invalid = check_inputs(entry, command.inputs)
        lines = [
            say("start.invalid", asker.language, name=code(name), value=one_line(truncate(command.inputs[name], 80)))
            for name in invalid
        ]
        if missing:
            names = join([code(name) for name in missing], ", ")
            example = fill("`{}`", start_line(entry, asker.prefix))
            lines.append(
                say("start.missing", asker.language, flow=flow_title(entry.name), names=names, example=example)
            )
        return drawn.note(join(lines, "\n")) if lines else None

    async def _running(self, asker: Asker) -> list[Run]:
        if asker.thread is not None:
            return await self._sessions.in_thread(asker.thread)
        return await self._sessions.in_channel(asker.team, asker.channel)

    async def _find(self, wanted: str, asker: Asker) -> Run | None:
        """The run behind F-n or R-n, if this person may see it: never by number alone."""
        found = ID.fullmatch(wanted.strip())
        if found is None:
            return None
        kind, n = found[1].casefold(), int(found[2])
        if kind == "f":
            run = await self._sessions.by_number(asker.team, n)
        else:
            review = await self._reviews.store.by_number(asker.team, n)
            run = None if review is None else await self._sessions.get(asker.team, review.run)
        if run is None or run.requester == asker.user:
            return run
        members = await self._people.members(run.thread.channel, asking=asker.user)
        return run if asker.user in members else None

    async def _status(self, run: Run) -> RunStatus:
        person = await self._people.person(run.requester)
        try:
            url = await self._outbound.permalink(MessageRef(channel=run.thread.channel, ts=run.thread.ts))
        except (SlackRefused, SlackUnavailable):
            url = None
        return RunStatus(
            run=run,
            requester_name=person.name if person else run.requester,
            reviews=await self._reviews.store.of_run(run.team, run.id),
            url=url,
        )


def start_line(entry: FlowEntry, prefix: Mrkdwn) -> Mrkdwn:
    """The command that starts this flow, with its required inputs to be filled in."""
    needed = [fill("{}=…", one_line(name)) for name in entry.required]
    return join([fill("{}start {}", prefix, one_line(entry.name)), *needed], " ")
