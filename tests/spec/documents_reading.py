"""Where the documents lie, and which Python programs they hold."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tests.spec.documents_reflow import DIRECT_CALL, reflow

NUMBERS = ("000", "001", "002")
FENCED = re.compile(r"```python(?: Code)? (.*?) ```")
DECORATED = "decorated_by_the_reader"
BESIDE = Path(__file__).parents[3] / "shared" / "seeds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One program of a document, with its lines as they were written."""

    document: str
    position: int
    code: str

    @property
    def key(self) -> str:
        """The first name the program binds, or one "@" for each decorator that it leaves without a function."""
        for statement in parsed(self.code) or ():
            match statement:
                case ast.FunctionDef(name=name) if name == DECORATED:
                    return "@" * len(statement.decorator_list)
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    return name
                case ast.Assign(targets=[ast.Name(id=name)]):
                    return name
                case _:
                    continue
        raise ValueError(f"block {self.position} of document {self.document} binds no name")

    @property
    def engine_code(self) -> str:
        """The program with its import lines pointed at our engine, and nothing else changed."""
        lines = self.code.splitlines()
        return "\n".join(_ours(line) if line.startswith("from ") else line for line in lines) + "\n"


def folder() -> Path | None:
    """The documents' folder: PLACET_DOCUMENTS, else the shared one beside the checkout; None unless all are there."""
    named = os.environ.get("PLACET_DOCUMENTS")
    found = Path(named) if named else BESIDE
    return found if all(any(found.glob(f"{number}_*.txt")) for number in NUMBERS) else None


def document(number: str) -> str:
    """The text of a document. Raises FileNotFoundError where it is absent."""
    place = folder()
    if place is None:
        raise FileNotFoundError(f"no document {number}: set PLACET_DOCUMENTS to the folder that holds it")
    [path] = place.glob(f"{number}_*.txt")
    return path.read_text("utf-8")


def blocks(number: str) -> list[Block]:
    """The Python programs of a document, in order."""
    text = document(number)
    programs = [reflow(flat) for flat in FENCED.findall(text)] if "```python" in text else _between_prose(text)
    return [Block(document=number, position=position, code=code) for position, code in enumerate(programs)]


def printed_session(number: str) -> str | None:
    """The terminal session that a document shows, on one line; None when it shows none."""
    found = re.search(r"```text Output (.*?) ```", document(number))
    return found[1] if found else None


def parsed(code: str) -> list[ast.stmt] | None:
    """The program's statements; decorators without a function get one. None for what is no program."""
    for completed in (code, f"{code}\ndef {DECORATED}(self): ..."):
        try:
            return ast.parse(completed).body
        except SyntaxError:
            continue
    return None


def _ours(line: str) -> str:
    return re.sub(r"^from crewai\.flow(\.flow)?\b", lambda match: "from flows" + (match[1] or ""), line)


def _between_prose(text: str) -> list[str]:
    """The programs of a page that kept its line breaks but lost its fences: runs of paragraphs that are Python."""
    found: list[str] = []
    is_inside = False
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(" ") and is_inside:
            found[-1] += f"\n\n{paragraph}"
        elif not _is_python(paragraph):
            is_inside = False
        elif is_inside:
            found[-1] += f"\n\n{paragraph}"
        else:
            found.append(paragraph)
            is_inside = True
    return [f"{program.strip()}\n" for program in found]


def _is_python(paragraph: str) -> bool:
    """Whether the paragraph is a program; a heading may be a name to Python, or a call with a space in it."""
    body = parsed(paragraph)
    if body is None or not body:
        return False
    return len(body) > 1 or not isinstance(body[0], ast.Expr) or DIRECT_CALL.match(paragraph) is not None
