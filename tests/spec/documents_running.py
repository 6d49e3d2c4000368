"""What a reader of the documents supplies so that their programs run: a terminal, a model, a crew, a class around."""

from __future__ import annotations

import ast
import dataclasses
import io
import sys
import textwrap
from collections.abc import Callable, Iterable
from datetime import datetime
from types import ModuleType, SimpleNamespace
from typing import Any

from flows import Flow, HumanFeedbackResult, PendingFeedbackContext, human_feedback, listen, or_, start

Namespace = dict[str, Any]


class Terminal(io.TextIOBase):
    """A person's keyboard: each line is typed when it is asked for, and shown as terminals do."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """The next line. Raises AssertionError when nobody would type any more."""
        assert self._lines, "the terminal was asked once more than anybody answers"
        line = self._lines.pop(0)
        sys.stdout.write(f"{line}\n")
        return f"{line}\n"


class Desk:
    """A host's reviewers: each step has its own answers, whatever the order in which the steps ask."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = answers
        self.seen: list[tuple[str, Any]] = []

    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        """The next answer for the step that asks."""
        self.seen.append((context.method_name, context.method_output))
        return self.answers[context.method_name].pop(0)


class Crew:
    """Something shaped like a crew."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.inputs: list[Any] = []

    def kickoff(self, inputs: dict[str, Any]) -> SimpleNamespace:
        """A result whose text is `raw`."""
        self.inputs.append(inputs)
        return SimpleNamespace(raw=self.raw)


def vendor_module(labels: Iterable[str]) -> tuple[ModuleType, list[str]]:
    """A stand-in for the module that reaches models, with what it will answer; and the ids of the models asked."""
    module, script, asked = ModuleType("litellm"), list(labels), list[str]()

    def completion(*, model: str, **options: Any) -> dict[str, Any]:
        asked.append(model)
        return {"choices": [{"message": {"content": script.pop(0)}}]}

    module.completion = completion  # type: ignore[attr-defined]
    return module, asked


def names_of_the_page() -> Namespace:
    """The names that a fragment takes from the page around it."""
    return {
        "Any": Any,
        "Flow": Flow,
        "HumanFeedbackResult": HumanFeedbackResult,
        "dataclass": dataclasses.dataclass,
        "datetime": datetime,
        "human_feedback": human_feedback,
        "listen": listen,
        "or_": or_,
        "start": start,
    }


def run_program(code: str, **supplied: Any) -> Namespace:
    """Runs a whole program; what it bound."""
    namespace = {"__name__": "documented", **supplied}
    exec(compile(code, "<document>", "exec", dont_inherit=True), namespace)
    return namespace


def flow_around(methods: str, reader: type[Flow[Any]] = Flow) -> type[Flow[Any]]:
    """The flow class whose body is this fragment; `reader` holds the steps that the page only names."""
    body = f"class Fragment(Reader):\n{textwrap.indent(methods, '    ')}"
    steps = {name: step for name, step in vars(reader).items() if not name.startswith("_")}
    return run_program(body, Reader=reader, **{**names_of_the_page(), **steps})["Fragment"]


def functions_in_order(code: str, name: str, namespace: Namespace) -> list[Callable[..., Any]]:
    """Every function of this name that a program defines, also those that a later one hides."""
    definitions = [node for node in ast.parse(code).body if getattr(node, "name", None) == name]
    return [run_program(ast.unparse(node), **namespace)[name] for node in definitions]
