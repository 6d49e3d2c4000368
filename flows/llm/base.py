"""The base class for a model of one's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class BaseLLM(ABC):
    """A language model; subclass it to bring one that litellm does not know."""

    def __init__(self, model: str, **settings: Any) -> None:
        self.model = model
        self.settings = settings

    @abstractmethod
    def call(self, messages: Any, **options: Any) -> Any:
        """The model's answer; see `flows.ports.LanguageModel`."""
