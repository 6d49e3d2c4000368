"""The composition root: settings in, a started bot out. It wires and computes nothing."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import asking_steps
from bot.catalog import Catalog
from bot.clock import Clock, clock_of
from bot.commands.manage import Managing
from bot.commands.run import Commands
from bot.db import Db
from bot.db.sqlite import SqliteDb
from bot.dispatch.local import LocalDispatcher
from bot.effects import Effects
from bot.errors import SettingsError
from bot.escalation import Escalation
from bot.inbox import Inbox
from bot.listeners import register_listeners
from bot.pager import Pager
from bot.render import policy
from bot.reviews import policy_checks, policy_file, signing
from bot.reviews.explain import explain
from bot.reviews.policy_rules import Policies
from bot.reviews.service import ReviewService
from bot.sessions.cards import Cards
from bot.sessions.host import SessionHost
from bot.sessions.languages import Languages
from bot.sessions.notes import Notes
from bot.sessions.opening import Opening
from bot.sessions.provider import SlackFeedbackProvider
from bot.sessions.recovery import Recovery
from bot.sessions.roots import Roots
from bot.sessions.runner import Runner
from bot.sessions.standing import Standings
from bot.sessions.store import SessionStore
from bot.sessions.telling import Telling
from bot.sessions.words import Words
from bot.sessions.work import ThreadWork
from bot.settings import SLACK_API, Settings, language_of, outgoing_hosts
from bot.slack.directory import Directory
from bot.slack.outbound import Outbound, make_client
from bot.slack.people import People
from bot.slack.transport import SocketMode
from bot.types import TeamId, UserId
from flows import FlowPersistence, SQLiteFlowPersistence

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a test may bring instead of the real thing."""

    clock: Clock | None = None
    db: Db | None = None
    persistence: FlowPersistence | None = None
    poll_s: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """A started bot."""

    team: TeamId
    user: UserId
    dispatcher: LocalDispatcher
    host: SessionHost
    reviews: ReviewService
    sessions: SessionStore
    escalation: Escalation
    policies: Policies


@asynccontextmanager
async def running(settings: Settings, catalog: Catalog, parts: Parts | None = None) -> AsyncGenerator[Bot, None]:
    """A bot that is connected to Slack until the block ends.

    Order matters: the database is claimed before anything is read, what was open is made eligible before anything new
    comes in, and on the way out nothing new comes in before what runs has ended.
    """
    parts = parts or Parts()
    clock = parts.clock or clock_of(settings)
    async with AsyncExitStack() as stack:
        path = Path(settings.database)
        # The lock comes before the database is opened: a second process must not even migrate it.
        lock = path.with_name(f"{path.name}.lock")
        db = parts.db
        claim = LocalDispatcher.claim_file(lock)
        stack.callback(claim.close)
        if db is None:
            db = await SqliteDb.open(path)
            stack.push_async_callback(db.close)
        persistence = parts.persistence
        if persistence is None:
            persistence = SQLiteFlowPersistence(str(path))
            stack.callback(persistence.close)

        session = await stack.enter_async_context(aiohttp.ClientSession())
        token = settings.slack_bot_token.get_secret_value()
        repeatable = make_client(token, settings.slack_api_url, session, repeatable=True)
        once = make_client(token, settings.slack_api_url, session, repeatable=False)
        me = await _who_am_i(repeatable)
        team, bot_user = TeamId(str(me.team_id)), UserId(str(me.bot_user_id))

        language = language_of(settings)
        inbox = Inbox(db, team)
        dispatcher = LocalDispatcher(inbox, clock, poll_s=parts.poll_s)
        signer = signing.load(settings.audit_key.get_secret_value() if settings.audit_key else None, beside=path)
        sessions = SessionStore(db)
        reviews = ReviewService(db, signer, clock, code_version=f"{version('placet')}+{catalog.digest}")
        people = People(repeatable, team)
        directory = Directory(repeatable, people)
        policies = await _policies(settings, catalog, directory)
        effects = Effects(db, clock)
        outbound = Outbound(repeatable=repeatable, once=once, effects=effects)
        runner = Runner(catalog, persistence, SlackFeedbackProvider())
        stack.callback(runner.close)
        languages = Languages(language, {name: each.language for name, each in policies.channels.items()})
        cards = Cards(reviews, sessions, outbound, people, directory, clock)
        notes = Notes(outbound, people, db, clock, language=language)
        standings = Standings(people, directory)
        opening = Opening(reviews, sessions, runner, people, policies, languages)
        roots = Roots(outbound, people, languages)
        host = SessionHost(
            db=db,
            inbox=inbox,
            dispatcher=dispatcher,
            reviews=reviews,
            sessions=sessions,
            cards=cards,
            notes=notes,
            outbound=outbound,
            people=people,
            standings=standings,
            opening=opening,
            clock=clock,
        )
        explained = explain(policies, asking=asking_steps(catalog))
        answers = Commands(
            catalog=catalog,
            host=host,
            sessions=sessions,
            reviews=reviews,
            people=people,
            outbound=outbound,
            managing=Managing(
                host=host,
                reviews=reviews,
                cards=cards,
                people=people,
                directory=directory,
                standings=standings,
                outbound=outbound,
                dispatcher=dispatcher,
                policies=policies,
            ),
            policy_page=lambda language: policy.message(explained, language),
            bot_user=bot_user,
            languages=languages,
            default_flows={name: each.flow for name, each in policies.channels.items() if each.flow},
        )
        work = ThreadWork(
            host=host,
            spoken=answers,
            words=Words(
                host=host,
                reviews=reviews,
                sessions=sessions,
                cards=cards,
                notes=notes,
                people=people,
                standings=standings,
                languages=languages,
            ),
            reviews=reviews,
            sessions=sessions,
            runner=runner,
            opening=opening,
            telling=Telling(
                reviews=reviews,
                sessions=sessions,
                cards=cards,
                notes=notes,
                outbound=outbound,
                directory=directory,
                pager=Pager(policies.pager, session, effects),
                roots=roots,
                runner=runner,
                operators=policies.operators,
                clock=clock,
                languages=languages,
            ),
            roots=roots,
            cards=cards,
            notes=notes,
            outbound=outbound,
            people=people,
            clock=clock,
            languages=languages,
        )

        app = _bolt_app(repeatable, me)

        def forget() -> None:
            people.forget()
            directory.forget()

        register_listeners(app, host=host, notes=notes, answers=answers, bot_user=bot_user, forget=forget)
        recovery = Recovery(
            team=team,
            inbox=inbox,
            dispatcher=dispatcher,
            sessions=sessions,
            reviews=reviews,
            runner=runner,
            cards=cards,
            clock=clock,
        )
        await reviews.policy_loaded(team, policies.digest)
        await recovery.at_start()
        await dispatcher.start(work.work, work.gave_up)
        stack.push_async_callback(inbox.close)
        stack.push_async_callback(dispatcher.stop)
        upkeep = asyncio.create_task(recovery.keep_on(parts.poll_s), name="upkeep")
        stack.push_async_callback(_end, upkeep)
        escalation = Escalation(team=team, db=db, reviews=reviews, dispatcher=dispatcher, clock=clock)
        ticking = asyncio.create_task(escalation.keep_on(parts.poll_s), name="escalation")
        stack.push_async_callback(_end, ticking)
        socket = SocketMode(app, settings.slack_app_token.get_secret_value(), repeatable)
        stack.push_async_callback(socket.close)
        await _check_app_token(repeatable, settings)
        await socket.connect()
        log.info("bot_connected", team=team, flows=[entry.name for entry in catalog])
        yield Bot(
            team=team,
            user=bot_user,
            dispatcher=dispatcher,
            host=host,
            reviews=reviews,
            sessions=sessions,
            escalation=escalation,
            policies=policies,
        )


