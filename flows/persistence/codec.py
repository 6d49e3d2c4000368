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
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePath
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pydantic

from flows.errors import CodecError
from flows.persistence.types_registry import class_named, path_of

_KIND = "$"
_PLAIN = frozenset({bool, int, type(None)})
_LEAVES = frozenset({*_PLAIN, str, float, bytes})


def to_text(value: Any, *, path: str = "value") -> str:
    """The value as JSON text.

    path names the value in errors. Raises CodecError, with the path of the part whose type cannot be kept.
    """
    return json.dumps(encode(value, path=path), separators=(",", ":"))


def from_text(text: str, *, home: str | None = None, path: str = "value") -> Any:
    """The value that `to_text` wrote.

    home is the module of the flow that stored it: its own classes need no registration.
    Raises CodecError for a class that is unknown here, or a text that `to_text` did not write.
    """
    try:
        tree = json.loads(text)
    except ValueError as error:
        raise CodecError(path=path, reason=f"the stored text is no JSON ({error})") from error
    return decode(tree, home=home, path=path)


def snapshot(value: Any, *, path: str = "value") -> Any:
    """An independent copy of a value, made of kept types only."""
    return decode(encode(value, path=path), home=None, path=path, live=value)


def encode(value: Any, *, path: str = "value") -> Any:
    """The value as a tree of JSON's types. Raises CodecError with the path of a part that cannot be kept."""
    try:
        return _encode(value)
    except _RefusedError as refused:
        raise CodecError(path=f"{path}{refused.path}", reason=refused.reason) from refused.__cause__
    except RecursionError as error:
        raise CodecError(path=path, reason="the value is nested too deeply, or holds itself") from error


class _RefusedError(Exception):
    """A part cannot be kept or read. Its path grows on the way up, so that nobody pays for it in the usual case."""

    def __init__(self, reason: str) -> None:
        self.path, self.reason = "", reason

    def inside(self, part: str) -> _RefusedError:
        self.path = part + self.path
        return self


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


def decode(tree: Any, *, home: str | None = None, path: str = "value", live: Any = None) -> Any:
    """The value behind a tree that `encode` made.

    live, where given, is the original: its classes are at hand without registration.
    Raises CodecError.
    """
    try:
        return _Decoder(home=home, known=_classes_in(live) if live is not None else {}).decode(tree)
    except _RefusedError as refused:
        raise CodecError(path=f"{path}{refused.path}", reason=refused.reason) from refused.__cause__


def model_with(
    cls: type[pydantic.BaseModel], content: dict[str, Any], extra: dict[str, Any], *, path: str
) -> pydantic.BaseModel:
    """A model with exactly these field values; fields that were not stored take their defaults.

    Nothing is validated. Raises CodecError, with this path, when a required field is missing.
    """
    try:
        return _restore_model(cls, content, extra)
    except _RefusedError as refused:
        raise CodecError(path=path, reason=refused.reason) from None


def _restore_model(cls: type[pydantic.BaseModel], content: dict[str, Any], extra: dict[str, Any]) -> pydantic.BaseModel:
    missing = [name for name, item in cls.model_fields.items() if item.is_required() and name not in content]
    if missing:
        raise _RefusedError(f"{cls.__qualname__} now requires {', '.join(missing)}, which was not stored")
    kept = {name: item for name, item in content.items() if name in cls.model_fields}
    restored = cls.model_construct()
    # What was stored was valid when it was stored; validating again could run side effects or refuse old values.
    vars(restored).update(kept)
    restored.model_fields_set.update(kept)
    if restored.model_extra is not None:
        restored.model_extra.update(extra)
        restored.model_fields_set.update(extra)
    return restored


