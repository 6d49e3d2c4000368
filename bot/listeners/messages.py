"""Events: stored by a middleware before Bolt acknowledges them, and acknowledged without a listener's work."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.sessions.host import SessionHost
from bot.slack import inbound
from bot.types import UserId, UserMessage

log = structlog.get_logger(__name__)
_KNOWN = frozenset({"message", "app_mention", "app_home_opened", "member_joined_channel"})


def register(app: AsyncApp, *, host: SessionHost, bot_user: UserId, forget: Callable[[], None]) -> None:
    """Hear messages, and acknowledge every event. forget drops what is known of people, groups and channels."""

    @app.middleware
    async def keep_messages(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        # Bolt acknowledges an event by itself before its listener runs. A middleware runs before that: what is
        # acknowledged is stored, and when storing fails, nothing is acknowledged and Slack delivers again.
        if body.get("type") == "app_rate_limited":
            log.warning("slack_rate_limited_events", minute=body.get("minute_rate_limited"))
            return BoltResponse(status=200)
        if body.get("type") == "event_callback":
            if inbound.event_type(body) in inbound.ABOUT_PEOPLE:
                forget()
            heard = inbound.message(body, bot_user)
            if isinstance(heard, UserMessage):
                await host.hear(heard)
        return await next()

    @app.event(re.compile(".*"))
    async def acknowledge(body: dict[str, Any]) -> None:
        # An event without a listener is not acknowledged in Socket Mode, and Slack would deliver it for ever.
        kind = inbound.event_type(body)
        if kind not in _KNOWN and kind not in inbound.ABOUT_PEOPLE:
            log.info("event_unused", type=kind)

    del keep_messages, acknowledge
