"""Whether a record is whole, and if not, which row is the first that is wrong, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bot.reviews import signing
from bot.reviews.audit import FORMAT, GENESIS, KEY_CHANGED, Head, SealedRow, row_hash, salted, signed_bytes

FindingKind = Literal[
    "changed",
    "replaced",
    "missing",
    "out_of_order",
    "inserted",
    "cut_tail",
    "rewritten",
    "no_head",
    "bad_signature",
    "other_key",
    "other_team",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The first thing that is wrong with a record."""

    kind: FindingKind
    n: int | None
    """The row it is about, of a missing one the number; None: the head."""
    said: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far a record has been read, and what was seen up to there."""

    head: Head | None
    next_n: int
    """The number that the next sealed row must have."""
    last_hash: str = GENESIS
    before: int = 0
    """Rows that were written before there was a chain."""
    rows: int = 0
    """Sealed rows, all of them good."""
    removed: int = 0
    """Those of them whose words were removed."""
    key_changes: tuple[int, ...] = ()
    """The rows that say that the record was signed with another key before."""
    hash_at: Mapping[int, str]
    """The hashes of the rows that the end will be held against; empty until such a row is reached."""


def verify(
    rows: Iterable[SealedRow], head: Head | None, public_key: str | None, *, since: Head | None = None
) -> Finding | None:
    """The first thing that is wrong with the whole record of one team, or None.

    public_key is the one to be trusted, 64 hex characters; None trusts the one that the head names.
    since is an earlier head of the same record: what it was signed over must still be there.
    Source: threats T25.
    """
    done = walk(begin(head, since), rows)
    return done if isinstance(done, Finding) else end(done, public_key, since=since)


def begin(head: Head | None, since: Head | None = None) -> Walk:
    """The walk before the first row. Long records are walked page by page: begin, walk each page, end."""
    marks = {mark.n: "" for mark in (head, since) if mark is not None}
    return Walk(head=head, next_n=1 if head is None else head.first, hash_at=marks)


def walk(at: Walk, rows: Iterable[SealedRow]) -> Walk | Finding:
    """The walk after these rows, or the first that is wrong."""
    head, next_n, last_hash = at.head, at.next_n, at.last_hash
    before, removed, hash_at, key_changes = at.before, at.removed, dict(at.hash_at), list(at.key_changes)
    coming = iter(rows)
    for row in coming:
        if head is None or (next_n == head.first and 1 <= row.n < head.first):
            if row.hash:
                return _sealed_without_head(row, head)
            before += 1
            continue
        if row.n > next_n:
            return _gap(row, next_n, coming)
        fault = _fault(row, next_n, last_hash, head, coming)
        if fault is not None:
            return fault
        removed += not row.salt
        next_n, last_hash = next_n + 1, row.hash
        if row.kind == KEY_CHANGED:
            key_changes.append(row.n)
        if row.n in hash_at:
            hash_at[row.n] = row.hash
    return replace(
        at,
        next_n=next_n,
        last_hash=last_hash,
        before=before,
        rows=at.rows + next_n - at.next_n,
        removed=removed,
        key_changes=tuple(key_changes),
        hash_at=hash_at,
    )


def end(at: Walk, public_key: str | None, *, since: Head | None = None) -> Finding | None:
    """What is wrong with the end of a record whose rows were all good; public_key and since as for `verify`."""
    head, last = at.head, at.next_n - 1
    if head is not None:
        found = _head_fault(at, head, public_key)
        if found is not None:
            return found
    if since is None:
        return None
    if not is_signed(since):
        return Finding(kind="bad_signature", n=None, said="The exported head itself was changed: its signature fails.")
    if head is None:
        return Finding(kind="cut_tail", n=1, said=f"The record has no signed end; the exported head says {since.n}.")
    if since.team != head.team:
        said = f"The exported head is of the workspace {since.team}, the record of {head.team}."
        return Finding(kind="other_team", n=None, said=said)
    if since.n > last:
        return _cut(at, f"the exported head says {since.n}")
    if at.hash_at[since.n] != since.hash:
        said = f"Row {since.n} is not the one that the exported head was signed over: it or a row before it is another."
        return Finding(kind="rewritten", n=since.n, said=said)
    return None


def _sealed_without_head(row: SealedRow, head: Head | None) -> Finding:
    if head is None:
        return Finding(kind="no_head", n=row.n, said=f"Row {row.n} is sealed, but the record has no signed end.")
    said = f"Row {row.n} is sealed, but the record is sealed from row {head.first} on only."
    return Finding(kind="inserted", n=row.n, said=said)


def _gap(row: SealedRow, next_n: int, coming: Iterable[SealedRow]) -> Finding:
    if any(later.n == next_n for later in coming):
        said = f"Row {row.n} stands where row {next_n} belongs."
        return Finding(kind="out_of_order", n=row.n, said=said)
    return Finding(kind="missing", n=next_n, said=f"Row {next_n} is missing: row {row.n} comes in its place.")


def _fault(row: SealedRow, next_n: int, last_hash: str, head: Head, coming: Iterable[SealedRow]) -> Finding | None:
    if row.n < next_n:
        said = f"Row {row.n} was inserted: the record is at row {next_n} there."
        return Finding(kind="inserted", n=row.n, said=said)
    changed = _change(row, head)
    if changed:
        return Finding(kind="changed", n=row.n, said=f"Row {row.n} was changed: {changed}.")
    if row.previous_hash == last_hash:
        return None
    if any(later.n == row.n for later in coming):
        said = f"Row {row.n} was inserted: it was not sealed onto the row before it, and there is another row {row.n}."
        return Finding(kind="inserted", n=row.n, said=said)
    if row.n == head.first:
        said = f"Row {row.n} does not begin the record: it was sealed onto a row before it."
        return Finding(kind="replaced", n=row.n, said=said)
    said = f"Row {row.n - 1} was replaced: it is not the one that row {row.n} was sealed onto."
    return Finding(kind="replaced", n=row.n - 1, said=said)


def _change(row: SealedRow, head: Head) -> str:
    """What was changed about a row that stands in its place, or nothing."""
    if row.team != head.team:
        return f"it names the workspace {row.team}"
    if not row.hash:
        return "its seal was taken away"
    if row.format != FORMAT:
        return f"it says format {row.format}, and this program knows {FORMAT}"
    if row_hash(row) != row.hash:
        return "its contents and its hash differ"
    if not row.salt:
        return "its words were removed and others put in their place" if row.actor_name or row.text else ""
    if salted("name", row.salt, row.actor_name) != row.name_hash:
        return "the actor's name is not the one that was sealed"
    if salted("text", row.salt, row.text) != row.text_hash:
        return "its text is not the one that was sealed"
    return ""


def _head_fault(at: Walk, head: Head, public_key: str | None) -> Finding | None:
    last = at.next_n - 1
    if public_key is not None and head.public_key != public_key:
        said = f"The end is signed with another key, {head.public_key}; trusted is {public_key}."
        return Finding(kind="other_key", n=None, said=said)
    if not is_signed(head):
        return Finding(kind="bad_signature", n=None, said=f"The end, row {head.n}, is not signed: its signature fails.")
    if last < head.n:
        return _cut(at, f"its head says {head.n}")
    if last > head.n:
        said = f"Row {head.n + 1} was inserted: the signed end is row {head.n}."
        return Finding(kind="inserted", n=head.n + 1, said=said)
    if at.hash_at[head.n] != head.hash:
        said = f"Row {head.n} was replaced: it is not the one that the end was signed over."
        return Finding(kind="replaced", n=head.n, said=said)
    return None


def _cut(at: Walk, against: str) -> Finding:
    last = at.next_n - 1
    ends = f"The record ends at {last}" if at.rows else "The record has no sealed row"
    return Finding(kind="cut_tail", n=last + 1, said=f"{ends}; {against}.")


def is_signed(head: Head) -> bool:
    """Whether the signature of a head fits it and the key that it names."""
    try:
        signature = bytes.fromhex(head.signature)
    except ValueError:
        return False
    data = signed_bytes(team=head.team, first=head.first, n=head.n, hash=head.hash)
    return signing.verify(head.public_key, data, signature)
