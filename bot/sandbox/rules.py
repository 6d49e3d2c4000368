"""What a piece of Block Kit may look like, as values; and what is wrong with a piece that does not.

Pure. A rule is data; `problems` walks a JSON value along it. The tables in block_rules.py are made of these.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.sandbox.vocabulary import as_list, as_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One broken rule: where (a JSON pointer), what, and the constraint that was broken, if it is one with a bound."""

    pointer: str
    message: str
    code: str = "failed_constraint"
    constraint: tuple[str, Any] | None = None

    def under(self, prefix: str) -> str:
        """The problem as chat.postMessage words it, its pointer read from the arguments' root."""
        return f"{self.message} [json-pointer:{prefix}{self.pointer}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A string of at most `longest` characters; `one_of` closes the set."""

    longest: int = 3_000
    shortest: int = 0
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextObject:
    """A text composition object of one of the kinds, its text within the bounds."""

    longest: int
    shortest: int = 1
    kinds: tuple[str, ...] = ("plain_text", "mrkdwn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """true or false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """An integer within the bounds."""

    least: int = 0
    most: int = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """An array of `least` to `most` items that all follow one rule."""

    of: "Rule"
    most: int
    least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object with these fields; `required` names those that must be there; an open one may hold others too."""

    fields: "Mapping[str, Rule]" = field(default_factory=dict[str, "Rule"])
    required: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """An object whose `type` picks the rule from a table, if that type is allowed here."""

    table: "Mapping[str, Rule]"
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """Anything: the sandbox does not judge this part."""


Rule: TypeAlias = Text | TextObject | Flag | Whole | Items | Shape | OneOf | Free


def problems(rule: Rule, value: Any, pointer: str = "") -> Iterator[Problem]:
    """Everything that is wrong with the value, in order of appearance; nothing when it follows the rule."""
    match rule:
        case Text():
            yield from _text_problems(rule, value, pointer)
        case TextObject():
            yield from _text_object_problems(rule, value, pointer)
        case Flag():
            if not isinstance(value, bool):
                yield _wrong_kind("a boolean", pointer)
        case Whole():
            if not isinstance(value, int) or isinstance(value, bool):
                yield _wrong_kind("an integer", pointer)
            elif not rule.least <= value <= rule.most:
                yield Problem(pointer=pointer, message=f"must be between {rule.least} and {rule.most}")
        case Items():
            yield from _items_problems(rule, value, pointer)
        case Shape():
            yield from _shape_problems(rule, value, pointer)
        case OneOf():
            yield from _one_of_problems(rule, value, pointer)
        case Free():
            pass


def _text_problems(rule: Text, value: Any, pointer: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield _wrong_kind("a string", pointer)
    elif rule.one_of and value not in rule.one_of:
        yield Problem(pointer=pointer, message="must be a valid enum value", constraint=("enum", list(rule.one_of)))
    else:
        yield from _length_problems(value, rule.shortest, rule.longest, pointer)


def _text_object_problems(rule: TextObject, value: Any, pointer: str) -> Iterator[Problem]:
    thing = as_object(value)
    if thing is None:
        yield _wrong_kind("an object", pointer)
        return
    fields: dict[str, Rule] = {
        "type": Text(one_of=rule.kinds),
        "text": Text(longest=rule.longest, shortest=rule.shortest),
    }
    # emoji belongs to plain_text, verbatim to mrkdwn; Slack refuses the one with the other.
    fields |= {"emoji": Flag()} if thing.get("type") == "plain_text" else {"verbatim": Flag()}
    yield from _shape_problems(Shape(fields=fields, required=("type", "text")), thing, pointer)


def _length_problems(value: str, shortest: int, longest: int, pointer: str) -> Iterator[Problem]:
    if len(value) > longest:
        message = f"must be less than {longest + 1} characters"
        yield Problem(pointer=pointer, message=message, constraint=("max_length", longest))
    if len(value) < shortest:
        message = f"must be more than {shortest - 1} characters"
        yield Problem(pointer=pointer, message=message, constraint=("min_length", shortest))


def _items_problems(rule: Items, value: Any, pointer: str) -> Iterator[Problem]:
    items = as_list(value)
    if items is None:
        yield _wrong_kind("an array", pointer)
        return
    if len(items) > rule.most:
        message = f"no more than {rule.most} items allowed"
        yield Problem(pointer=pointer, message=message, constraint=("max_items", rule.most))
    if len(items) < rule.least:
        message = f"must have at least {rule.least} items"
        yield Problem(pointer=pointer, message=message, constraint=("min_items", rule.least))
    for place, item in enumerate(items):
        yield from problems(rule.of, item, f"{pointer}/{place}")


def _shape_problems(rule: Shape, value: Any, pointer: str) -> Iterator[Problem]:
    thing = as_object(value)
    if thing is None:
        yield _wrong_kind("an object", pointer)
        return
    for name in rule.required:
        if thing.get(name) is None:
            yield Problem(pointer=pointer, message=f"missing required field: {name}", code="missing_field")
    for name, item in thing.items():
        if name not in rule.fields:
            if not rule.is_open:
                message = f"invalid additional property: {name}"
                yield Problem(pointer=pointer, message=message, code="additional_property")
        elif item is not None:
            yield from problems(rule.fields[name], item, f"{pointer}/{name}")


def _one_of_problems(rule: OneOf, value: Any, pointer: str) -> Iterator[Problem]:
    thing = as_object(value)
    if thing is None:
        yield _wrong_kind("an object", pointer)
        return
    kind = thing.get("type")
    if kind is None:
        yield Problem(pointer=pointer, message="missing required field: type", code="missing_field")
    elif kind not in rule.allowed:
        yield Problem(pointer=f"{pointer}/type", message=f"unsupported type: {kind}", code="unsupported_type")
    else:
        yield from problems(rule.table[kind], thing, pointer)


def _wrong_kind(expected: str, pointer: str) -> Problem:
    return Problem(pointer=pointer, message=f"must provide {expected}", code="wrong_type")
