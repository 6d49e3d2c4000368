"""The slash command."""

# pyright: reportUnknownMemberType=false
# Slack's SDK and Bolt annotate their arguments with bare Dict and **kwargs.

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.commands.run import Commands
from bot.slack import inbound


def register(app: AsyncApp, *, answers: Commands) -> None:
    """Hear `/flows`."""

    @app.command("/flows")
    async def flows(ack: AsyncAck, body: dict[str, Any]) -> None:
        typed = inbound.slash_command(body)
        message = await answers.typed(
            team=typed.team, user=typed.user, channel=typed.channel, text=typed.text, key=typed.trigger_id
        )
        if message is None:
            await ack()
        else:
            await ack(text=message.text, blocks=list(message.blocks), response_type="ephemeral")

    del flows
