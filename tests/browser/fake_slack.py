"""A scripted server for page-only tests: it serves the page, sends frames on demand and keeps what it is asked."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, web

Frame = dict[str, Any]

PAGE = Path(__file__).parents[2] / "bot" / "sandbox" / "page"
CSP = "default-src 'self'"
START = 1_780_000_000.0
APP_USER = "UFLOWBOT"
PEOPLE = ("UANA", "UBRUNO", "UCARLA")


def person(user_id: str, name: str, title: str, locale: str, tz: str) -> Frame:
    return {
        "id": user_id,
        "name": name.lower(),
        "real_name": name,
        "title": title,
        "locale": locale,
        "tz": tz,
        "is_bot": False,
    }


def workspace() -> Frame:
    """The seeded workspace: staff, a guest and an outsider, three channels, a conversation with the app for our own."""
    everybody = [*PEOPLE, APP_USER]
    return {
        "type": "snapshot",
        "team": {"id": "TSANDBOX", "name": "Sandbox", "domain": "sandbox"},
        "app": {
            "id": "ASANDBOX",
            "name": "Flow reviews",
            "bot_user_id": APP_USER,
            "commands": [
                {"command": "/flows", "description": "Start and follow flows", "usage_hint": "start <flow> | status"}
            ],
        },
        "users": [
            person("UANA", "Ana", "author", "pt-BR", "America/Sao_Paulo"),
            person("UBRUNO", "Bruno", "reviewer", "en-US", "Europe/London"),
            person("UCARLA", "Carla", "second reviewer", "ko-KR", "Asia/Seoul"),
            {**person("UGIL", "Gil", "guest", "en-US", "Europe/Madrid"), "is_restricted": True},
            {**person("UEVE", "Eve", "other company", "en-US", "America/New_York"), "is_stranger": True},
            {
                "id": APP_USER,
                "name": "flow_reviews",
                "real_name": "Flow reviews",
                "is_bot": True,
                "locale": "en-US",
                "tz": "UTC",
            },
        ],
        "usergroups": [
            {
                "id": "SEDITORS",
                "handle": "editors",
                "name": "Editors",
                "members": ["UBRUNO", "UCARLA"],
                "is_disabled": False,
            }
        ],
        "channels": [
            {"id": "CGENERAL", "name": "general", "is_im": False, "is_private": False, "members": everybody},
            {
                "id": "CREVIEWS",
                "name": "content-reviews",
                "is_im": False,
                "is_private": False,
                "members": [*everybody, "UGIL"],
            },
            {
                "id": "CPARTNERS",
                "name": "partners",
                "is_im": False,
                "is_private": False,
                "is_ext_shared": True,
                "members": [*everybody, "UEVE"],
            },
            *(
                {
                    "id": f"D{who[1:]}",
                    "name": who.lower(),
                    "is_im": True,
                    "is_private": True,
                    "members": [who, APP_USER],
                    "user": who,
                }
                for who in (*PEOPLE, "UGIL")
            ),
        ],
        "messages": {},
        "ephemerals": [],
        "views": [],
        "homes": {},
        "bot": {"connected": True, "last_event_at": START, "ever_connected": True},
        "now": START + 600,
        "offset_s": 0,
    }


class FakeSlack:
    """One scripted workspace.

    `answers` maps a request path to (status, body); what is not in it is answered with success.
    """

    def __init__(self) -> None:
        self.snapshot = workspace()
        self.requests: list[tuple[str, Frame]] = []
        self.answers: dict[str, tuple[int, Frame]] = {}
        self.logs: dict[str, list[Frame]] = {}
        self.held: dict[str, asyncio.Event] = {}
        self.url = ""
        self.refuses_sockets = False
        self.refused = asyncio.Event()
        """Set whenever a socket was refused."""
        self._sockets: set[web.WebSocketResponse] = set()
        self._count = 0

    def ts(self, after: float = 0.0) -> str:
        self._count += 1
        return f"{START + self._count + after:.6f}"

    def message(
        self, text: str = "", *, user: str = APP_USER, channel: str = "CREVIEWS", after: float = 0.0, **more: Any
    ) -> Frame:
        """A stored message in Slack's shape; `send` tells the page about it."""
        stored = {"type": "message", "user": user, "text": text, "ts": self.ts(after), **more}
        if user == APP_USER:
            stored["bot_id"] = "BFLOWBOT"
        self.snapshot["messages"].setdefault(channel, []).append(stored)
        return stored

    def note(self, user: str, text: str, *, channel: str = "CREVIEWS", **more: Any) -> Frame:
        stored = {
            "type": "message",
            "user": APP_USER,
            "bot_id": "BFLOWBOT",
            "text": text,
            "ts": self.ts(),
            "ephemeral": True,
            **more,
        }
        frame = {"channel": channel, "user": user, "message": stored}
        self.snapshot["ephemerals"].append(frame)
        return {"type": "ephemeral", **frame}

    def hold(self, path: str) -> asyncio.Event:
        """Keeps every request on `path` unanswered until the event is set."""
        return self.held.setdefault(path, asyncio.Event())

    def bodies(self, path: str) -> list[Frame]:
        return [body for asked, body in self.requests if asked == path]

    async def send(self, frame: Frame) -> None:
        for socket in list(self._sockets):
            await socket.send_json(frame)

    async def show(self, message: Frame, channel: str = "CREVIEWS") -> None:
        await self.send({"type": "message", "channel": channel, "message": message})

    async def drop_sockets(self) -> None:
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        if self.refuses_sockets:
            self.refused.set()
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json(self.snapshot)
        self._sockets.add(socket)
        try:
            async for _ in socket:
                pass
        finally:
            self._sockets.discard(socket)
        return socket

    async def _control(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        body = await request.json()
        self.requests.append((path, body))
        if path in self.held:
            await self.held[path].wait()
        status, answer = self.answers.get(path, (200, {}))
        if status == 200 and path == "messages":
            answer = {"ts": await self._store(body), **answer}
        return web.json_response({"ok": status == 200, "acked": True, **answer}, status=status)

    async def _log(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        return web.json_response({"ok": True, name: self.logs.get(name, [])})

    async def _store(self, body: Mapping[str, Any]) -> str:
        more = {"thread_ts": body["thread_ts"]} if "thread_ts" in body else {}
        message = self.message(body["text"], user=body["user"], channel=body["channel"], after=500, **more)
        await self.show(message, body["channel"])
        return message["ts"]

    async def _file(self, request: web.Request) -> web.StreamResponse:
        path = (PAGE / request.match_info.get("name", "index.html")).resolve()
        if PAGE not in path.parents or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers={"Content-Security-Policy": CSP, "Cache-Control": "no-store"})

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator["FakeSlack"]:
        """Serves on a free port of the loopback interface."""
        app = web.Application()
        app.router.add_get("/", self._file)
        app.router.add_get("/ui/ws", self._socket)
        app.router.add_get("/ui/{name:.+}", self._file)
        app.router.add_get("/sandbox/{name:calls|deliveries}", self._log)
        app.router.add_post("/sandbox/{path:.+}", self._control)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            for event in self.held.values():
                event.set()
            await self.drop_sockets()
            await runner.cleanup()
