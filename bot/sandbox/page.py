"""Serving the page: its files, its feed, and the addresses that permalinks point to."""

import asyncio
from pathlib import Path
from typing import Final

from aiohttp import web

from bot.sandbox.snapshot import snapshot
from bot.sandbox.world import World

PAGE_DIRECTORY: Final = Path(__file__).parent / "page"
_CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""Said here and not guessed: with nosniff a browser runs no module whose type this machine's table has wrong."""


async def serve_feed(world: World, request: web.Request) -> web.StreamResponse:
    """`/ui/ws`: a snapshot, then every change; after a reset a new snapshot."""
    socket = web.WebSocketResponse(heartbeat=30.0)
    await socket.prepare(request)
    queue = world.feed.listen()
    await socket.send_json(snapshot(world))

    async def write() -> None:
        while (frame := await queue.get()) is not None:
            await socket.send_json(frame)
            if frame["type"] == "reset":
                await socket.send_json(snapshot(world))
        await socket.close()

    writer = asyncio.create_task(write())
    try:
        async for _ in socket:
            pass  # The page only listens here; it acts through the control API.
    finally:
        world.feed.leave(queue)
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
    return socket


async def serve_index(request: web.Request) -> web.StreamResponse:
    """`/`: the page."""
    return _file(PAGE_DIRECTORY / "index.html")


async def serve_file(request: web.Request) -> web.StreamResponse:
    """`/ui/…`: a file of the page, and nothing outside its directory."""
    wanted = (PAGE_DIRECTORY / request.match_info["path"]).resolve()
    if not wanted.is_relative_to(PAGE_DIRECTORY.resolve()):
        raise web.HTTPNotFound
    return _file(wanted)


async def follow_permalink(request: web.Request) -> web.StreamResponse:
    """`/archives/{channel}/p{ts}`: the page, at that message."""
    digits = request.match_info["digits"]
    root = request.query.get("thread_ts")
    thread = "" if root is None else f"&thread_ts={root}"
    raise web.HTTPFound(f"/?channel={request.match_info['channel']}&ts={digits[:-6]}.{digits[-6:]}{thread}")


def _file(path: Path) -> web.FileResponse:
    content_type = _CONTENT_TYPES.get(path.suffix)
    if content_type is None or not path.is_file():
        raise web.HTTPNotFound(text=f"The page has no file {path.name}.")
    return web.FileResponse(path, headers={"Content-Type": content_type})
