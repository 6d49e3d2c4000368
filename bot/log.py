"""Logging, set up once: events with keys, for people in a terminal and as JSON elsewhere."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

# Anything that looks like one of Slack's tokens or a response address, wherever it stands.
_CHATTY = ("slack_bolt", "slack_sdk", "aiosqlite", "asyncio")
_SECRETS = re.compile(r"x(?:ox[a-z]|app)-[A-Za-z0-9-]+|https?://[^\s\"']*/(?:actions|commands|reply)/[^\s\"']+")


def configure(level: str) -> None:
    """Send every log line of the process through structlog, with secrets struck out."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer()
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                strike_secrets,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    handler.addFilter(_worth_a_line)


def _worth_a_line(record: logging.LogRecord) -> bool:
    # Bolt sets the levels of its own loggers, so that a level on their parent does not hold for them.
    if record.levelno < logging.WARNING and record.name.startswith(_CHATTY):
        return False
    # Bolt reads SLACK_BOT_TOKEN by itself and warns that our client, which has the token already, wins.
    return "`token` will be unused" not in str(record.msg)


def strike_secrets(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The event without anything that looks like a token."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = _SECRETS.sub("[secret]", value)
    return event
