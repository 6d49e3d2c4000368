"""Who answers in the cases: providers with a script, one that pauses, and a model with a script."""

from collections.abc import Iterable
from typing import Any

from tests.differential.engine import Engine


class Answers:
    """Answers each request at once with the next item of the script."""

    def __init__(self, *script: Any) -> None:
        self._script = list(script)
        self.shown: list[Any] = []
        """The outputs that were shown."""

    def request_feedback(self, context: Any, flow: Any) -> Any:
        """The next answer."""
        self.shown.append(context.method_output)
        return self._script.pop(0)


class Pauses:
    """Pauses the run at every request."""

    def __init__(self, engine: Engine, **callback_info: Any) -> None:
        self._pending = engine.HumanFeedbackPending
        self._callback_info = callback_info
        self.contexts: list[Any] = []

    def request_feedback(self, context: Any, flow: Any) -> Any:
        """Never answers."""
        self.contexts.append(context)
        raise self._pending(context=context, callback_info=dict(self._callback_info))


class Types:
    """Answers `ask()` with the next item of the script; an exception in it is raised."""

    def __init__(self, *script: Any) -> None:
        self._script = list(script)
        self.asked: list[Any] = []

    def request_input(self, message: str, flow: Any, metadata: dict[str, Any] | None = None) -> Any:
        """The next answer."""
        self.asked.append([message, metadata])
        answer = self._script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def scripted_model(engine: Engine, answers: Iterable[Any]) -> tuple[Any, list[bool]]:
    """A model that answers from the script, and the list of its calls: whether each wanted a structured answer.

    A callable in the script is called with the wanted class; an exception is raised.
    """
    script, calls = list(answers), []

    class Scripted(engine.BaseLLM):
        def call(self, messages: Any, *args: Any, **options: Any) -> Any:
            wanted = options.get("response_format") or options.get("response_model")
            calls.append(wanted is not None)
            answer = script.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer(wanted) if callable(answer) else answer

    return Scripted(model="scripted"), calls
