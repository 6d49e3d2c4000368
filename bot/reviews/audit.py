"""How a row of the record is sealed onto the one before it, and what the signature of its end covers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.reviews.model import AuditEntry
from bot.types import TeamId

FORMAT = 1
"""Counts changes of what a row's hash covers. Rows keep the format that they were sealed in."""
KEY_CHANGED = "audit_key_changed"
"""The kind of the row that follows an end which was signed with another key."""
GENESIS = "0" * 64
"""What the first row is sealed onto."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRow:
    """One row as stored and exported. A row without a `hash` was written before there was a chain."""

    team: str
    n: int
    format: int
    previous_hash: str
    review: str | None
    version: int | None
    kind: str
    actor: str
    from_state: str | None
    to_state: str | None
    outcome: str | None
    source: str | None
    reason_code: str
    detail: str
    """Canonical JSON. It is hashed as the text it is, so that no other JSON library has to agree on numbers."""
    payload_hash: str
    policy_hash: str
    code_version: str
    at_us: int
    """Microseconds since 1970, UTC."""
    name_hash: str
    text_hash: str
    hash: str
    salt: str
    """What `name_hash` and `text_hash` are salted with; empty once the words were removed."""
    actor_name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The end of a team's record, signed."""

    team: str
    first: int
    """The first sealed row: what stands before it was written before there was a chain."""
    n: int
    hash: str
    public_key: str
    signature: str
    """128 hex characters."""


FIELDS = tuple(field.name for field in fields(SealedRow))
"""What a row holds, in the order in which it is stored and exported."""
WHOLE = frozenset({"n", "format", "version", "at_us"})
"""The fields that are whole numbers; all others are texts."""
NULLABLE = frozenset({"review", "version", "from_state", "to_state", "outcome", "source"})
WORDS = ("salt", "actor_name", "text")
"""What can be removed from a row that stays whole."""
_COVERED = tuple(name for name in FIELDS if name not in ("hash", *WORDS))


def canonical(value: Any) -> bytes:
    """The one JSON text of a value: keys sorted, nothing between them, UTF-8. ValueError for NaN and infinities."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair is no character, but a file that holds one must be a finding and not a crash.
    return text.encode("utf-8", "surrogatepass")


def seal(previous_hash: str, entry: AuditEntry, *, team: TeamId, n: int, salt: str, code_version: str) -> SealedRow:
    """The entry as row n of the team's record, sealed onto the row with `previous_hash`. salt is random, 32 hex digits.

    Source: docs/audit.md.
    """
    assert salt, "a row without a salt reads as one whose words were removed"
    row = SealedRow(
        team=team,
        n=n,
        format=FORMAT,
        previous_hash=previous_hash,
        review=entry.review or None,
        version=entry.version,
        kind=entry.kind,
        actor=entry.actor,
        from_state=None if entry.from_state is None else entry.from_state.value,
        to_state=None if entry.to_state is None else entry.to_state.value,
        outcome=entry.outcome or None,
        source=entry.source,
        reason_code=entry.reason_code,
        detail=canonical(dict(entry.detail)).decode("utf-8", "surrogatepass"),
        payload_hash=entry.payload_hash,
        policy_hash=entry.policy_hash,
        code_version=code_version,
        at_us=microseconds(entry.at),
        name_hash=salted("name", salt, entry.actor_name),
        text_hash=salted("text", salt, entry.text),
        hash="",
        salt=salt,
        actor_name=entry.actor_name,
        text=entry.text,
    )
    return replace(row, hash=row_hash(row))


def microseconds(moment: datetime) -> int:
    """A moment as a row keeps it: whole microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(row: SealedRow) -> datetime:
    """When it happened, aware UTC."""
    return _EPOCH + timedelta(microseconds=row.at_us)


def row_hash(row: SealedRow) -> str:
    """The hash of all that a row says, except the words themselves, whose own hashes it covers."""
    covered = {name: getattr(row, name) for name in _COVERED}
    return hashlib.sha256(canonical(covered)).hexdigest()


def salted(what: str, salt: str, words: str) -> str:
    """The hash that stands for free words in a row. `what` keeps a name's hash from passing as a text's."""
    return hashlib.sha256(canonical([what, salt, words])).hexdigest()


def signed_bytes(*, team: str, first: int, n: int, hash: str) -> bytes:
    """What the signature of a head covers."""
    head = {"what": "placet audit head", "format": FORMAT, "team": team, "first": first, "n": n, "hash": hash}
    return canonical(head)
