"""How a stored model or dataclass is put together again, without running any of its code."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any, cast

import pydantic
from pydantic.fields import ModelPrivateAttr
from pydantic_core import PydanticUndefined

from flows.errors import CodecError


class RefusedError(Exception):
    """A part cannot be kept or read. Its path grows on the way up, so that nobody pays for it in the usual case."""

    def __init__(self, reason: str) -> None:
        self.path, self.reason = "", reason

    def inside(self, part: str) -> RefusedError:
        """The same error, said of the whole that has the refused value in this part."""
        self.path = part + self.path
        return self


def model_with(
    cls: type[pydantic.BaseModel], content: dict[str, Any], extra: dict[str, Any], *, path: str
) -> pydantic.BaseModel:
    """A model with exactly these field values; fields that were not stored take their defaults.

    Nothing is validated. Raises CodecError, with this path, when a required field is missing.
    """
    try:
        return restored_model(cls, content, extra)
    except RefusedError as refused:
        raise CodecError(path=path, reason=refused.reason) from None


def restored_model(
    cls: type[pydantic.BaseModel],
    content: Mapping[str, Any],
    extra: Mapping[str, Any],
    *,
    unset: Collection[str] = (),
    private: Mapping[str, Any] | None = None,
) -> pydantic.BaseModel:
    """A model of these field values, of extra ones, and of private ones that the class still declares.

    unset names fields that nobody had set. Raises RefusedError when a required field is missing.
    """
    missing = [name for name, item in cls.model_fields.items() if item.is_required() and name not in content]
    if missing:
        raise RefusedError(f"{cls.__qualname__} now requires {', '.join(missing)}, which was not stored")
    kept: dict[str, Any] = {}
    for name, item in cls.model_fields.items():
        kept[name] = (
            content[name] if name in content else item.get_default(call_default_factory=True, validated_data=kept)
        )
    takes_extra = cls.model_config.get("extra") == "allow"
    known = {*content, *extra} if takes_extra else content.keys() & kept.keys()
    hidden = {name: _private_default(item, kept) for name, item in cls.__private_attributes__.items()}
    hidden.update((name, value) for name, value in (private or {}).items() if name in hidden)
    # What was stored was valid when it was stored. Neither a validator nor model_post_init is run again: they may have
    # side effects, refuse old values, or look at fields that are not there yet.
    restored = cls.__new__(cls)
    for name, value in {
        "__dict__": kept,
        "__pydantic_fields_set__": {name for name in known if name not in unset},
        "__pydantic_extra__": dict(extra) if takes_extra else None,
        "__pydantic_private__": {name: value for name, value in hidden.items() if value is not PydanticUndefined}
        if hidden
        else None,
    }.items():
        object.__setattr__(restored, name, value)
    return restored


def restored_dataclass(cls: type[Any], content: dict[str, Any]) -> Any:
    """A dataclass of these field values. Raises RefusedError when one without a default is missing."""
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
            raise RefusedError(f"{cls.__qualname__} now requires {item.name!r}, which was not stored")
        object.__setattr__(restored, item.name, value)
    return restored


def _private_default(declared: ModelPrivateAttr, content: dict[str, Any]) -> Any:
    if declared.default_factory is None:
        return copy.deepcopy(declared.default)
    # Older versions of pydantic know no factory that looks at the content.
    takes_content = getattr(declared, "default_factory_takes_validated_data", False)
    factory = cast("Callable[..., Any]", declared.default_factory)
    return factory(content) if takes_content else factory()
