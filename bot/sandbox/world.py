"""The one record of a running sandbox: the workspace, what is on its way, what went wrong on purpose, who listens."""

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.sandbox.clock import Clock
from bot.sandbox.delivery import Delivery
from bot.sandbox.faults import Faults, clear_faults
from bot.sandbox.feed import Feed
from bot.sandbox.journal import Journal
from bot.sandbox.manifest import Manifest
from bot.sandbox.permits import Permits
from bot.sandbox.seed import APP, seeded_workspace
from bot.sandbox.vocabulary import Payload
from bot.sandbox.workspace import Workspace

BOT_TOKEN: Final = "xoxb-sandbox-bot"  # noqa: S105 - a public constant that opens nothing but a sandbox on loopback
APP_TOKEN: Final = "xapp-1-sandbox"  # noqa: S105 - as above


@dataclass(slots=True, kw_only=True)
class World:
    """What every part of the server is handed."""

    workspace: Workspace
    manifest: Manifest
    clock: Clock
    delivery: Delivery
    faults: Faults
    feed: Feed
    calls: Journal
    deliveries: Journal
    permits: Permits = field(default_factory=Permits)
    tickets: set[str] = field(default_factory=set[str])
    """One-use tickets for a Socket Mode connection."""
    recent_calls: dict[str, deque[float]] = field(default_factory=dict[str, deque[float]])
    """method (and channel, for posts) -> times of its calls within the last minute."""
    origin: str = "http://127.0.0.1"
    """Where the server is reached, without a slash at the end; set when it is bound."""
    offset_s: float = 0.0
    """How far the workspace's time runs ahead of the clock; changed by clock_offset.py only."""
    clock_file: Path | None = None
    """Where a bot in another process reads that offset, if it is to."""

    def now(self) -> float:
        """The workspace's present in Unix seconds: what messages, events and views are stamped with.

        Permits, acks and rate limits go by the clock itself: moving the time spends no trigger and no retry.
        """
        return self.clock.now() + self.offset_s


def make_world(*, manifest: Manifest, clock: Clock, clock_file: Path | None = None) -> World:
    """A sandbox as it is before anything has happened."""
    feed, faults, deliveries = Feed(), Faults(), Journal()

    def on_change() -> None:
        feed.send(bot_frame(world))

    delivery = Delivery(
        clock=clock,
        faults=faults,
        journal=deliveries,
        app_id=APP.id,
        on_record=lambda record: feed.send({"type": "delivery", "delivery": record}),
        on_change=on_change,
    )
    world = World(
        workspace=seeded_workspace(clock.now()),
        manifest=manifest,
        clock=clock,
        delivery=delivery,
        faults=faults,
        feed=feed,
        calls=Journal(),
        deliveries=deliveries,
        clock_file=clock_file,
    )
    return world


def reset(world: World) -> None:
    """Back to the seeded workspace. Connections stay, and so does time: no ts is ever given twice."""
    fresh = seeded_workspace(world.now())
    fresh.last_tick, fresh.serial = world.workspace.last_tick, world.workspace.serial
    world.workspace = fresh
    world.delivery.forget()
    clear_faults(world.faults)
    world.calls.clear()
    world.deliveries.clear()
    world.permits = Permits()
    world.recent_calls.clear()
    world.feed.send({"type": "reset"})


def bot_frame(world: World) -> Payload:
    """The frame that tells a page whether the bot is there."""
    return {"type": "bot", **bot_state(world)}


def bot_state(world: World) -> Payload:
    """Whether the bot is there, when it last acknowledged something, and whether it ever was."""
    heard = world.delivery.last_event_at
    return {
        "connected": world.delivery.is_connected,
        # In the workspace's time, in which the pages count: moving it must not age the event.
        "last_event_at": None if heard is None else heard + world.offset_s,
        "ever_connected": world.delivery.ever_connected,
    }
