"""Placet's Slack app: it hosts flows, one session per thread, and lets people decide what the flows ask.

`SlackFeedbackProvider` is what a flow's author imports from here, to name the channel where a gate is reviewed. It
loads on first use, so that a part of the bot can be imported without the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.sessions.provider import SlackFeedbackProvider

__all__ = ["SlackFeedbackProvider"]


def __getattr__(name: str) -> Any:
    if name == "SlackFeedbackProvider":
        from bot.sessions.provider import SlackFeedbackProvider

        return SlackFeedbackProvider
    raise AttributeError(f"module 'bot' has no attribute {name!r}")
