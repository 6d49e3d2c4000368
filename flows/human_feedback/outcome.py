"""Which label a person's words are: an empty answer, the label itself, or one question to a model."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from flows.errors import HumanFeedbackCollapseError
from flows.llm import choice
from flows.llm.resolve import ask, resolve
from flows.ports import LanguageModel

logger = logging.getLogger(__name__)


Asking = Callable[..., Awaitable[Any]]
"""Asks a model: the shape of `flows.llm.resolve.ask`."""


async def resolve_outcome(
    text: str,
    emit: Sequence[str],
    *,
    default_outcome: str | None = None,
    llm: Any = None,
    message: str = "",
    asking: Asking = ask,
) -> str:
    """The one label of emit that the text is.

    An empty text is the default outcome, or the first label when there is none. A text that is a label, ignoring case
    and outer spaces, is that label. Anything else is put to the model once, and once more in plain words if the
    structured request fails. Nothing is ever guessed: no first label, no label that merely occurs in the text.
    asking stands in for `ask`, for a caller who watches the calls.
    Raises HumanFeedbackCollapseError when no single label comes out.
    Source: human feedback guide, "Routing with emit".
    """
    if not text.strip():
        return default_outcome if default_outcome is not None else emit[0]
    exact = choice.exact_label(text, emit)
    if exact is not None:
        return exact
    model = resolve(llm)
    if model is None:
        raise HumanFeedbackCollapseError(feedback=text, emit=emit, reason="no model is configured to read free text")
    answer = await _asked(model, text, emit, message, asking)
    label = choice.parse(answer, emit)
    if label is None:
        raise HumanFeedbackCollapseError(feedback=text, emit=emit, reason="the model's answer is no single label")
    return label


async def _asked(model: LanguageModel, text: str, emit: Sequence[str], message: str, asking: Asking) -> Any:
    prompt = choice.prompt(text, emit, question=message)
    try:
        return await asking(model, prompt, response_format=choice.response_model(emit))
    except Exception:
        logger.info("The structured request failed; asking in plain words.", exc_info=True)
    try:
        return await asking(model, prompt)
    except Exception as error:
        raise HumanFeedbackCollapseError(feedback=text, emit=emit, reason="the model could not be reached") from error
