"""One thin function for each Slack surface: acknowledge, parse, one call."""

from __future__ import annotations

from collections.abc import Callable

from slack_bolt.async_app import AsyncApp

from bot.commands.run import Commands
from bot.listeners import commands, messages, reviews
from bot.sessions.host import SessionHost
from bot.sessions.notes import Notes
from bot.types import UserId


def register_listeners(
    app: AsyncApp,
    *,
    host: SessionHost,
    notes: Notes,
    answers: Commands,
    bot_user: UserId,
    forget: Callable[[], None],
) -> None:
    """Everything that the app listens to."""
    messages.register(app, host=host, bot_user=bot_user, forget=forget)
    reviews.register(app, host=host, notes=notes, answers=answers)
    commands.register(app, answers=answers)
