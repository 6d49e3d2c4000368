"""The record as a file that anybody can verify: its rows, its signed end and the public key, as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast

from bot.reviews.audit import FIELDS, NULLABLE, WHOLE, Head, SealedRow

FileFormat = Literal["json", "csv"]
NAME = "placet-audit/1"
"""What a file says it is."""

_HEAD_FIELDS = tuple(field.name for field in fields(Head))
_HEAD_WHOLE = frozenset({"first", "n"})
_CSV_COLUMNS = ("line", *FIELDS, *(name for name in _HEAD_FIELDS if name not in FIELDS))
# What a spreadsheet takes for a formula, its full-width twins, and what it skips before one; and the guard itself.
_GUARDED = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")
_MARK = "\ufeff"
_LONGEST_CELL = 1 << 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What a file holds."""

    head: Head | None
    rows: tuple[SealedRow, ...]


class NotAnExport(ValueError):
    """The text is no export, or was damaged so that its rows cannot be told apart."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def opening(form: FileFormat, head: Head | None) -> str:
    """What a file begins with. Pages of rows follow, then `closing`."""
    if form == "json":
        described = None if head is None else asdict(head)
        return f'{{"placet": "{NAME}",\n"head": {_json(described)},\n"rows": ['
    line = "" if head is None else _csv({"line": "head", **asdict(head)})
    # The mark tells spreadsheets that the text is UTF-8: else they show names as they please.
    return _MARK + _csv_line(("placet", NAME)) + _csv_line(_CSV_COLUMNS) + line


def page(form: FileFormat, rows: Iterable[SealedRow], *, first: bool) -> str:
    """Some rows; first says that none were before."""
    if form == "csv":
        return "".join(_csv({"line": "row", **_fields(row)}) for row in rows)
    text = ",\n".join(_json(_fields(row)) for row in rows)
    return ("\n" if first else ",\n") + text if text else ""


def closing(form: FileFormat) -> str:
    """What a file ends with."""
    return "\n]}\n" if form == "json" else ""


def to_text(export: Export, form: FileFormat) -> str:
    """The whole file at once."""
    return opening(form, export.head) + page(form, export.rows, first=True) + closing(form)


def from_text(text: str) -> Export:
    """What a file holds, in either format. Its rows are as they stand there: whether they are true is not asked here.

    Raises NotAnExport.
    """
    text = text.removeprefix(_MARK)
    return _from_json(text) if text.lstrip().startswith("{") else _from_csv(text)


def _fields(row: SealedRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in FIELDS}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _from_json(text: str) -> Export:
    try:
        # A name that comes twice would be read one way here and maybe another way elsewhere.
        found: Any = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise NotAnExport(f"it is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise NotAnExport("it is no JSON object")
    whole = cast("dict[str, Any]", found)  # JSON names are texts by definition
    if set(whole) != {"placet", "head", "rows"} or whole["placet"] != NAME or not isinstance(whole["rows"], list):
        raise NotAnExport(f"it does not say that it is {NAME}, with a head and rows")
    head = whole["head"]
    rows = cast("list[Any]", whole["rows"])  # looked at above
    return Export(
        head=None if head is None else Head(**_typed(head, "the head", _HEAD_FIELDS, _HEAD_WHOLE)),
        rows=tuple(_row(row, f"row {place}") for place, row in enumerate(rows, 1)),
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name comes twice in one object")
    return made


def _row(found: Any, place: str) -> SealedRow:
    return SealedRow(**_typed(found, place, FIELDS, WHOLE, NULLABLE))


def _typed(
    found: Any, place: str, names: tuple[str, ...], whole: frozenset[str], nullable: frozenset[str] = frozenset()
) -> dict[str, Any]:
    if not isinstance(found, dict) or set(cast("dict[str, Any]", found)) != set(names):
        raise NotAnExport(f"{place} has other fields than {', '.join(names)}")
    values = cast("dict[str, Any]", found)  # looked at above
    for name, value in values.items():
        if value is None and name in nullable:
            continue
        # `type`, not isinstance: true and false are numbers to Python.
        if type(value) is not (int if name in whole else str):
            raise NotAnExport(f"{place} has {value!r} as its {name}")
    return values


def _from_csv(text: str) -> Export:
    csv.field_size_limit(_LONGEST_CELL)  # the module knows only one limit for all; its own is too small for long words
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    head, rows = None, list[SealedRow]()
    try:
        if next(lines, None) != ["placet", NAME] or next(lines, None) != list(_CSV_COLUMNS):
            raise NotAnExport(f"it does not begin as {NAME} does; a spreadsheet may have saved it anew")
        for cells in lines:
            place = f"line {lines.line_num}"
            if len(cells) != len(_CSV_COLUMNS):
                raise NotAnExport(f"{place} has {len(cells)} cells instead of {len(_CSV_COLUMNS)}")
            named = dict(zip(_CSV_COLUMNS, map(_bare, cells), strict=True))
            if named["line"] == "row":
                rows.append(_row(_picked(named, FIELDS, WHOLE, NULLABLE, place), place))
            elif named["line"] == "head" and head is None:
                head = Head(**_picked(named, _HEAD_FIELDS, _HEAD_WHOLE, frozenset(), place))
            else:
                raise NotAnExport(f"{place} is neither a row nor the only head")
    except csv.Error as error:
        raise NotAnExport(f"it is no CSV ({error})") from error
    return Export(head=head, rows=tuple(rows))


def _picked(
    named: Mapping[str, str], names: tuple[str, ...], whole: frozenset[str], nullable: frozenset[str], place: str
) -> dict[str, Any]:
    """The cells of one line as values. A cell of another kind of line has nothing in it, else it is refused."""
    if any(value for name, value in named.items() if name not in names and name != "line"):
        raise NotAnExport(f"{place} fills cells that are not its own")
    picked: dict[str, Any] = {}
    for name in names:
        value = named[name]
        if not value and name in nullable:
            picked[name] = None
        elif name in whole:
            if not value.removeprefix("-").isdecimal() or not value.isascii() or len(value) > 20:
                raise NotAnExport(f"{place} has {value!r} as its {name}")
            picked[name] = int(value)
        else:
            picked[name] = value
    return picked


def _csv(values: Mapping[str, Any]) -> str:
    # Null and nothing are one cell: a nullable field never holds an empty text (see audit.seal).
    cells = ("" if values.get(name) is None else str(values[name]) for name in _CSV_COLUMNS)
    return _csv_line(tuple(cells))


def _csv_line(cells: tuple[str, ...]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow(
        [f"'{cell}" if cell.startswith(_GUARDED) else cell for cell in cells]
    )
    return out.getvalue()


def _bare(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell
