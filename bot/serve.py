"""Run the bot until the process is asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal

import structlog

from bot.app import running
from bot.catalog import Catalog
from bot.settings import Settings

log = structlog.get_logger(__name__)


async def until_stopped(settings: Settings, catalog: Catalog) -> None:
    """Serve until SIGINT or SIGTERM; then take in nothing more, let what runs end, and return."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    serving = asyncio.create_task(_serve(settings, catalog))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set():
        log.info("bot_stopping")
    # A start that hangs, on a Slack that does not answer, is ended like everything else.
    serving.cancel()
    stopped.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def _serve(settings: Settings, catalog: Catalog) -> None:
    async with running(settings, catalog):
        await asyncio.Event().wait()
