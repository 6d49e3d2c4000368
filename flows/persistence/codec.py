"""Values as JSON text and back, with their types kept.

JSON's own types stand for themselves. Anything else is an object with the one reserved key "$", which names the kind;
a dict that is not plain (other keys than text, or the reserved one) is written as pairs. No pickle, and no class is
imported or restored that was not registered (see `types_registry`).
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from pathlib import Path, PurePath
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pydantic
from pydantic_core import PydanticUndefined, from_json, to_json

from flows.errors import CodecError
from flows.persistence.rebuild import RefusedError, restored_dataclass, restored_model
from flows.persistence.types_registry import class_named, path_of

_KIND = "$"
_KIND_AS_TEXT = '"$"'
_PLAIN = frozenset({bool, int, type(None)})
_to_json_slowly = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def to_text(value: Any, *, path: str = "value") -> str:
    """The value as JSON text.

    path names the value in errors. Raises CodecError, with the path of the part whose type cannot be kept.
    """
    return json_of(encode(value, path=path))


def plain_text(value: Any) -> str | None:
    """The text of a value of exact built-in types, when it has JSON's own only; None when `to_text` must look at it."""
    try:
        written = to_json(value, inf_nan_mode="null")
        # What comes back equal had nothing in it that JSON shows as something else, such as a tuple or a NaN.
        is_plain = b'"$"' not in written and from_json(written) == value
    except (ValueError, RecursionError):
        return None
    return written.decode() if is_plain else None


def json_of(tree: Any) -> str:
    """JSON's text of a tree that `encode` made, or of JSON's own types."""
    try:
        return to_json(tree).decode()
    except ValueError:
        return _to_json_slowly(tree)  # nested deeper than the quick way goes


