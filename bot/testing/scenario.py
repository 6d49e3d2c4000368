"""A sandbox and a bot in one process, driven like a workspace full of people."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr

from bot import catalog, manifest
from bot.app import Bot, Parts, running
from bot.catalog import Catalog
from bot.render.review_forms import ANSWER_BLOCK, ANSWER_INPUT, REASON_BLOCK, REASON_INPUT
from bot.reviews.model import AuditEntry, Review
from bot.sandbox import APP_TOKEN, BOT_TOKEN, Sandbox, SandboxClient, read_manifest
from bot.settings import Settings
from bot.testing.transcript import choices, text_of
from bot.types import Language
from flows import Flow

Payload = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread in the sandbox."""

    channel: str
    ts: str


class Scenario:
    """People act, the bot answers, and the test looks at what is shown."""

    def __init__(
        self, sandbox: Sandbox, slack: SandboxClient, settings: Settings, flows: Catalog, parts: Parts
    ) -> None:
        self.sandbox, self.slack = sandbox, slack
        self._settings, self._flows, self._parts = settings, flows, parts
        self._running: AsyncExitStack | None = None
        self._bot: Bot | None = None
        self._seen = 0
        """The number of the newest call of the bot that the test knows of."""

    @property
    def bot(self) -> Bot:
        """The running bot."""
        assert self._bot is not None, "the bot is stopped"
        return self._bot

    @property
    def flows(self) -> Catalog:
        """What the bot offers."""
        return self._flows

    @property
    def database(self) -> Path:
        """The bot's database file."""
        return self._settings.database

    async def start_bot(self, parts: Parts | None = None) -> None:
        """Connect a bot; with `parts`, one with these parts instead."""
        self._parts = parts or self._parts
        self._running = AsyncExitStack()
        self._bot = await self._running.enter_async_context(running(self._settings, self._flows, self._parts))

    async def stop_bot(self) -> None:
        """End the bot in good order."""
        if self._running is not None:
            running_bot, self._running, self._bot = self._running, None, None
            await running_bot.aclose()

    async def restart(self, *flows: type[Flow[Any]]) -> None:
        """End the bot and start it again on the same database; with `flows`, it offers these from now on."""
        await self.stop_bot()
        self._flows = catalog.of(*flows) if flows else self._flows
        await self.start_bot()

    async def start(self, user: str, channel: str, text: str) -> Thread:
        """Type `/flows start TEXT`; the thread whose root the bot posted for it."""
        before = await self.look()
        await self.slack.command(user, channel, "/flows", f"start {text}")
        call = await self.slack.wait_for_call("chat.postMessage", after=before)
        posted = await self.slack.messages(str(call["args"]["channel"]))
        roots = [one for one in posted if one.get("bot_id") and one.get("thread_ts") in (None, one["ts"])]
        return Thread(channel=str(call["args"]["channel"]), ts=str(roots[-1]["ts"]))

    async def pass_time(self, **span: float) -> None:
        """Let time pass, as `timedelta` spells it, for the workspace and the bot alike; what is due then is applied."""
        # What is under way belongs to the time before.
        await self.bot.dispatcher.drain()
        await self.slack.advance_clock(timedelta(**span).total_seconds())
        await self.bot.escalation.tick()
        await self.bot.dispatcher.drain()

    async def review(self, n: int) -> Review:
        """The review that people call R-n, as it is stored."""
        found = await self.bot.reviews.store.by_number(self.bot.team, n)
        assert found is not None, f"there is no R-{n}"
        return found

    async def record(self, n: int) -> list[AuditEntry]:
        """What the record says of R-n, oldest first."""
        review = await self.review(n)
        return await self.bot.reviews.store.audit(review.team, review.id)

    async def command(self, user: str, channel: str, text: str) -> str:
        """Type `/flows TEXT`; what the private answer shows."""
        before = {str(one["ts"]) for one in await self.slack.messages(channel, user=user)}
        await self.slack.command(user, channel, "/flows", text)

        async def answered() -> str | None:
            shown = await self.slack.messages(channel, user=user)
            return next((text_of(one) for one in shown if one.get("ephemeral") and str(one["ts"]) not in before), None)

        return await self.until(answered)

    async def say(self, user: str, thread: Thread, text: str) -> str:
        """Write in a thread; the message's ts."""
        return await self.slack.say(user, thread.channel, text, thread_ts=thread.ts)

    async def messages(self, thread: Thread, *, user: str | None = None) -> list[Payload]:
        """The thread, newest last; with `user` also that person's private notes."""
        return list(await self.slack.thread(thread.channel, thread.ts, user=user))

    async def transcript(self, thread: Thread, *, user: str | None = None) -> str:
        """Everything that the thread shows, as text."""
        return "\n---\n".join(text_of(message) for message in await self.messages(thread, user=user))

    async def card(self, thread: Thread, *, at: int = -1) -> Payload:
        """The newest message of the thread that has buttons, once there is one; `channel` is added to it."""

        async def find() -> Payload | None:
            live = [{**one, "channel": thread.channel} for one in await self.messages(thread) if choices(one)]
            return live[at] if live else None

        return await self.until(find)

    async def press(self, user: str, card: Payload, label: str) -> bool:
        """Press the button, or choose the option, that reads `label`; whether it was acknowledged in time.

        The card may have changed since it was fetched: then it is pressed as a client does that is behind.
        """
        known = dict(choices(card))
        assert label in known, f"no {label!r} among {sorted(known)}"
        element = known[label]
        return await self.slack.click(
            user, str(card["channel"]), str(card["ts"]), str(element["action_id"]), value=element.get("value")
        )

    async def submit(self, user: str, block_id: str, action_id: str, text: str) -> Payload:
        """Fill one field of the form that this person has open, and send it."""

        async def opened() -> list[Any]:
            return [view for view in await self.slack.views(user) if view["type"] == "modal"]

        view = (await self.until(opened))[-1]
        return await self.slack.submit(user, str(view["id"]), {block_id: {action_id: text}})

    async def submit_reason(self, user: str, code: str, text: str = "") -> Payload:
        """Fill the form that asks why something is rejected, and send it."""

        async def opened() -> list[Any]:
            return [view for view in await self.slack.views(user) if view["type"] == "modal"]

        view = (await self.until(opened))[-1]
        values = {REASON_BLOCK: {REASON_INPUT: code}, ANSWER_BLOCK: {ANSWER_INPUT: text}}
        return await self.slack.submit(user, str(view["id"]), values)

    async def look(self) -> int:
        """The number of the newest call of the bot; what it does from now on comes after it."""
        calls = await self.slack.calls(after=self._seen)
        self._seen = max([self._seen, *(int(call["n"]) for call in calls)])
        return self._seen

    async def shows(self, thread: Thread, text: str, *, user: str | None = None) -> bool:
        """True when the thread shows this text now."""
        return text in await self.transcript(thread, user=user)

    async def until(self, check: Callable[[], Awaitable[T | None]], *, within: float = 10.0) -> T:
        """What `check` gives, once it gives something true. It is asked again after each call the bot makes."""
        while True:
            await self.look()
            found = await check()
            if found:
                return found
            if not await self.slack.calls(after=self._seen, wait_s=within):
                raise AssertionError(f"did not happen within {within:g} s after the bot's last call")


