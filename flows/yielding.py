"""A property that an author's attribute of the same name may replace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

ValueT = TypeVar("ValueT")


class yielding(Generic[ValueT]):  # noqa: N801 - a decorator, as `property` is one
    """A property that gives way to an attribute of the same name that an author sets: the name is ours alone."""

    def __init__(self, read: Callable[[Any], ValueT]) -> None:
        self._read, self.__doc__ = read, read.__doc__

    @overload
    def __get__(self, flow: None, owner: type) -> Self: ...
    @overload
    def __get__(self, flow: object, owner: type) -> ValueT: ...
    def __get__(self, flow: object | None, owner: type) -> ValueT | Self:
        return self if flow is None else self._read(flow)
