"""What a Web API method is: its name, scope, tier, arguments and handler; and how its arguments are read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from bot.sandbox.refusals import RefusedError, explained
from bot.sandbox.vocabulary import Payload
from bot.sandbox.world import World

Args: TypeAlias = Mapping[str, Any]
"""The arguments a handler gets: read by their kind; absent ones are absent."""

Handler: TypeAlias = Callable[[World, Args], Payload]


class Kind(StrEnum):
    """How an argument is written on the wire."""

    TEXT = "text"
    FLAG = "flag"
    NUMBER = "number"
    JSON = "json"


class Tier(StrEnum):
    """How many calls a minute the method takes. Source: Slack's reference, "Rate limits"."""

    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    SPECIAL = "special"
    """About one a second in each channel; for posts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arg:
    """One argument; `malformed` is the error code when it is no JSON."""

    name: str
    kind: Kind = Kind.TEXT
    required: bool = False
    malformed: str = "invalid_arguments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One row of the table. Any one of `scopes` is enough; none means that every token of the right kind may call."""

    name: str
    handler: Handler
    tier: Tier
    args: tuple[Arg, ...] = ()
    scopes: tuple[str, ...] = ()
    takes_app_token: bool = False


def text(name: str, *, required: bool = False) -> Arg:
    """An argument that is a string."""
    return Arg(name=name, required=required)


def flag(name: str) -> Arg:
    """An argument that is true or false."""
    return Arg(name=name, kind=Kind.FLAG)


def number(name: str) -> Arg:
    """An argument that is an integer."""
    return Arg(name=name, kind=Kind.NUMBER)


def structure(name: str, *, required: bool = False, malformed: str = "invalid_arguments") -> Arg:
    """An argument that is an object or array, as JSON or as a string that holds JSON."""
    return Arg(name=name, kind=Kind.JSON, required=required, malformed=malformed)


def read_args(specification: tuple[Arg, ...], raw: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by their kinds; what the method does not know is passed over, as Slack does.

    Raises RefusedError: invalid_arguments (all faults named), or the argument's own code for malformed JSON.
    """
    missing = [one.name for one in specification if one.required and raw.get(one.name) in (None, "")]
    if missing:
        raise explained("invalid_arguments", *(f"missing required field: {name}" for name in missing))
    return {one.name: _read(one, raw[one.name]) for one in specification if raw.get(one.name) is not None}


def _read(argument: Arg, value: Any) -> Any:
    match argument.kind:
        case Kind.TEXT:
            if isinstance(value, str):
                return value
            # The SDK's timestamps may come as numbers from hand-written JSON; Slack refuses objects here.
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        case Kind.FLAG:
            if isinstance(value, bool):
                return value
            if str(value).lower() in ("1", "true", "0", "false"):
                return str(value).lower() in ("1", "true")
        case Kind.NUMBER:
            if str(value).isdigit():
                return int(str(value))
        case Kind.JSON:
            return _read_json(argument, value)
    raise explained("invalid_arguments", f"must provide a {argument.kind} [json-pointer:/{argument.name}]")


def _read_json(argument: Arg, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise RefusedError(argument.malformed) from error
