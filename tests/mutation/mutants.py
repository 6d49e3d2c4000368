"""Which small faults can be planted in a module, and the module's syntax tree with one of them in it."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

OPPOSITES: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Mult,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
}
"""What an operator is exchanged for."""

EXACT = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose exchange is their negation, so that negating them again would be the same fault."""

NAMING = {"Literal", "NewType", "TypeVar", "TypedDict", "getLogger", "dataclass"}
"""Calls and subscripts that only name or declare: a fault in them changes no behaviour that a flow can see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One planted fault."""

    number: int
    """Counts from 0 within the module's text; the same text gives the same numbers."""
    line: int
    function: str | None
    """Dotted name of the outermost function around it within its classes; None at the level of the module."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.line}: {self.before}  ->  {self.after}"


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place in the tree: an attribute of a node, or an item of a list attribute."""

    owner: Any
    name: str
    at: int | None

    def put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.owner, self.name, node)
        else:
            getattr(self.owner, self.name)[self.at] = node


@dataclass(frozen=True, slots=True)
class _Change:
    slot: _Slot
    old: ast.AST
    new: ast.AST
    function: str | None
    shown: ast.AST
    """The node that is printed, which holds the slot or is in it."""


def mutants_of(source: str) -> list[Mutant]:
    """All faults that this text of a module can be given, in the order of the text."""
    found: list[Mutant] = []
    for number, change in enumerate(_changes(ast.parse(source))):
        before = _text(change.shown)
        line = getattr(change.old, "lineno", 0) or getattr(change.shown, "lineno", 0)
        _apply(change)
        after = "(removed)" if isinstance(change.new, ast.Pass) else _text(_shown_after(change))
        _undo(change)
        found.append(Mutant(number=number, line=line, function=change.function, before=before, after=after))
    return found


def mutated(source: str, number: int | None) -> ast.Module:
    """The tree of this text with the fault of that number in it; without any for None."""
    tree = ast.parse(source)
    if number is not None:
        _apply(_changes(tree)[number])
    return ast.fix_missing_locations(tree)


def _apply(change: _Change) -> None:
    if isinstance(change.old, (ast.expr, ast.stmt)):
        ast.copy_location(change.new, change.old)
    change.slot.put(change.new)


def _undo(change: _Change) -> None:
    change.slot.put(change.old)


def _shown_after(change: _Change) -> ast.AST:
    return change.new if change.shown is change.old else change.shown


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 90 else f"{text[:60]} … {text[-27:]}"


def _changes(tree: ast.Module) -> list[_Change]:
    found: list[_Change] = []
    _visit(tree, found.append, scope=(), function=None)
    return found


def _visit(node: ast.AST, found: Callable[[_Change], None], *, scope: tuple[str, ...], function: str | None) -> None:
    for slot, child in _children(node):
        inner, around = scope, function
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = (*scope, child.name)
        # Defaults and decorators run with the text around the function, and its body when it is called.
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and slot.name == "body" and function is None:
            around = ".".join(scope)
        for place, old, new, shown in _faults(slot, child, node):
            found(_Change(place, old, new, around, shown))
        _visit(child, found, scope=inner, function=around)


def _children(node: ast.AST) -> Iterator[tuple[_Slot, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "format_spec"):
            continue
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for at, child in items:
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                yield _Slot(node, name, at), child


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # documentation
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    named = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else None
    return getattr(named, "attr", getattr(named, "id", None)) in NAMING


Fault = tuple[_Slot, ast.AST, ast.AST, ast.AST]
"""Where, what stands there, what is put there, and the node to print."""


def _faults(slot: _Slot, node: ast.AST, parent: ast.AST) -> Iterator[Fault]:
    yield from _operators(node)
    yield from _conditions(slot, node)
    yield from _omissions(slot, node)
    yield from _statements(slot, node)
    for new in _values(node, is_default=_is_default(slot, parent)):
        yield slot, node, new, node if not isinstance(parent, (ast.JoinedStr, ast.keyword)) else parent


def _operators(node: ast.AST) -> Iterator[Fault]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for other in OPPOSITES.get(type(operator), ()):
                yield _Slot(node, "ops", at), operator, other(), node
    if isinstance(node, (ast.BoolOp, ast.BinOp, ast.AugAssign)):
        for other in OPPOSITES.get(type(node.op), ()):
            yield _Slot(node, "op", None), node.op, other(), node


def _conditions(slot: _Slot, node: ast.AST) -> Iterator[Fault]:
    is_condition = slot.name in ("test", "ifs")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield slot, node, node.operand, node
    elif is_condition and isinstance(node, ast.expr):
        is_covered = isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], EXACT)
        if not is_covered:
            yield slot, node, ast.UnaryOp(ast.Not(), node), node


def _omissions(slot: _Slot, node: ast.AST) -> Iterator[Fault]:
    if isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            others = [*node.values[:at], *node.values[at + 1 :]]
            yield slot, node, others[0] if len(others) == 1 else ast.BoolOp(node.op, others), node
    if isinstance(node, ast.Call):
        for at in range(len(node.keywords)):
            others = [*node.keywords[:at], *node.keywords[at + 1 :]]
            yield slot, node, ast.Call(node.func, node.args, others), node


def _statements(slot: _Slot, node: ast.AST) -> Iterator[Fault]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    removable = (ast.Expr, ast.Raise, ast.Delete, ast.Continue, ast.Break, ast.AugAssign)
    is_kept = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
    if isinstance(node, removable) or is_kept or (isinstance(node, ast.Return) and node.value is None):
        yield slot, node, ast.Pass(), node
    if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield slot, node, ast.Return(ast.Constant(None)), node


def _values(node: ast.AST, *, is_default: bool) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield ast.Constant(not value)
        elif isinstance(value, (int, float)):
            yield ast.Constant(value + 1)
        elif isinstance(value, str):
            yield ast.Constant(f"{value}XX")
        elif value is None and is_default:
            yield ast.Constant(...)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        yield node.func.value


def _is_default(slot: _Slot, parent: ast.AST) -> bool:
    return slot.name in ("defaults", "kw_defaults") or (isinstance(parent, ast.AnnAssign) and slot.name == "value")


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
