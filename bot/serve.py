"""Run the bot until the process is asked to stop."""

from __future__ import annotations

import asyncio
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
    async with running(settings, catalog):
        await stop.wait()
        log.info("bot_stopping")
