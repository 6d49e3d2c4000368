"""A state model with the id that every run has; apart from the other types because building a model takes time."""

from __future__ import annotations

from uuid import uuid4

from pydantic import BaseModel, Field


class FlowState(BaseModel):
    """A state model with the id that every run has."""

    id: str = Field(default_factory=lambda: str(uuid4()))
