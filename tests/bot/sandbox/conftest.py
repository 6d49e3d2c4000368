"""A running sandbox, its control client, Slack's own client, a real Bolt bot, and a socket that acks by hand."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import APP_TOKEN, BOT_TOKEN, DEFAULT_MANIFEST, Manifest, ManualClock, Sandbox, SandboxClient

APPROVE = {"type": "button", "action_id": "approve", "text": {"type": "plain_text", "text": "Approve"}, "value": "rv:1"}


class Bot:
    """A real Bolt app in Socket Mode that keeps every body it is sent."""

    def __init__(self, sandbox: Sandbox) -> None:
        client = AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url)
        self.app = AsyncApp(client=client)
        self.client = client
        # The interval is also how soon the client notices a line that was cut.
        self._handler = AsyncSocketModeHandler(self.app, APP_TOKEN, ping_interval=0.2)
        self._bodies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.app.use(self._keep)
        self.app.event(re.compile(".*"))(_hear)

    async def connect(self) -> None:
        await self._handler.connect_async()

    async def disconnect(self) -> None:
        await self._handler.close_async()

    async def next_body(self, kind: str) -> dict[str, Any]:
        """The next body of this type of event or interaction; others are passed over."""
        async with asyncio.timeout(5):
            while True:
                body = await self._bodies.get()
                if kind in (body.get("event", {}).get("type"), body.get("type"), body.get("command")):
                    return body

    async def _keep(self, body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> None:
        self._bodies.put_nowait(body)
        await next()


async def _hear(event: dict[str, Any]) -> None:
    """Having a listener is what makes Bolt acknowledge."""


class HandSocket:
    """A Socket Mode connection whose acks are given by hand, or not."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next_frame(self) -> dict[str, Any]:
        async with asyncio.timeout(5):
            return json.loads(await self.socket.receive_str())

    async def ack(self, frame: dict[str, Any], payload: dict[str, Any] | None = None) -> None:
        answer = {"envelope_id": frame["envelope_id"]}
        await self.socket.send_json(answer if payload is None else {**answer, "payload": payload})


@pytest.fixture
def manifest() -> Manifest:
    return DEFAULT_MANIFEST


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def sandbox(clock: ManualClock, manifest: Manifest) -> AsyncIterator[Sandbox]:
    async with Sandbox(clock=clock, manifest=manifest) as running:
        yield running


@pytest.fixture
async def control(sandbox: Sandbox) -> AsyncIterator[SandboxClient]:
    async with SandboxClient(sandbox.url) as client:
        yield client


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def slack(sandbox: Sandbox) -> AsyncWebClient:
    return AsyncWebClient(token=BOT_TOKEN, base_url=sandbox.api_url, retry_handlers=[])


@pytest.fixture
async def make_bot(sandbox: Sandbox) -> AsyncIterator[Callable[[], Awaitable[Bot]]]:
    """Makes bots that are connected already."""
    async with AsyncExitStack() as stack:

        async def make() -> Bot:
            made = Bot(sandbox)
            await made.connect()
            stack.push_async_callback(made.disconnect)
            return made

        yield make


@pytest.fixture
async def bot(make_bot: Callable[[], Awaitable[Bot]]) -> Bot:
    return await make_bot()


@pytest.fixture
async def make_socket(
    sandbox: Sandbox, http: aiohttp.ClientSession
) -> AsyncIterator[Callable[[], Awaitable[HandSocket]]]:
    """Makes connections that have been greeted already."""
    async with AsyncExitStack() as stack:

        async def make() -> HandSocket:
            client = AsyncWebClient(base_url=sandbox.api_url)
            opened = await client.apps_connections_open(app_token=APP_TOKEN)
            made = HandSocket(await stack.enter_async_context(http.ws_connect(opened["url"])))
            assert (await made.next_frame())["type"] == "hello"
            return made

        yield make


@pytest.fixture
async def willing_socket(make_socket: Callable[[], Awaitable[HandSocket]]) -> AsyncIterator[None]:
    """A connection that acknowledges whatever it is sent."""
    socket = await make_socket()

    async def acknowledge() -> None:
        async for message in socket.socket:
            await socket.ack(json.loads(message.data))

    task = asyncio.create_task(acknowledge())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def card() -> list[dict[str, Any]]:
    """Blocks with one button, `approve` in `decide`."""
    return [{"type": "actions", "block_id": "decide", "elements": [APPROVE]}]