@asynccontextmanager
async def scenario(
    folder: Path,
    *flows: type[Flow[Any]],
    language: Language = "en",
    policy: str | None = None,
    parts: Parts | None = None,
) -> AsyncGenerator[Scenario, None]:
    """A sandbox with a connected bot that offers these flows; the shipped examples when none are given.

    policy is the text of a `reviews.yml`; None: there is none. The sandbox's clock is the bot's.
    """
    policy_file = folder / "reviews.yml"
    # What is named must be there, and nothing in the current folder is to be taken for it.
    policy_file.write_text(policy or "", "utf-8")
    clock_file = folder / "clock.json"
    offered = catalog.of(*flows) if flows else catalog.load("flows.examples", folder=folder)
    shown = read_manifest(manifest.text())
    async with Sandbox(manifest=shown, clock_file=clock_file) as sandbox, SandboxClient(sandbox.url) as client:
        settings = Settings(
            slack_bot_token=SecretStr(BOT_TOKEN),
            slack_app_token=SecretStr(APP_TOKEN),
            slack_api_url=sandbox.api_url,
            database=folder / "placet.db",
            policy_file=policy_file,
            clock_file=clock_file,
            bot_language=language,
        )
        made = Scenario(sandbox, client, settings, offered, parts or Parts(poll_s=0.1))
        await made.start_bot()
        try:
            yield made
        finally:
            await made.stop_bot()