async def _policies(settings: Settings, catalog: Catalog, directory: Directory) -> Policies:
    """The policy of every gate, with the people it names looked up. Raises PolicyError for those who cannot decide."""
    flows = [entry.name for entry in catalog]
    policies = policy_file.load(settings.policy_file, catalog.gates(), flows=flows, hosts=outgoing_hosts(settings))
    names = policies.names()
    policies = policies.with_people(await directory.find(names)) if names else policies
    policy_checks.check_people(policies, await directory.deciding(policy_checks.deciders(policies)))
    return policies


async def _check_app_token(client: AsyncWebClient, settings: Settings) -> None:
    """Say that the app-level token is wrong: the SDK would try for ever. The address it gives is thrown away."""
    try:
        await client.apps_connections_open(app_token=settings.slack_app_token.get_secret_value())
    except SlackApiError as error:
        code = str(cast("Mapping[str, Any]", error.response).get("error"))
        raise SettingsError(
            (f"SLACK_APP_TOKEN: Slack refused it ({code}). Make one with the scope connections:write.",)
        ) from error


async def _who_am_i(client: AsyncWebClient) -> AuthorizeResult:
    """Who this token is, asked once and at once: a wrong token must not wait for the first click."""
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        code = str(cast("Mapping[str, Any]", error.response).get("error"))
        raise SettingsError(
            (f"SLACK_BOT_TOKEN: Slack refused it ({code}). Copy it again from your app's page.",)
        ) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        what = "Slack" if client.base_url == SLACK_API else f"SLACK_API_URL {client.base_url}"
        raise SettingsError((f"{what} cannot be reached ({type(error).__name__}). Check the network.",)) from error
    return AuthorizeResult.from_auth_test_response(auth_test_response=answer, bot_token=client.token)


def _bolt_app(client: AsyncWebClient, me: AuthorizeResult) -> AsyncApp:
    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
        # One workspace: what comes from another one is not served with this one's token. None means "refused" to
        # Bolt, which its annotation does not say.
        return me if team_id in (None, me.team_id) else cast("AuthorizeResult", None)

    # Given `authorize`, Bolt keeps to it even where SLACK_CLIENT_ID is set, which would else make it an OAuth app
    # with a store of its own.
    return AsyncApp(
        name="placet",
        client=AsyncWebClient(base_url=client.base_url, session=client.session, retry_handlers=client.retry_handlers),
        authorize=authorize,
        signing_secret="socket-mode-signs-nothing",  # noqa: S106 - Socket Mode is authenticated by its connection
    )


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
