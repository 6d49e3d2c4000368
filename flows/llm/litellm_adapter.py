"""A model named by id, reached through litellm; the only file that imports it, and only inside a call."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

import pydantic

from flows.errors import ModelError
from flows.llm.base import BaseLLM


class LLM(BaseLLM):
    """A model by its litellm id. Making one needs no key, no network and no import; the first call does."""

    def call(self, messages: Any, **options: Any) -> Any:
        """The model's answer as text.

        messages is a text or a list of role and content dicts; `response_format` may be a pydantic class.
        Raises ModelError, with the cause chained.
        """
        response_format = options.pop("response_format", None) or options.pop("response_model", None)
        prompt = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        if isinstance(response_format, type) and issubclass(response_format, pydantic.BaseModel):
            options["response_format"] = response_format
        try:
            litellm = cast("Any", import_module("litellm"))
            answer = litellm.completion(model=self.model, messages=prompt, **{**self.settings, **options})
        except Exception as error:
            # litellm raises whatever its vendors' clients raise; the caller can do one thing about all of it.
            raise ModelError(f"The model {self.model!r} did not answer ({type(error).__name__}).") from error
        return _text(answer)


def _text(answer: Any) -> str:
    choices = _part(answer, "choices")
    if not choices:
        raise ModelError("The model gave no answer.")
    return str(_part(_part(choices[0], "message"), "content") or "")


def _part(holder: Any, name: str) -> Any:
    """The named part of an answer, which is an object or, from some vendors, a plain dict."""
    return cast("Mapping[str, Any]", holder)[name] if isinstance(holder, Mapping) else getattr(holder, name)
