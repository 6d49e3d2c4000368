"""A model's id, an object or nothing, as something that can be asked."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, cast

from flows.config import default_model
from flows.errors import ModelError
from flows.llm.litellm_adapter import LLM
from flows.ports import LanguageModel
from flows.threads import in_step_thread


def resolve(llm: Any) -> LanguageModel | None:
    """The model behind an id, a settings mapping or an object; the default model for None; None without any.

    Raises ModelError for a mapping without "model" and for an object that cannot be called.
    """
    if llm is None or llm == "":
        name = default_model()
        return LLM(name) if name else None
    if isinstance(llm, str):
        return LLM(llm)
    if isinstance(llm, Mapping):
        settings = dict(cast("Mapping[str, Any]", llm))
        name = settings.pop("model", None)
        if not isinstance(name, str) or not name:
            raise ModelError("The settings of a model lack its id. Add the key 'model'.")
        return LLM(name, **settings)
    if isinstance(llm, LanguageModel):
        return llm
    raise ModelError(f"{type(llm).__name__!r} is no model: expected an id, settings, or an object with a call method.")


async def ask(model: LanguageModel, messages: Any, *, response_format: type | None = None) -> Any:
    """The model's answer, asked off the loop when its call is sync."""
    options = {} if response_format is None else {_format_keyword(model): response_format}
    if inspect.iscoroutinefunction(model.call):
        return await model.call(messages, **options)
    answer = await in_step_thread(model.call, messages, **options)
    return await answer if inspect.isawaitable(answer) else answer


def _format_keyword(model: LanguageModel) -> str:
    parameters = inspect.signature(model.call).parameters
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    return "response_format" if takes_any or "response_format" in parameters else "response_model"
