"""What stands in an input, what a person's choice makes of it, and how both read in a payload.

Pure. Source: slack payload shapes `block_actions` (`state.values`, `actions`) and `view_submission` (`view.state`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox.block_rules import HOLDERS, NESTED
from bot.sandbox.vocabulary import Payload, as_list, as_text, objects_in


class ChoiceError(ValueError):
    """The value cannot be put into this input."""

    def __init__(self, *, element: str, expected: str, known: Sequence[str] = ()) -> None:
        self.element, self.expected, self.known = element, expected, tuple(known)
        super().__init__(f"{element} takes {expected}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How one type of element keeps its value: under which key, from which given value, and what it starts with."""

    key: str
    read: Callable[[Payload, Any], Any]
    initial: str
    empty: Any = None


def interactive(blocks: Sequence[Payload]) -> Iterator[tuple[Payload, Payload]]:
    """Every (block, element) a person can act on, in order of appearance, those inside containers too."""
    return ((block, element) for block, element in elements_in(blocks) if element.get("action_id"))


def elements_in(blocks: Sequence[Payload]) -> Iterator[tuple[Payload, Payload]]:
    """Every (block, element), also those that have no action_id yet, and images."""
    for block in blocks:
        held = block.get(HOLDERS.get(block["type"], ""))
        yield from ((block, element) for element in objects_in([held]) or objects_in(held))
        yield from elements_in(objects_in(block.get(NESTED.get(block["type"], ""))))


def state_values(blocks: Sequence[Payload], typed: Mapping[str, Payload]) -> Payload:
    """`state.values` of a message or view: every input in it, touched or not."""
    values: dict[str, Payload] = {}
    for block, element in interactive(blocks):
        kind = _KINDS.get(element["type"])
        if kind is not None and element["type"] != "overflow":
            entry = typed.get(block["block_id"], {}).get(element["action_id"])
            values.setdefault(block["block_id"], {})[element["action_id"]] = entry or initial_entry(element)
    return values


def initial_entry(element: Payload) -> Payload:
    """The state entry of an input nobody has touched."""
    kind = _KINDS[element["type"]]
    return {"type": element["type"], kind.key: element.get(kind.initial, kind.empty)}


def entry_for(element: Payload, value: Any) -> Payload:
    """The state entry of an input after a person chose or typed this.

    Raises ChoiceError if the element takes no such value; it names what it would take.
    """
    kind = _KINDS.get(element["type"])
    if kind is None:
        raise ChoiceError(element=element["type"], expected="no value: it is not an input")
    return {"type": element["type"], kind.key: kind.empty if value is None else kind.read(element, value)}


def is_empty(entry: Payload) -> bool:
    """Whether nothing stands in the input."""
    return all(value in (None, "", []) for key, value in entry.items() if key != "type")


def action_of(block: Payload, element: Payload, value: Any, action_ts: str) -> Payload:
    """One item of `actions`: the element as pressed or changed.

    Raises ChoiceError if the element takes no such value.
    """
    action: Payload = {"type": element["type"], "action_id": element["action_id"], "block_id": block["block_id"]}
    shown = ("text", "value", "style", "url", "placeholder", "confirm")
    action |= {key: element[key] for key in shown if key in element}
    if element["type"] in ("button", "icon_button"):
        if value is not None:
            action["value"] = as_text(value) or str(value)
    elif element["type"] == "feedback_buttons":
        action |= _feedback(element, value)
    else:
        action |= entry_for(element, value)
    return {**action, "action_ts": action_ts}


def _feedback(element: Payload, value: Any) -> Payload:
    buttons = objects_in([element.get("positive_button"), element.get("negative_button")])
    chosen = next((one for one in buttons if one.get("value") == value), None)
    if chosen is None:
        known = [as_text(one.get("value")) for one in buttons]
        raise ChoiceError(element="feedback_buttons", expected="the value of one of its buttons", known=known)
    return {"text": chosen["text"], "value": chosen["value"]}


def _options(element: Payload) -> list[Payload]:
    grouped = [one for group in objects_in(element.get("option_groups")) for one in objects_in(group.get("options"))]
    return [*objects_in(element.get("options")), *grouped]


def _one_option(element: Payload, value: Any) -> Payload:
    options = _options(element)
    chosen = next((one for one in options if one.get("value") == value), None)
    if chosen is None:
        known = [as_text(one.get("value")) for one in options]
        raise ChoiceError(element=element["type"], expected="the value of one of its options", known=known)
    return chosen


def _many_options(element: Payload, value: Any) -> list[Payload]:
    wanted = as_list(value)
    if wanted is None:
        raise ChoiceError(element=element["type"], expected="an array of option values")
    return [_one_option(element, one) for one in wanted]


def _text(element: Payload, value: Any) -> str | None:
    if not isinstance(value, str):
        raise ChoiceError(element=element["type"], expected="a string")
    return value or None


def _texts(element: Payload, value: Any) -> list[str]:
    wanted = as_list(value)
    if wanted is None or not all(isinstance(one, str) for one in wanted):
        raise ChoiceError(element=element["type"], expected="an array of ids")
    return [str(one) for one in wanted]


def _moment(element: Payload, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ChoiceError(element=element["type"], expected="Unix seconds as an integer")
    return value


def _as_given(element: Payload, value: Any) -> Any:
    """For inputs whose choices are not on the page: an option from the app's own data, rich text, files."""
    return value


_KINDS: Mapping[str, _Kind] = {
    "plain_text_input": _Kind(key="value", read=_text, initial="initial_value"),
    "number_input": _Kind(key="value", read=_text, initial="initial_value"),
    "email_text_input": _Kind(key="value", read=_text, initial="initial_value"),
    "url_text_input": _Kind(key="value", read=_text, initial="initial_value"),
    "static_select": _Kind(key="selected_option", read=_one_option, initial="initial_option"),
    "radio_buttons": _Kind(key="selected_option", read=_one_option, initial="initial_option"),
    "overflow": _Kind(key="selected_option", read=_one_option, initial="initial_option"),
    "checkboxes": _Kind(key="selected_options", read=_many_options, initial="initial_options", empty=[]),
    "multi_static_select": _Kind(key="selected_options", read=_many_options, initial="initial_options", empty=[]),
    "datepicker": _Kind(key="selected_date", read=_text, initial="initial_date"),
    "timepicker": _Kind(key="selected_time", read=_text, initial="initial_time"),
    "datetimepicker": _Kind(key="selected_date_time", read=_moment, initial="initial_date_time"),
    "users_select": _Kind(key="selected_user", read=_text, initial="initial_user"),
    "multi_users_select": _Kind(key="selected_users", read=_texts, initial="initial_users", empty=[]),
    "channels_select": _Kind(key="selected_channel", read=_text, initial="initial_channel"),
    "external_select": _Kind(key="selected_option", read=_as_given, initial="initial_option"),
    "rich_text_input": _Kind(key="rich_text_value", read=_as_given, initial="initial_value"),
    "file_input": _Kind(key="files", read=_as_given, initial="", empty=[]),
    "conversations_select": _Kind(key="selected_conversation", read=_text, initial="initial_conversation"),
}
