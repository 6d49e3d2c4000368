"""The tables of the record: rows are added at the end, sealed and signed in the transaction of what they tell."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any, cast

import structlog

from bot.db import Row, Tx
from bot.reviews import audit_check
from bot.reviews.audit import (
    FIELDS,
    GENESIS,
    KEY_CHANGED,
    NULLABLE,
    WHOLE,
    WORDS,
    Head,
    SealedRow,
    moment_of,
    seal,
    signed_bytes,
)
from bot.reviews.model import AuditEntry, ReviewState, Source
from bot.reviews.signing import Signer
from bot.types import ReviewId, TeamId

log = structlog.get_logger(__name__)

# A row's fields are its columns, in their order; two are named as everywhere else in the database. Words stand apart.
_COLUMNS = [{"team": "team_id", "review": "review_id"}.get(name, name) for name in FIELDS if name not in WORDS]
_READ = (
    f"select {', '.join(f'a.{name}' for name in _COLUMNS)}, {', '.join(f't.{name}' for name in WORDS)} from audit a"  # noqa: S608 - constants
    " left join audit_texts t on t.team_id = a.team_id and t.n = a.n where a.team_id = ?"
)
_INSERT = f"insert into audit({', '.join(_COLUMNS)}) values ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - constants
_HEAD = "team_id, first_n, n, hash, public_key, signature"


async def lock(tx: Tx, team: TeamId, signer: Signer) -> None:
    """Let nobody else add to the team's record until the caller's transaction ends.

    Whoever changes what the record tells calls this first. With one order of locks nobody waits in a circle, and what
    is read after it stays true until the commit, also where several processes write.
    """
    await _locked_head(tx, team, signer)


async def append(tx: Tx, team: TeamId, entries: Sequence[AuditEntry], *, signer: Signer, code_version: str) -> None:
    """Add the entries to the team's record, in the caller's transaction: all of it becomes true, or nothing.

    A head that was signed with another key is followed by a row that says so. A head whose signature fails is never
    signed over: the rows are sealed all the same, and the failing signature stays for `placet audit verify` to find.
    """
    if not entries:
        return
    before = await _locked_head(tx, team, signer)
    sound = not before.hash or audit_check.is_signed(before)
    if not sound:
        log.error("audit_head_not_signed", team=team, row=before.n, mend="placet audit verify")
    elif before.hash and before.public_key != signer.public_key:
        entries = [_key_changed(before, signer, entries[0]), *entries]
    n, last_hash = before.n, before.hash or GENESIS
    for entry in entries:
        n += 1
        row = seal(last_hash, entry, team=team, n=n, salt=secrets.token_hex(16), code_version=code_version)
        await _insert(tx, row)
        last_hash = row.hash
    head = before
    if sound:
        signature = signer.sign(signed_bytes(team=team, first=before.first, n=n, hash=last_hash)).hex()
        head = Head(
            team=team,
            first=before.first,
            n=n,
            hash=last_hash,
            public_key=signer.public_key,
            signature=signature,
        )
    await tx.run(
        "update audit_heads set n = ?, hash = ?, public_key = ?, signature = ? where team_id = ?",
        n,
        last_hash,
        head.public_key,
        head.signature,
        team,
    )


async def of_review(tx: Tx, team: TeamId, review: ReviewId) -> list[AuditEntry]:
    """The record of one review, oldest row first."""
    return [_entry(_sealed(row)) for row in await tx.run(f"{_READ} and a.review_id = ? order by a.n", team, review)]


async def rows(tx: Tx, team: TeamId, after_n: int, limit: int) -> list[SealedRow]:
    """The next rows of the team's record after row `after_n`, those of before the chain included."""
    found = await tx.run(f"{_READ} and a.n > ? order by a.n limit ?", team, after_n, limit)
    return [_sealed(row) for row in found]


async def head(tx: Tx, team: TeamId) -> Head | None:
    """The signed end of the team's record, or None while no row is sealed."""
    found = await tx.run(f"select {_HEAD} from audit_heads where team_id = ? and hash <> ''", team)  # noqa: S608 - constant
    return _head(found[0]) if found else None


async def teams(tx: Tx) -> list[TeamId]:
    """The teams that have a record, by id."""
    found = await tx.run("select team_id from audit_heads union select team_id from audit order by 1")
    return [TeamId(str(row[0])) for row in found]


async def _locked_head(tx: Tx, team: TeamId, signer: Signer) -> Head:
    """The team's head as it is. The update that changes nothing makes a second writer wait for this transaction."""
    [found] = await tx.run(
        f"insert into audit_heads({_HEAD}) values (?, 1, 0, '', ?, '')"  # noqa: S608 - constant
        f" on conflict (team_id) do update set n = audit_heads.n returning {_HEAD}",
        team,
        signer.public_key,
    )
    return _head(found)


def _key_changed(before: Head, signer: Signer, first: AuditEntry) -> AuditEntry:
    return AuditEntry(
        review=None,
        version=None,
        kind=KEY_CHANGED,
        actor="system",
        actor_name="",
        from_state=None,
        to_state=None,
        detail={"from": before.public_key, "to": signer.public_key},
        payload_hash="",
        at=first.at,
    )


async def _insert(tx: Tx, row: SealedRow) -> None:
    await tx.run(_INSERT, *(getattr(row, name) for name in FIELDS if name not in WORDS))
    await tx.run(
        "insert into audit_texts(team_id, n, salt, actor_name, text) values (?, ?, ?, ?, ?)",
        row.team,
        row.n,
        row.salt,
        row.actor_name,
        row.text,
    )


def _sealed(row: Row) -> SealedRow:
    return SealedRow(**{name: _value(name, value) for name, value in zip(FIELDS, row, strict=True)})


def _head(row: Row) -> Head:
    team, first, n, digest, public_key, signature = row
    return Head(
        team=_text(team),
        first=_whole(first),
        n=_whole(n),
        hash=_text(digest),
        public_key=_text(public_key),
        signature=_text(signature),
    )


def _value(name: str, value: Any) -> Any:
    if value is None and name in NULLABLE:
        return None
    if value is None and name in WORDS:
        return ""
    return _whole(value) if name in WHOLE else _text(value)


def _text(value: Any) -> str:
    # SQLite keeps any type in any column. What nobody of ours can have written must read as another value, not crash.
    return value if isinstance(value, str) else repr(value)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1


def _entry(row: SealedRow) -> AuditEntry:
    return AuditEntry(
        review=None if row.review is None else ReviewId(row.review),
        version=row.version,
        kind=row.kind,
        actor=row.actor,
        actor_name=row.actor_name,
        from_state=None if row.from_state is None else ReviewState(row.from_state),
        to_state=None if row.to_state is None else ReviewState(row.to_state),
        outcome=row.outcome,
        source=cast("Source | None", row.source),  # only `append` writes it, from a Source
        reason_code=row.reason_code,
        text=row.text,
        detail=json.loads(row.detail),
        payload_hash=row.payload_hash,
        policy_hash=row.policy_hash,
        at=moment_of(row),
    )
