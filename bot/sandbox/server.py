"""The sandbox as a server: all doors on one aiohttp application, bound to loopback and to nothing else.

Source: project documents, "the sandbox": a small Slack on this machine that the unmodified bot connects to.
"""

from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.sandbox import control, page
from bot.sandbox.clock import Clock, SystemClock
from bot.sandbox.clock_offset import write_offset
from bot.sandbox.guard import add_headers, guard, is_loopback
from bot.sandbox.manifest import DEFAULT_MANIFEST, Manifest
from bot.sandbox.replies import answer_reply
from bot.sandbox.socket_mode import serve_socket
from bot.sandbox.web_api import answer_call
from bot.sandbox.world import APP_TOKEN, BOT_TOKEN, World, make_world

_BODY_BYTES = 4_000_000


class NotLoopbackError(ValueError):
    """The sandbox was to listen on an address that others can reach. `host` is that address."""

    def __init__(self, *, host: str) -> None:
        self.host = host
        super().__init__(f"The sandbox listens on loopback only, not on {host!r}. Use 127.0.0.1.")


def make_app(world: World) -> web.Application:
    """The aiohttp application that serves this world."""
    app = web.Application(middlewares=[guard], client_max_size=_BODY_BYTES)
    app.on_response_prepare.append(add_headers)
    app.router.add_route("GET", "/api/{method}", partial(answer_call, world))
    app.router.add_route("POST", "/api/{method}", partial(answer_call, world))
    app.router.add_route("GET", "/socket", partial(serve_socket, world))
    app.router.add_route("POST", "/reply/{key}", partial(answer_reply, world))
    for route in control.ROUTES:
        app.router.add_route(route.method, route.path, partial(control.answer_control, world, route))
    app.router.add_route("GET", "/", page.serve_index)
    app.router.add_route("GET", "/ui/ws", partial(page.serve_feed, world))
    app.router.add_route("GET", "/ui/{path:.+}", page.serve_file)
    app.router.add_route("GET", r"/archives/{channel:[A-Z0-9]+}/p{digits:\d{16}}", page.follow_permalink)
    return app


class Sandbox:
    """A small Slack on loopback, from `async with` to its end.

    Example:
        async with Sandbox() as sandbox:
            client = AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
    """

    bot_token = BOT_TOKEN
    app_token = APP_TOKEN

    def __init__(
        self,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        manifest: Manifest = DEFAULT_MANIFEST,
        clock: Clock | None = None,
        clock_file: Path | None = None,
    ) -> None:
        """Port 0 takes any free port; `clock_file` is where a bot in another process reads how far time was moved.

        Raises NotLoopbackError for a host that others can reach.
        """
        if not is_loopback(host):
            raise NotLoopbackError(host=host)
        self._host, self._port = host, port
        self.world = make_world(manifest=manifest, clock=clock or SystemClock(), clock_file=clock_file)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where the page and the control API are, without a slash at the end."""
        return self.world.origin

    @property
    def api_url(self) -> str:
        """What the bot's Slack client takes as its base_url."""
        return f"{self.world.origin}/api/"

    async def start(self) -> None:
        """Bind and serve. Raises OSError when the port is taken, or the clock file cannot be written."""
        if self.world.clock_file is not None:
            # Before anybody can connect: what an earlier sandbox left there must not move a bot of this one.
            write_offset(self.world.clock_file, self.world.offset_s)
        # Long polls and calls that are told to time out must not hold up the end.
        runner = web.AppRunner(make_app(self.world), handler_cancellation=True, shutdown_timeout=0.2)
        await runner.setup()
        self._runner = runner
        try:
            site = web.TCPSite(runner, self._host, self._port)
            await site.start()
        except OSError:
            await runner.cleanup()
            raise
        port = int(runner.addresses[0][1])
        shown = f"[{self._host}]" if ":" in self._host else self._host
        self.world.origin = f"http://{shown}:{port}"

    async def stop(self) -> None:
        """Cut every connection and free the port."""
        self.world.delivery.close()
        self.world.feed.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
