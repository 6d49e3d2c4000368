"""A small Slack on loopback: the bot connects to it unmodified, people and tests drive it.

It imports nothing of the bot and nothing of flows: it is a Slack, not a part of the bot.
"""

from bot.sandbox.client import NothingHappenedError, SandboxClient, SandboxError
from bot.sandbox.clock import Clock, ManualClock, SystemClock
from bot.sandbox.manifest import DEFAULT_MANIFEST, Command, Manifest, ManifestError, read_manifest
from bot.sandbox.server import NotLoopbackError, Sandbox, make_app
from bot.sandbox.world import APP_TOKEN, BOT_TOKEN

__all__ = [
    "APP_TOKEN",
    "BOT_TOKEN",
    "DEFAULT_MANIFEST",
    "Clock",
    "Command",
    "Manifest",
    "ManifestError",
    "ManualClock",
    "NotLoopbackError",
    "NothingHappenedError",
    "Sandbox",
    "SandboxClient",
    "SandboxError",
    "SystemClock",
    "make_app",
    "read_manifest",
]
