"""Asking a model while everybody who listens to the run is told of it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from flows.engine.run import FlowRun
from flows.errors import text_of
from flows.human_feedback.outcome import Asking
from flows.llm.resolve import ask
from flows.model_events import LLMCallCompleted, LLMCallFailed, LLMCallStarted
from flows.ports import LanguageModel
from flows.types import json_safe


def watched(run: FlowRun, method: str) -> Asking:
    """`ask` for this step of the run: the same answers and errors, and an event for each call's start and end."""
    if not run.listeners:
        return ask

    async def ask_and_tell(model: LanguageModel, messages: Any, *, response_format: type | None = None) -> Any:
        name = getattr(model, "model", None)
        about: dict[str, Any] = {
            "flow_name": run.name,
            "flow_id": run.flow_id,
            "method_name": method,
            "call_id": uuid4().hex,
            "model": name if isinstance(name, str) else None,
        }
        run.emit(LLMCallStarted(**about, messages=json_safe(messages)))
        try:
            answer = await ask(model, messages, response_format=response_format)
        except Exception as error:
            run.emit(LLMCallFailed(**about, error=text_of(error)))
            raise
        run.emit(LLMCallCompleted(**about, response=json_safe(answer)))
        return answer

    return ask_and_tell