def _tree_of(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


def from_text(text: str, *, home: str | None = None, path: str = "value") -> Any:
    """The value that `to_text` wrote.

    home is the module of the flow that stored it: its own classes need no registration.
    Raises CodecError for a class that is unknown here, or a text that `to_text` did not write.
    """
    try:
        tree = _tree_of(text)
    except ValueError as error:
        raise CodecError(path=path, reason=f"the stored text is no JSON ({error})") from error
    # Without the reserved key it holds JSON's own types only, and is the value itself.
    return decode(tree, home=home, path=path) if _KIND_AS_TEXT in text else tree


def snapshot(value: Any, *, path: str = "value") -> Any:
    """An independent copy of a value, made of kept types only."""
    return decode(encode(value, path=path), path=path)


def encode(value: Any, *, path: str = "value") -> Any:
    """The value as a tree of JSON's types. Raises CodecError with the path of a part that cannot be kept."""
    try:
        return _encode(value)
    except RefusedError as refused:
        raise CodecError(path=f"{path}{refused.path}", reason=refused.reason) from refused.__cause__
    except RecursionError as error:
        raise CodecError(path=path, reason="the value is nested too deeply, or holds itself") from error


def picture(tree: Any) -> Any:
    """What a tree that `encode` made looks like, in JSON's types: for values whose classes are unknown here."""
    if isinstance(tree, list):
        return [picture(item) for item in cast("list[Any]", tree)]
    if not isinstance(tree, dict):
        return tree
    node = cast("dict[str, Any]", tree)
    return picture(node.get("v")) if _KIND in node else {name: picture(item) for name, item in node.items()}


def _encode(value: Any) -> Any:
    kind = cast("type[Any]", type(value))
    if kind is str:
        return value if value.isascii() else _encode_text(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if math.isfinite(value) else {_KIND: "float", "v": repr(value)}
    if kind is list:
        return _encode_items(value)
    if kind is dict:
        return _encode_dict(value)
    if kind in _SCALARS:
        return {_KIND: _SCALARS[kind][0], "v": _SCALARS[kind][1](value)}
    if kind in _MOMENTS:
        return _encode_moment(value)
    if kind in _GROUPS:
        return {_KIND: kind.__name__, "v": _encode_items(value)}
    if isinstance(value, PurePath):
        return {_KIND: "path", "v": str(value)}
    return _encode_object(value)


def decode(tree: Any, *, home: str | None = None, path: str = "value") -> Any:
    """The value behind a tree that `encode` made. Raises CodecError."""
    try:
        return _Decoder(home=home).decode(tree)
    except RefusedError as refused:
        raise CodecError(path=f"{path}{refused.path}", reason=refused.reason) from refused.__cause__


def _encode_items(value: Iterable[Any]) -> list[Any]:
    encoded: list[Any] = []
    # Copied first: a step in another thread may change the value meanwhile, and a copy is one operation.
    for item in tuple(value):
        try:
            encoded.append(item if type(item) in _PLAIN else _encode(item))
        except RefusedError as refused:
            raise refused.inside(f"[{len(encoded)}]") from None
    return encoded


def _encode_dict(value: dict[Any, Any]) -> Any:
    items = tuple(value.items())
    for key, _ in items:
        if type(key) is not str or key == _KIND or not (key.isascii() or _encode_text(key) is key):
            return {_KIND: "dict", "v": _encode_pairs(items)}
    return _encode_fields(items)


def _encode_pairs(items: tuple[tuple[Any, Any], ...]) -> list[Any]:
    pairs: list[Any] = []
    for key, item in items:
        part = f" key {key!r}"
        try:
            encoded = _encode(key)
            part = f"[{key!r}]"
            pairs.append([encoded, _encode(item)])
        except RefusedError as refused:
            raise refused.inside(part) from None
    return pairs


def _encode_text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        # JSON would join a pair of lone surrogates into one character.
        return {_KIND: "text", "v": base64.b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii")}
    return value


def _encode_moment(value: datetime | time) -> Any:
    tree: dict[str, Any] = {_KIND: type(value).__name__, "v": value.isoformat()}
    if value.fold:
        tree["fold"] = value.fold
    if isinstance(value.tzinfo, ZoneInfo):
        tree["zone"] = value.tzinfo.key
    return tree


def _decode_moment(kind: type[datetime | time], node: dict[str, Any]) -> datetime | time:
    moment = kind.fromisoformat(node["v"]).replace(fold=node.get("fold", 0))
    return moment.replace(tzinfo=ZoneInfo(node["zone"])) if "zone" in node else moment


def _encode_object(value: Any) -> Any:
    cls = cast("type[Any]", type(value))
    if isinstance(value, Flag):
        return {_KIND: "flag", "class": _name_of(cls), "v": value.value}
    if isinstance(value, Enum):
        return {_KIND: "enum", "class": _name_of(cls), "v": value.name}
    if isinstance(value, pydantic.BaseModel):
        return _encode_model(value)
    if is_dataclass(value):
        content = {item.name: getattr(value, item.name) for item in fields(value) if hasattr(value, item.name)}
        return {_KIND: "dataclass", "class": _name_of(cls), "v": _encode_fields(content.items())}
    raise RefusedError(
        f"a value of type {cls.__module__}.{cls.__qualname__} cannot be stored; "
        "use plain values, dataclasses or pydantic models"
    )


def _encode_model(value: pydantic.BaseModel) -> dict[str, Any]:
    cls = type(value)
    content = {name: getattr(value, name) for name in cls.model_fields if hasattr(value, name)}
    tree: dict[str, Any] = {_KIND: "model", "class": _name_of(cls), "v": _encode_fields(content.items())}
    if value.model_extra:
        tree["extra"] = _encode_fields(tuple(value.model_extra.items()))
    unset = [name for name in content if name not in value.model_fields_set]
    if unset:
        tree["unset"] = unset
    private = _encode_private(value)
    if private:
        tree["private"] = private
    return tree


def _encode_private(value: pydantic.BaseModel) -> dict[str, Any]:
    """Private attributes, as far as they can be kept: others, such as a client or a lock, are made anew by default."""
    encoded: dict[str, Any] = {}
    for name, item in tuple((value.__pydantic_private__ or {}).items()):
        try:
            encoded[name] = _encode(item)
        except RefusedError as refused:
            declared = type(value).__private_attributes__.get(name)
            if declared is None or (declared.default is PydanticUndefined and declared.default_factory is None):
                raise refused.inside(f".{name}") from None
    return encoded


def _name_of(cls: type) -> str:
    """The name under which the class is found when the value is read back."""
    name = path_of(cls)
    if class_named(name) is not cls:
        raise RefusedError(
            f"a value of the class {name!r} could not be read back; define or import the class at the top of the "
            "flow's module, or pass it to flows.register_type()"
        )
    return name


def _encode_fields(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for name, item in items:
        kind = cast("type[Any]", type(item))
        if kind in _PLAIN or (kind is str and item.isascii()):
            encoded[name] = item  # what most fields are; asking here saves most of the calls
            continue
        try:
            encoded[name] = _encode(item)
        except RefusedError as refused:
            raise refused.inside(f".{name}") from None
    return encoded


_SCALARS: dict[type, tuple[str, Callable[[Any], str]]] = {
    bytes: ("bytes", lambda value: base64.b64encode(value).decode("ascii")),
    date: ("date", lambda value: value.isoformat()),
    timedelta: ("timedelta", lambda value: f"{value.days}:{value.seconds}:{value.microseconds}"),
    UUID: ("uuid", str),
    Decimal: ("decimal", str),
}
_MOMENTS: tuple[type[datetime | time], ...] = (datetime, time)
_GROUPS: dict[type, Callable[[list[Any]], Any]] = {tuple: tuple, set: set, frozenset: frozenset}


def _timedelta(text: str) -> timedelta:
    days, seconds, microseconds = map(int, text.split(":"))
    return timedelta(days=days, seconds=seconds, microseconds=microseconds)


_READERS: dict[str, Callable[[str], Any]] = {
    "float": float,
    "text": lambda text: base64.b64decode(text.encode("ascii"), validate=True).decode("utf-8", "surrogatepass"),
    "bytes": lambda text: base64.b64decode(text.encode("ascii"), validate=True),
    "date": date.fromisoformat,
    "timedelta": _timedelta,
    "uuid": UUID,
    "decimal": Decimal,
    "path": Path,
}


class _Decoder:
    """Reads one tree; knows which classes may be restored."""

    def __init__(self, *, home: str | None) -> None:
        self.home = home

    def decode(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return self.items(cast("list[Any]", tree))
        if not isinstance(tree, dict):
            return tree
        node = cast("dict[str, Any]", tree)
        if _KIND not in node:
            return self.fields(node)
        try:
            return self.tagged(node)
        except (KeyError, TypeError, ValueError, ArithmeticError, ZoneInfoNotFoundError) as error:
            reason = f"a stored {node[_KIND]!r} cannot be read ({type(error).__name__}: {error})"
            raise RefusedError(reason) from error

    def items(self, trees: list[Any]) -> list[Any]:
        decoded: list[Any] = []
        for tree in trees:
            try:
                decoded.append(self.decode(tree))
            except RefusedError as refused:
                raise refused.inside(f"[{len(decoded)}]") from refused.__cause__
        return decoded

    def fields(self, node: dict[str, Any]) -> dict[str, Any]:
        decoded: dict[str, Any] = {}
        for name, tree in node.items():
            try:
                decoded[name] = self.decode(tree) if isinstance(tree, (dict, list)) else tree
            except RefusedError as refused:
                raise refused.inside(f".{name}") from refused.__cause__
        return decoded

    def pairs(self, content: list[Any]) -> dict[Any, Any]:
        decoded: dict[Any, Any] = {}
        for key, tree in content:
            part = " key"
            try:
                name = self.decode(key)
                part = f"[{name!r}]"
                decoded[name] = self.decode(tree)
            except RefusedError as refused:
                raise refused.inside(part) from refused.__cause__
        return decoded

    def tagged(self, node: dict[str, Any]) -> Any:
        kind, content = node[_KIND], node["v"]
        if kind in _READERS:
            return _READERS[kind](content)
        for moment in _MOMENTS:
            if kind == moment.__name__:
                return _decode_moment(moment, node)
        for group, build in _GROUPS.items():
            if kind == group.__name__:
                return build(self.decode(content))
        if kind == "dict":
            return self.pairs(content)
        if kind in ("enum", "flag", "model", "dataclass"):
            return self.object(kind, node)
        raise RefusedError(f"the stored kind {kind!r} is unknown; a newer version may have written it")

    def object(self, kind: str, node: dict[str, Any]) -> Any:
        cls = self.class_of(node["class"])
        if kind == "enum" and issubclass(cls, Enum):
            return cls[node["v"]]
        if kind == "flag" and issubclass(cls, Flag):
            return cls(node["v"])
        content = self.fields(node["v"])
        if kind == "model" and issubclass(cls, pydantic.BaseModel):
            extra, private = self.fields(node.get("extra", {})), self.fields(node.get("private", {}))
            return restored_model(cls, content, extra, unset=node.get("unset", ()), private=private)
        if kind == "dataclass" and is_dataclass(cls):
            return restored_dataclass(cls, content)
        raise RefusedError(f"{node['class']!r} is no longer a {kind}")

    def class_of(self, name: str) -> type:
        cls = class_named(name, home=self.home)
        if cls is None:
            raise RefusedError(
                f"the class {name!r} is unknown here; import its module and pass it to flows.register_type()"
            )
        return cls
