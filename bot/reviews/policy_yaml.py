"""The YAML of a policy file as values that know their line, with everything refused that a policy has no use for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import yaml

from bot.reviews.policy_faults import Fault

LARGEST = 1_000_000
"""Bytes. A policy is read by people."""
_DEEPEST = 12
"""How far values may be nested."""
_YAML: Any = yaml  # its functions are not annotated
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KINDS: dict[str, Kind] = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:int": "number",
    "tag:yaml.org,2002:float": "number",
    "tag:yaml.org,2002:bool": "flag",
    "tag:yaml.org,2002:null": "nothing",
    "tag:yaml.org,2002:timestamp": "text",
    "tag:yaml.org,2002:value": "text",
}
_YES = frozenset({"yes", "true", "on"})

Kind = Literal["text", "number", "flag", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value as it is written."""

    line: int
    text: str
    kind: Kind

    @property
    def flag(self) -> bool:
        """Yes or no, for a value of the kind `flag`."""
        return self.text.casefold() in _YES


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    line: int
    items: tuple[Node, ...]
    last_line: int
    """Where it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One key and its value."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A mapping; no key is in it twice."""

    line: int
    rows: tuple[Row, ...]


Node = Scalar | Items | Table


def parse(data: bytes, file: str) -> tuple[Node | None, tuple[Fault, ...]]:
    """The value that this file holds, None for an empty one, and what is wrong with it as YAML. file names it."""
    if len(data) > LARGEST:
        return None, (
            Fault(place=file, what="the file is larger than 1 MB.", mend="Nobody can read that; shorten it."),
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return None, (Fault(place=f"{file}:{line}", what="this is no UTF-8 text.", mend="Save the file as UTF-8."),)
    try:
        refused = next(_refused(text, file), None)
        if refused is not None:
            return None, (refused,)
        root = _YAML.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        return None, (_broken(error, file),)
    if root is None:
        return None, ()
    faults: list[Fault] = []
    node = _node(root, file, faults)
    return node, tuple(faults)


def _refused(text: str, file: str) -> Iterator[Fault]:
    """What may not even be built: references, which can make a small file huge, and endless nesting."""
    depth = 0
    for event in _YAML.parse(text, Loader=_LOADER):
        place = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            yield Fault(place=place, what="anchors (&) and references (*) are not read.", mend="Write the value out.")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                yield Fault(place=place, what="this is nested too deep.", mend="No policy needs that many levels.")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _broken(error: yaml.YAMLError, file: str) -> Fault:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = file if mark is None else f"{file}:{mark.line + 1}"
    problem = str(getattr(error, "problem", None) or "it holds characters that no text has")
    # @ may not begin a plain word in YAML, and @handles are what people write here first.
    mend = 'Put names in quotes: "@handle", "#channel".' if "cannot start any token" in problem else "Mend the line."
    return Fault(place=place, what=f"this is no YAML: {problem}.", mend=mend)


def _node(raw: Any, file: str, faults: list[Fault]) -> Node:
    line = raw.start_mark.line + 1
    if isinstance(raw, yaml.SequenceNode):
        children = cast("list[Any]", raw.value)
        items = tuple(_node(child, file, faults) for child in children)
        return Items(line=line, items=items, last_line=raw.end_mark.line + 1)
    if isinstance(raw, yaml.MappingNode):
        return Table(line=line, rows=tuple(_rows(raw, file, faults)))
    kind = _KINDS.get(str(raw.tag))
    if kind is None:
        faults.append(
            Fault(
                place=f"{file}:{line}", what=f"{raw.value!r} has a tag that is not read.", mend="Write a plain value."
            )
        )
    return Scalar(line=line, text=str(raw.value), kind=kind or "text")


def _rows(raw: yaml.MappingNode, file: str, faults: list[Fault]) -> Iterator[Row]:
    lines: dict[str, int] = {}
    for key, value in cast("list[tuple[Any, Any]]", raw.value):
        line = key.start_mark.line + 1
        place = f"{file}:{line}"
        if not isinstance(key, yaml.ScalarNode):
            faults.append(Fault(place=place, what="a key is no word.", mend="Write one word and a colon."))
            continue
        text = str(cast("Any", key).value)
        if text in lines:
            faults.append(
                Fault(
                    place=place, what=f"{text!r} stands here again, after line {lines[text]}.", mend="Keep one of them."
                )
            )
            continue
        lines[text] = line
        kind = _KINDS.get(str(cast("Any", key).tag)) or "text"
        yield Row(key=Scalar(line=line, text=text, kind=kind), value=_node(value, file, faults))
