"""What a model answers when it works with lessons from earlier reviews."""

from __future__ import annotations

from pydantic import BaseModel, Field


class PreReviewResult(BaseModel):
    """An output, rewritten with earlier lessons before a person sees it."""

    improved_output: str


class DistilledLessons(BaseModel):
    """Rules that a person's words teach; none for plain approval."""

    lessons: list[str] = Field(default_factory=list[str])
