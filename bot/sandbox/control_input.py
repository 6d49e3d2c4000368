"""Reading what is sent to the control API: people and places by id or name, and errors that say how to mend it."""

from collections.abc import Iterable, Sequence
from typing import Any

from aiohttp import web

from bot.sandbox.vocabulary import ChannelId, Payload, Ts, UserId, as_list, as_object
from bot.sandbox.workspace import Channel, Person, Workspace, find_message, im_with


class ControlError(Exception):
    """The control API was asked for something that makes no sense: which field, what was expected, what there is."""

    def __init__(
        self, *, field: str, expected: str, known: Iterable[str] = (), error: str = "invalid_field", status: int = 400
    ) -> None:
        self.field, self.expected, self.known = field, expected, sorted(known)
        self.error, self.status = error, status
        super().__init__(f"{field}: expected {expected}.")

    def answer(self) -> Payload:
        """The body of the answer."""
        body: Payload = {"ok": False, "error": self.error, "field": self.field, "expected": self.expected}
        body["message"] = str(self)
        return {**body, "known": self.known} if self.known else body


async def body_of(request: web.Request) -> Payload:
    """The JSON object of a request; an empty body is an empty object, and null is the same as left out.

    Raises ControlError when it is no JSON object.
    """
    try:
        body = as_object(await request.json()) if request.can_read_body else {}
    except ValueError as error:
        raise ControlError(field="body", expected="JSON") from error
    if body is None:
        raise ControlError(field="body", expected="a JSON object")
    return {field: value for field, value in body.items() if value is not None}


def only_known(given: Payload, fields: Sequence[str]) -> None:
    """Go on only if every field is one that this route takes: a misspelt one would be passed over in silence.

    Raises ControlError.
    """
    strange = sorted(set(given) - set(fields))
    if strange:
        raise ControlError(field=strange[0], expected="no such field here", known=fields)


def text_in(body: Payload, field: str, default: str | None = None) -> str:
    """A string."""
    value = body.get(field, default)
    if not isinstance(value, str):
        raise ControlError(field=field, expected="a string")
    return value


def flag_in(body: Payload, field: str, *, default: bool | None = None) -> bool:
    """True or false."""
    value = body.get(field, default)
    if not isinstance(value, bool):
        raise ControlError(field=field, expected="true or false")
    return value


def count_in(body: Payload, field: str, default: int) -> int:
    """A whole number from 1 on."""
    value = body.get(field, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ControlError(field=field, expected="a whole number from 1 on")
    return value


def seconds_in(body: Payload, field: str, default: float) -> float:
    """Seconds, not negative."""
    value = body.get(field, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        raise ControlError(field=field, expected="seconds, 0 or more")
    return float(value)


def choice_in(body: Payload, field: str, choices: Sequence[str], default: str | None = None) -> str:
    """One of a closed set of words."""
    value = body.get(field, default)
    if value not in choices:
        raise ControlError(field=field, expected="one of the known values", known=choices)
    return str(value)


def person_in(workspace: Workspace, body: Payload, field: str = "user") -> Person:
    """An account by its id or name, with or without @."""
    return person_named(workspace, text_in(body, field), field)


def person_named(workspace: Workspace, given: str, field: str = "user") -> Person:
    """An account by its id or name, with or without @."""
    wanted = given.removeprefix("@").casefold()
    for person in workspace.people.values():
        if wanted in (person.id.casefold(), person.name.casefold(), person.real_name.casefold()):
            return person
    known = [f"{one.id} ({one.real_name})" for one in workspace.people.values()]
    raise ControlError(field=field, expected=f"a person's id or name, not {given!r}", known=known)


def channel_in(workspace: Workspace, body: Payload, user: UserId) -> Channel:
    """A channel by its id or name that this person is in.

    "@Flow reviews" is this person's own direct message with the app.
    """
    channel = channel_named(workspace, text_in(body, "channel"), user)
    if user not in channel.members:
        raise ControlError(field="channel", expected=f"a channel that {user} is in", known=_names(workspace, user))
    return channel


def channel_named(workspace: Workspace, given: str, user: UserId | None = None) -> Channel:
    """A channel by its id or name, with or without # or @."""
    direct = workspace.channels.get(ChannelId(given))
    if direct is not None:
        return direct
    wanted = given.lstrip("#@").casefold()
    if user is not None and wanted == workspace.app.name.casefold():
        own = im_with(workspace, user)
        if own is not None:
            return own
    for channel in workspace.channels.values():
        if wanted in (channel.id.casefold(), channel.name.lstrip("@").casefold()):
            return channel
    raise ControlError(field="channel", expected=f"a channel's id or name, not {given!r}", known=_names(workspace))


def thread_in(workspace: Workspace, body: Payload, channel: Channel) -> Ts | None:
    """The root a thread_ts belongs to, or None when none is given; a reply's ts means its thread."""
    given = body.get("thread_ts")
    if given is None:
        return None
    message = find_message(workspace, channel.id, text_in(body, "thread_ts"))
    if message is None:
        raise ControlError(
            field="thread_ts", expected=f"the ts of a message in {channel.id}", known=_recent(workspace, channel)
        )
    return Ts(message.get("thread_ts") or message["ts"])


def message_in(workspace: Workspace, body: Payload, channel: Channel, field: str = "ts") -> Payload:
    """A stored message by its ts."""
    message = find_message(workspace, channel.id, text_in(body, field))
    if message is None or message.get("subtype") == "tombstone":
        raise ControlError(
            field=field,
            expected=f"the ts of a message in {channel.id}",
            known=_recent(workspace, channel),
            error="message_not_found",
            status=404,
        )
    return message


def form_values_in(body: Payload, field: str = "values") -> dict[str, Payload]:
    """block_id -> action_id -> value."""
    values = as_object(body.get(field, {}))
    if values is None or not all(as_object(one) is not None for one in values.values()):
        raise ControlError(field=field, expected="an object: block_id -> action_id -> value")
    return values


def texts_in(body: Payload, field: str) -> list[str]:
    """An array of strings."""
    items: list[Any] | None = as_list(body.get(field, []))
    if items is None or not all(isinstance(one, str) for one in items):
        raise ControlError(field=field, expected="an array of strings")
    return [str(one) for one in items]


def _names(workspace: Workspace, user: UserId | None = None) -> list[str]:
    return [f"{one.id} ({one.name})" for one in workspace.channels.values() if user is None or user in one.members]


def _recent(workspace: Workspace, channel: Channel) -> list[str]:
    return [str(ts) for ts in workspace.messages[channel.id]][-10:]
