"""How a Python program that was flattened to one line gets its lines and its indentation back.

Three questions are answered one after another, each from the language's own rules and not from a list of programs:
where a statement ends (where one operand follows another without an operator between them), where a comment ends
(before the first words that can start a statement), and which suite a statement stands in (its own header's; never
behind a statement that leaves the suite). Comments are dropped; one whose words can be read as a statement, such as
`# part: whole`, cannot be told from one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SCANNER = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<string>[rbfuRBFU]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'))"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<name>\w+)"
    r"|(?P<operator>->|:=|\*\*=?|//=?|[=!<>+\-*/%|&^]=|[^\w\s])",
    re.DOTALL,
)
OPERAND_KEYWORDS = {"None", "True", "False", "pass", "break", "continue"}
JOINING_KEYWORDS = {"and", "or", "in", "is", "as", "else"}
PREFIX_KEYWORDS = {
    "and", "or", "not", "in", "is", "as", "if", "else", "elif", "for", "while", "return", "raise", "await", "def",
    "class", "async", "import", "from", "lambda", "with", "yield", "try", "except", "finally", "del", "assert",
    "global", "nonlocal",
}  # fmt: skip
SUITE_KEYWORDS = {"class", "def", "async", "if", "elif", "else", "for", "while", "with", "try", "except", "finally"}
CONTINUING_KEYWORDS = {"elif", "else", "except", "finally"}
DIRECT_CALL = re.compile(r"(await )?[\w.]+\(")


class NotReflowable(ValueError):
    """The text is no flattened program that these rules understand."""

    def __init__(self, *, at: str, reason: str) -> None:
        self.at, self.reason = at, reason
        super().__init__(f"{reason} at {at[:80]!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word of the program."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(slots=True, kw_only=True)
class Suite:
    """A header whose body is being filled."""

    keyword: str
    name: str
    is_empty: bool = True
    is_left: bool = False
    """Its newest statement leaves it, so that nothing after that would ever run."""


@dataclass(slots=True, kw_only=True)
class Layout:
    """The lines so far, and the suites that are open."""

    lines: list[str] = field(default_factory=list)
    open: list[Suite] = field(default_factory=list)


def flatten(program: str) -> str:
    """The program as one line, in the way the documents were flattened."""
    return " ".join(program.split())


def reflow(flat: str) -> str:
    """The program with one statement per line, indented. Raises NotReflowable."""
    found = list(statements(flat))
    layout = Layout()
    for position, statement in enumerate(found):
        _place(layout, statement, _decorated(found[position:]))
    return "\n".join(layout.lines) + "\n"


def statements(flat: str) -> Iterator[str]:
    """The statements and headers of the flattened program, in order, without comments."""
    position = 0
    while (position := _after_space(flat, position)) < len(flat):
        if flat[position] == "#":
            position = _after_comment(flat, position, depth=0)
            continue
        text, position = _statement(flat, position)
        if _parsed(text) is None:
            raise NotReflowable(at=text, reason="this is no statement")
        yield text


def _statement(flat: str, start: int) -> tuple[str, int]:
    """The statement that starts here, and the place where it ends."""
    parts: list[str] = []
    depth, position, previous, first = 0, start, None, ""
    while position < len(flat):
        if flat[position] == "#":
            if depth == 0:
                break
            position = _after_comment(flat, position, depth=depth)
            continue
        token = _token(flat, position)
        if token.kind != "space":
            if (
                previous is not None
                and depth == 0
                and _is_boundary(flat, previous, token, so_far=flat[start : token.start])
            ):
                break
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0) * (token.kind != "string")
            first = first or token.text
            previous = token
        parts.append(" " if token.kind == "space" else token.text)
        position = token.end
        if depth == 0 and token.text == ":" and first in SUITE_KEYWORDS:
            break
    return "".join(parts).strip(), position


def _is_boundary(flat: str, previous: Token, token: Token, *, so_far: str) -> bool:
    """Whether a new statement starts with this token."""
    first = so_far.split(maxsplit=1)[0]
    if not _ends_operand(previous):
        return False
    if token.text == "@":
        return flat[token.start - 1].isspace() and not flat[token.end].isspace()
    if token.kind in ("string", "number"):
        return True
    if token.kind != "name":
        return False
    if token.text == "else":
        return flat[_after_space(flat, token.end)] == ":"
    if token.text == "if":
        return _next_of(flat, token.end, stops=(":", "else")) == ":"
    if token.text == "import":
        return first != "from" or " import " in so_far
    if token.text == "from":
        return first not in ("raise", "yield")
    if token.text == "not":
        return False
    return token.text not in JOINING_KEYWORDS


def _ends_operand(token: Token) -> bool:
    if token.kind == "name":
        return token.text not in PREFIX_KEYWORDS
    return token.kind in ("string", "number") or token.text in (")", "]", "}")


def _after_comment(flat: str, start: int, *, depth: int) -> int:
    """Where the program goes on after the comment that starts here."""
    for space in re.finditer(r"\s+", flat[start:]):
        position = start + space.end()
        if _resumes_call(flat, position) if depth else _resumes(flat, position):
            return position
    return len(flat)


def _resumes(flat: str, position: int) -> bool:
    """Whether these words are a statement, or another comment, rather than prose."""
    if position >= len(flat) or flat[position] == "#":
        return True
    try:
        text, end = _statement(flat, position)
    except (NotReflowable, IndexError):
        return False
    if text.startswith("@") and not text.endswith(")"):
        return re.match(r"\s*(@|def |class |async )", flat[end:]) is not None
    node = _parsed(text)
    return node is not None and (not isinstance(node, ast.Expr) or DIRECT_CALL.match(text) is not None)


def _resumes_call(flat: str, position: int) -> bool:
    """Whether these words go on inside brackets: with a closing one or with a named argument."""
    return re.match(r"[)\]}]|\w+=", flat[position:]) is not None


def _parsed(text: str) -> ast.stmt | None:
    keyword = text.split(maxsplit=1)[0].rstrip(":")
    if text.startswith("@"):
        text = f"{text}\ndef decorated(): ..."
    elif keyword in ("elif", "else"):
        text = f"if x: ...\n{text} ..."
    elif keyword in ("except", "finally"):
        text = f"try: ...\n{text} ..."
    elif keyword in SUITE_KEYWORDS:
        text = f"{text} ..."
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def _place(layout: Layout, statement: str, decorated: str) -> None:
    """Adds one statement to the suite it stands in. decorated is the definition that its decorators belong to."""
    keyword = decorated.split(maxsplit=1)[0].rstrip(":")
    if keyword == "class":
        layout.open.clear()
    elif keyword in ("def", "async"):
        _leave_for_definition(layout, decorated)
    elif keyword in CONTINUING_KEYWORDS:
        _leave_for_continuation(layout, keyword)
    else:
        _leave_for_statement(layout, statement)
    layout.lines.append("    " * len(layout.open) + statement)
    if layout.open:
        layout.open[-1].is_empty = False
        layout.open[-1].is_left = keyword in ("return", "raise", "break", "continue")
    if statement.endswith(":"):
        header = re.match(r"(?:async )?(\w+)(?: (\w+))?", statement)
        assert header is not None
        layout.open.append(Suite(keyword=header[1], name=header[2] or ""))


def _leave_for_definition(layout: Layout, header: str) -> None:
    """A function with `self` belongs to the open class, any other to the module."""
    is_method = re.match(r"(async )?def \w+\((self|cls)\b", header) is not None
    in_class = bool(layout.open) and layout.open[0].keyword == "class"
    del layout.open[1 if is_method and in_class else 0 :]


def _leave_for_continuation(layout: Layout, keyword: str) -> None:
    starters = {"elif": ("if", "elif"), "else": ("if", "elif", "for", "while", "except")}.get(
        keyword, ("try", "except")
    )
    while layout.open and layout.open[-1].keyword not in starters:
        layout.open.pop()
    if not layout.open:
        raise NotReflowable(at=keyword, reason="nothing is open that this continues")
    layout.open.pop()


def _leave_for_statement(layout: Layout, statement: str) -> None:
    # The name of a class is bound only once its body ends, so whoever calls it stands after it.
    if layout.open and layout.open[0].keyword == "class" and re.search(rf"\b{layout.open[0].name}\(", statement):
        layout.open.clear()
    while layout.open and layout.open[-1].is_left:
        layout.open.pop()
    # A loop that always returns in its first round would be no loop.
    while layout.open and layout.open[-1].keyword in ("for", "while") and not layout.open[-1].is_empty:
        if not statement.startswith(("return", "raise")):
            break
        layout.open.pop()


def _decorated(rest: list[str]) -> str:
    """The statement itself, or the definition that follows when it is a decorator."""
    return next((statement for statement in rest if not statement.startswith("@")), "def alone():")


def _token(flat: str, position: int) -> Token:
    match = SCANNER.match(flat, position)
    if match is None or match.lastgroup is None:
        raise NotReflowable(at=flat[position:], reason="no word of the language")
    return Token(kind=match.lastgroup, text=match[0], start=position, end=match.end())


def _next_of(flat: str, position: int, *, stops: tuple[str, ...]) -> str:
    """Which of these words comes first outside brackets; "" when none does."""
    depth = 0
    while position < len(flat) and flat[position] != "#":
        token = _token(flat, position)
        if depth == 0 and token.text in stops and token.kind != "string":
            return token.text
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
        position = token.end
    return ""


def _after_space(flat: str, position: int) -> int:
    while position < len(flat) and flat[position].isspace():
        position += 1
    return position
