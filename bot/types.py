"""What the bot's modules say to each other: plain values, no behaviour, nothing of Slack's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NewType

TeamId = NewType("TeamId", str)
"""A Slack workspace, `T…`. It is part of every key, so that two workspaces never meet."""
ChannelId = NewType("ChannelId", str)
"""A channel, private channel or direct message: `C…`, `G…`, `D…`."""
UserId = NewType("UserId", str)
"""A person or a bot user: `U…` or `W…`."""
GroupId = NewType("GroupId", str)
"""A user group: `S…`."""
Ts = NewType("Ts", str)
"""A message's timestamp. It is unique inside one channel only."""
ReviewId = NewType("ReviewId", str)
"""A review. It is the engine's request id: unguessable, and what buttons carry."""
RunId = NewType("RunId", str)
"""One run of a flow: the engine's flow id."""
Lane = NewType("Lane", str)
"""What must happen in order: the work of one thread."""

Language = Literal["en", "pt", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "pt", "ko")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRef:
    """Where one message stands."""

    channel: ChannelId
    ts: Ts


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadKey:
    """A thread: its root's place."""

    team: TeamId
    channel: ChannelId
    ts: Ts

    @property
    def lane(self) -> Lane:
        """The lane in which this thread's work is done, one job at a time."""
        return Lane(f"{self.team}:{self.channel}:{self.ts}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """Something a person wrote where the bot listens."""

    thread: ThreadKey
    """The thread it belongs to; a message that answers nothing is the root of its own."""
    ts: Ts
    user: UserId
    text: str
    """As typed: Slack's three entities are undone, mentions are still tokens, the mention of this bot is cut off."""
    addressed: bool
    """True in a direct message and where the bot is mentioned."""
    in_thread: bool
    under_bot: bool = False
    """True in a thread whose root this bot has posted: it is ours, whatever the tables know of it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What Slack says about somebody, as far as authority and language need it."""

    team: TeamId
    """The person's own workspace, which differs from the installed one in a shared channel."""
    user: UserId
    name: str
    language: Language | None = None
    is_bot: bool = False
    is_guest: bool = False
    is_stranger: bool = False
    is_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message for Slack: blocks, and the text that notifications and screen readers use."""

    text: str
    blocks: tuple[dict[str, Any], ...] = field(default=())


class RunState(StrEnum):
    """Where a run stands, as people see it."""

    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a flow in a thread."""

    id: RunId
    n: int
    """Its number for people, per workspace: F-n."""
    thread: ThreadKey
    flow_name: str
    requester: UserId
    inputs: Mapping[str, Any]
    root_is_ours: bool
    """True when the thread's root was posted for this run, so that it may show the run's state."""
    state: RunState
    result: str | None = None
    reference: str | None = None
    """The code under which the log explains a failure."""
    said: str = ""
    """The message that started it; empty for a slash command."""
    created_at: datetime

    @property
    def team(self) -> TeamId:
        """The workspace."""
        return self.thread.team
