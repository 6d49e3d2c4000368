"""Slack's connection around the Bolt app."""

from __future__ import annotations

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


class SocketMode:
    """One Socket Mode connection, which reconnects by itself."""

    def __init__(self, app: AsyncApp, app_token: str, client: AsyncWebClient) -> None:
        self._handler = AsyncSocketModeHandler(app, app_token, web_client=client)

    async def connect(self) -> None:
        """Connected when this returns. Raises what `apps.connections.open` raises."""
        await self._handler.client.connect()

    async def close(self) -> None:
        """Take in nothing more."""
        await self._handler.close_async()
