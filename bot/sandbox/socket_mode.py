"""The WebSocket a bot connects to, one per ticket; frames go out from a connection's outbox, acks come in."""

import asyncio
import json

from aiohttp import WSMsgType, web

from bot.sandbox.delivery import CONNECTION_LIMIT, Connection
from bot.sandbox.vocabulary import as_object
from bot.sandbox.world import World


async def serve_socket(world: World, request: web.Request) -> web.StreamResponse:
    """Serve one connection until either side closes it."""
    ticket = request.query.get("ticket", "")
    if ticket not in world.tickets:
        raise web.HTTPForbidden(text="This address was not given out, or has been used.")
    world.tickets.remove(ticket)
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    if world.delivery.connection_count >= CONNECTION_LIMIT:
        await socket.send_json({"type": "disconnect", "reason": "too_many_websockets", "debug_info": {}})
        await socket.close()
        return socket
    connection = world.delivery.connect()
    writer = asyncio.create_task(_write(request, socket, connection))
    try:
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                _acknowledge(world, message.data)
    finally:
        world.delivery.disconnected(connection)
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
    return socket


async def _write(request: web.Request, socket: web.WebSocketResponse, connection: Connection) -> None:
    while (text := await connection.outbox.get()) is not None:
        await socket.send_str(text)
    if request.transport is not None:
        # No close frame: this is how a line breaks.
        request.transport.abort()


def _acknowledge(world: World, text: str) -> None:
    try:
        frame = as_object(json.loads(text))
    except ValueError:
        return
    if frame is not None and isinstance(frame.get("envelope_id"), str):
        world.delivery.acknowledge(frame["envelope_id"], frame.get("payload"))
