"""A user's state as the dict of its fields, values as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pydantic


def state_dict(state: Mapping[str, Any] | pydantic.BaseModel) -> dict[str, Any]:
    """The state's fields by name, extra ones included; the values themselves, not copies."""
    if isinstance(state, pydantic.BaseModel):
        known = {name: getattr(state, name) for name in type(state).__pydantic_fields__ if hasattr(state, name)}
        return {**known, **(state.model_extra or {})}
    return dict(state)
