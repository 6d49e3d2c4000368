"""Exports: both formats give back what went in, and a spreadsheet runs nothing of it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reviews.audit import FIELDS, GENESIS, NULLABLE, Head, SealedRow, seal, signed_bytes
from bot.reviews.audit_check import verify
from bot.reviews.audit_export import Export, NotAnExport, closing, from_text, opening, page, to_text
from bot.reviews.model import AuditEntry
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

SIGNER = Signer(b"k" * 32)
FORMATS = pytest.mark.parametrize("form", ["json", "csv"])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
entries = st.builds(
    AuditEntry,
    review=st.none() | texts.map(ReviewId),
    version=st.none() | st.integers(0, 2**31),
    kind=texts,
    actor=texts,
    actor_name=texts,
    from_state=st.none(),
    to_state=st.none(),
    outcome=st.none() | texts,
    source=st.none(),
    reason_code=texts,
    text=texts,
    detail=st.dictionaries(texts, texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False), max_size=2),
    payload_hash=texts,
    at=st.datetimes(min_value=datetime(1980, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - the zone comes beside it
)


def export_of(drawn: list[AuditEntry]) -> Export:
    rows: list[SealedRow] = []
    for n, entry in enumerate(drawn, 1):
        previous = rows[-1].hash if rows else GENESIS
        rows.append(seal(previous, entry, team=TeamId("T1"), n=n, salt=f"{n:032x}", code_version="1.0"))
    if not rows:
        return Export(head=None, rows=())
    last = rows[-1].hash
    signature = SIGNER.sign(signed_bytes(team="T1", first=1, n=len(rows), hash=last)).hex()
    head = Head(team="T1", first=1, n=len(rows), hash=last, public_key=SIGNER.public_key, signature=signature)
    return Export(head=head, rows=tuple(rows))


ENTRY = AuditEntry(
    review=None,
    version=None,
    kind="decided",
    actor="T1/UBRUNO",
    actor_name="Bruno",
    from_state=None,
    to_state=None,
    payload_hash="p",
    at=datetime(2026, 11, 30, tzinfo=UTC),
)
ONE = export_of([ENTRY])


@FORMATS
@given(drawn=st.lists(entries, max_size=3))
def test_an_export_gives_back_what_went_in_and_verifies(form: Any, drawn: list[AuditEntry]) -> None:
    export = export_of(drawn)

    back = from_text(to_text(export, form))

    assert back == export
    assert verify(back.rows, back.head, SIGNER.public_key) is None


@FORMATS
def test_a_row_of_before_the_chain_comes_back(form: Any) -> None:
    row = replace(ONE.rows[0], format=0, hash="", salt="", text="An old reason.")

    assert from_text(to_text(Export(head=None, rows=(row,)), form)).rows == (row,)


@FORMATS
def test_a_file_written_in_pages_is_the_file_written_at_once(form: Any) -> None:
    export = export_of([ENTRY] * 5)
    rows = export.rows

    pieces = [
        opening(form, export.head),
        page(form, rows[:2], first=True),
        page(form, rows[2:], first=False),
        page(form, (), first=False),
        closing(form),
    ]

    assert "".join(pieces) == to_text(export, form)


@FORMATS
def test_the_words_of_the_longest_message_come_back(form: Any) -> None:
    export = export_of([replace(ENTRY, text="long " * 40_000)])

    assert from_text(to_text(export, form)) == export


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'"])
def test_no_cell_begins_as_a_formula_does(begins: str) -> None:
    words = f'{begins}cmd|" /C calc"!A0'
    export = export_of([replace(ENTRY, text=words, actor_name=words, reason_code=words)])

    text = to_text(export, "csv")

    cells = [cell for line in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) for cell in line]
    assert [
        cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n"))
    ] == []
    assert from_text(text) == export


def test_a_spreadsheet_is_told_that_the_text_is_utf_8() -> None:
    assert to_text(ONE, "csv").encode().startswith(b"\xef\xbb\xbf")


@FORMATS
@pytest.mark.parametrize("field", ["actor", "kind", "payload_hash", "reason_code", "actor_name"])
def test_an_edited_export_does_not_verify(form: Any, field: str) -> None:
    edited = replace(ONE.rows[0], **{field: "edited"})

    back = from_text(to_text(replace(ONE, rows=(edited,)), form))

    assert verify(back.rows, back.head, SIGNER.public_key) is not None


GOOD = json.loads(to_text(ONE, "json"))
BAD_JSON: dict[str, Any] = {
    "no object": [],
    "another kind of file": {**GOOD, "placet": "placet-audit/2"},
    "something beside": {**GOOD, "note": "all is well"},
    "rows that are none": {**GOOD, "rows": {}},
    "a row that is none": {**GOOD, "rows": ["row"]},
    "a row with something beside": {**GOOD, "rows": [{**GOOD["rows"][0], "approved": True}]},
    "a head with something beside": {**GOOD, "head": {**GOOD["head"], "note": ""}},
    "a number as text": {**GOOD, "rows": [{**GOOD["rows"][0], "n": "1"}]},
    "a text as number": {**GOOD, "rows": [{**GOOD["rows"][0], "actor": 1}]},
    "true as number": {**GOOD, "rows": [{**GOOD["rows"][0], "n": True}]},
    "a text as version": {**GOOD, "rows": [{**GOOD["rows"][0], "version": "1"}]},
    "null where something must be": {**GOOD, "rows": [{**GOOD["rows"][0], "actor": None}]},
}


WHY = {
    "a number as text": "row 1 has '1' as its n",
    "a row that is none": f"row 1 has other fields than {', '.join(FIELDS)}",
    "a head with something beside": ("the head has other fields than team, first, n, hash, public_key, signature"),
}


@pytest.mark.parametrize(("case", "why"), WHY.items(), ids=WHY.keys())
def test_a_refusal_says_what_is_wrong_and_where(case: str, why: str) -> None:
    with pytest.raises(NotAnExport) as refused:
        from_text(json.dumps(BAD_JSON[case]))

    assert (refused.value.why, str(refused.value)) == (why, why)


def test_a_name_that_comes_twice_is_refused() -> None:
    twice = to_text(ONE, "json").replace('"actor": ', '"actor": "T1/UEVE", "actor": ')

    with pytest.raises(NotAnExport, match="twice"):
        from_text(twice)


def test_a_json_file_may_begin_with_empty_lines() -> None:
    assert from_text("\n\n" + to_text(ONE, "json")) == ONE


@pytest.mark.parametrize("found", BAD_JSON.values(), ids=BAD_JSON.keys())
def test_json_that_is_no_export_is_refused(found: Any) -> None:
    with pytest.raises(NotAnExport):
        from_text(json.dumps(found))


@pytest.mark.parametrize("text", ["{", '{"placet": 1, "placet": 2}', "", "PK\x03\x04", '"a"b,c', "{" * 100_000])
def test_text_that_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(NotAnExport):
        from_text(text)


LINES = to_text(ONE, "csv").splitlines(keepends=True)
HEADER, HEAD_LINE, ROW_LINE = "".join(LINES[:2]), LINES[2], LINES[3]
BAD_CSV = {
    "no header": HEAD_LINE + ROW_LINE,
    "two heads": HEADER + HEAD_LINE + HEAD_LINE,
    "an unknown line": HEADER + ROW_LINE.replace('"row"', '"note"', 1),
    "an unknown line that looks like a head": HEADER + HEAD_LINE.replace('"head"', '"note"', 1),
    "a cell too few": HEADER + ROW_LINE.replace('"row",', "", 1),
    "no number": HEADER + ROW_LINE.replace('"T1","1"', '"T1","one"', 1),
    "another script's number": HEADER + ROW_LINE.replace('"T1","1"', '"T1","１"', 1),
    "a row that fills the head's cells": HEADER + ROW_LINE.replace('"","",""\r\n', '"","","signed"\r\n'),
    "an open quote": HEADER + ROW_LINE[:-3],
}


@pytest.mark.parametrize("text", BAD_CSV.values(), ids=BAD_CSV.keys())
def test_csv_that_is_no_export_is_refused(text: str) -> None:
    assert from_text(HEADER + HEAD_LINE + ROW_LINE) == ONE
    with pytest.raises(NotAnExport):
        from_text(text)


CSV_WHY = {
    "no header": "it does not begin as placet-audit/1 does; a spreadsheet may have saved it anew",
    "two heads": "line 4 is neither a row nor the only head",
    "a cell too few": "line 3 has 27 cells instead of 28",
    "no number": "line 3 has 'one' as its n",
    "a row that fills the head's cells": "line 3 fills cells that are not its own",
}


@pytest.mark.parametrize(("case", "why"), CSV_WHY.items(), ids=CSV_WHY.keys())
def test_a_refusal_of_csv_says_what_is_wrong_and_where(case: str, why: str) -> None:
    with pytest.raises(NotAnExport) as refused:
        from_text(BAD_CSV[case])

    assert refused.value.why == why


def test_every_field_that_may_be_null_is_so_in_both_formats() -> None:
    row = replace(ONE.rows[0], **dict.fromkeys(NULLABLE))

    back = [from_text(to_text(Export(head=None, rows=(row,)), form)).rows[0] for form in ("json", "csv")]

    assert back == [row, row]