def _encode_items(value: Iterable[Any]) -> list[Any]:
    encoded: list[Any] = []
    # Copied first: a step in another thread may change the value meanwhile, and a copy is one operation.
    for item in tuple(value):
        try:
            encoded.append(item if type(item) in _PLAIN else _encode(item))
        except _RefusedError as refused:
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
        except _RefusedError as refused:
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
    if isinstance(value, Enum):
        return {_KIND: "enum", "class": path_of(cls), "v": value.name}
    if isinstance(value, pydantic.BaseModel):
        content = {name: getattr(value, name) for name in cls.model_fields if hasattr(value, name)}
        tree: dict[str, Any] = {_KIND: "model", "class": path_of(cls), "v": _encode_fields(content.items())}
        if value.model_extra:
            tree["extra"] = _encode_fields(tuple(value.model_extra.items()))
        unset = [name for name in content if name not in value.model_fields_set]
        if unset:
            tree["unset"] = unset
        return tree
    if is_dataclass(value):
        content = {item.name: getattr(value, item.name) for item in fields(value) if hasattr(value, item.name)}
        return {_KIND: "dataclass", "class": path_of(cls), "v": _encode_fields(content.items())}
    raise _RefusedError(
        f"a value of type {cls.__module__}.{cls.__qualname__} cannot be stored; "
        "use plain values, dataclasses or pydantic models"
    )


def _encode_fields(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for name, item in items:
        kind = cast("type[Any]", type(item))
        if kind in _PLAIN or (kind is str and item.isascii()):
            encoded[name] = item  # what most fields are; asking here saves most of the calls
            continue
        try:
            encoded[name] = _encode(item)
        except _RefusedError as refused:
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

    def __init__(self, *, home: str | None, known: dict[str, type]) -> None:
        self.home, self.known = home, known

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
            raise _RefusedError(reason) from error

    def items(self, trees: list[Any]) -> list[Any]:
        decoded: list[Any] = []
        for tree in trees:
            try:
                decoded.append(self.decode(tree))
            except _RefusedError as refused:
                raise refused.inside(f"[{len(decoded)}]") from refused.__cause__
        return decoded

    def fields(self, node: dict[str, Any]) -> dict[str, Any]:
        decoded: dict[str, Any] = {}
        for name, tree in node.items():
            try:
                decoded[name] = self.decode(tree) if isinstance(tree, (dict, list)) else tree
            except _RefusedError as refused:
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
            except _RefusedError as refused:
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
        if kind in ("enum", "model", "dataclass"):
            return self.object(kind, node)
        raise _RefusedError(f"the stored kind {kind!r} is unknown; a newer version may have written it")

    def object(self, kind: str, node: dict[str, Any]) -> Any:
        cls = self.class_of(node["class"])
        if kind == "enum" and issubclass(cls, Enum):
            return cls[node["v"]]
        content = self.fields(node["v"])
        if kind == "model" and issubclass(cls, pydantic.BaseModel):
            restored = _restore_model(cls, content, self.fields(node.get("extra", {})))
            restored.model_fields_set.difference_update(node.get("unset", ()))
            return restored
        if kind == "dataclass" and is_dataclass(cls):
            return _restore_dataclass(cls, content)
        raise _RefusedError(f"{node['class']!r} is no longer a {kind}")

    def class_of(self, name: str) -> type:
        cls = self.known.get(name) or class_named(name, home=self.home)
        if cls is None:
            raise _RefusedError(
                f"the class {name!r} is unknown here; import its module and pass it to flows.register_type()"
            )
        return cls


def _restore_dataclass(cls: type[Any], content: dict[str, Any]) -> Any:
    restored = object.__new__(cls)
    for item in fields(cls):
        if item.name in content:
            value = content[item.name]
        elif item.default is not MISSING:
            value = item.default
        elif item.default_factory is not MISSING:
            value = item.default_factory()
        elif not item.init:
            continue
        else:
            raise _RefusedError(f"{cls.__qualname__} now requires {item.name!r}, which was not stored")
        object.__setattr__(restored, item.name, value)
    return restored


def _classes_in(value: Any) -> dict[str, type]:
    found: dict[str, type] = {}
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        cls = cast("type[Any]", type(item))
        if cls in _LEAVES:
            continue
        if isinstance(item, dict):
            pairs = cast("dict[Any, Any]", item)
            waiting.extend(pairs.keys())
            waiting.extend(pairs.values())
        elif isinstance(item, (list, tuple, set, frozenset)):
            waiting.extend(cast("list[Any]", item))
        elif isinstance(item, Enum):
            found[path_of(cls)] = cls
        elif isinstance(item, pydantic.BaseModel):
            found[path_of(cls)] = cls
            waiting.extend(item.__dict__.values())
            waiting.extend((item.model_extra or {}).values())
        elif is_dataclass(item):
            found[path_of(cls)] = cls
            waiting.extend(getattr(item, part.name, None) for part in fields(item))
    return found
