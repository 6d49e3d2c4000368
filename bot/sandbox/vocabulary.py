"""The words every module of the sandbox speaks: ids, and JSON read with its types."""

from typing import Any, NewType, TypeAlias, cast

Payload: TypeAlias = dict[str, Any]
"""A JSON object in Slack's own shape. It is a value: made new for each change, never altered in place."""

UserId = NewType("UserId", str)
"""U… or W…: a person or a bot user."""

ChannelId = NewType("ChannelId", str)
"""C… for a channel, D… for a direct message."""

GroupId = NewType("GroupId", str)
"""S…: a user group, which Slack's events call a subteam."""

Ts = NewType("Ts", str)
"""Seconds and microseconds with a dot, as "1780000000.000100": a message's id inside its channel."""


def as_object(value: object) -> Payload | None:
    """The value as a JSON object, or None when it is anything else."""
    return cast("Payload", value) if isinstance(value, dict) else None  # JSON keys are strings by definition


def as_list(value: object) -> list[Any] | None:
    """The value as a JSON array, or None when it is anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else None  # JSON items are any JSON


def objects_in(value: object) -> list[Payload]:
    """The JSON objects of an array; an empty list when the value is no array."""
    return [found for item in as_list(value) or [] if (found := as_object(item)) is not None]


def as_text(value: object) -> str:
    """The value when it is a string, else the empty string."""
    return value if isinstance(value, str) else ""
