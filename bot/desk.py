"""The operator's desk: a database's reviews from the command line, also while a bot serves them."""

from __future__ import annotations

import os
import pwd
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bot.clock import clock_of
from bot.db.sqlite import SqliteDb
from bot.errors import BotError
from bot.render.mrkdwn import unescape
from bot.render.policy import phrase
from bot.reviews import signing
from bot.reviews.explain import autonomy_of
from bot.reviews.gate_policy import Who
from bot.reviews.machine import By
from bot.reviews.model import AuditEntry, Review, Transition
from bot.reviews.service import ReviewService
from bot.settings import Settings
from bot.types import TeamId


class NoSuchReview(BotError):
    """There is no review of that number, or not in this workspace."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"There is no review {name}. See them with: placet reviews list --all")


class NotPossible(BotError):
    """The review's state does not allow it."""


class WhichTeam(BotError):
    """The database is for several workspaces, or for none yet."""

    def __init__(self, teams: list[str]) -> None:
        self.teams = teams
        names = ", ".join(teams)
        super().__init__(
            f"The database has several workspaces: {names}. Name one with --team."
            if teams
            else "The database does not say yet which workspace it is for. Name it with --team."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What somebody at the command line may do.

    They have the database itself, so nobody asks who they are; it is written down.
    """

    reviews: ReviewService
    team: TeamId
    by: By

    async def find(self, name: str) -> Review:
        """The review that people call R-n. Raises NoSuchReview."""
        digits = name.strip().upper().removeprefix("R-").removeprefix("R")
        found = await self.reviews.store.by_number(self.team, int(digits)) if digits.isdecimal() else None
        if found is None:
            raise NoSuchReview(name)
        return found

    async def history(self, name: str) -> list[AuditEntry]:
        """The record of a review, oldest first."""
        review = await self.find(name)
        return await self.reviews.store.audit(self.team, review.id)

    async def remind(self, name: str) -> Review:
        """Remind those who are asked. Raises NotPossible where nobody can see a card yet."""
        review = await self.find(name)
        if review.is_pending and review.posted_at is None:
            raise NotPossible(f"The card of R-{review.n} is not posted yet. Nobody was reminded.")
        return _done(await self.reviews.remind(self.team, review.id, self.by), review)

    async def escalate(self, name: str) -> Review:
        """Move it one rung up."""
        review = await self.find(name)
        if review.is_pending and review.level >= len(review.policy.ladder):
            raise NotPossible(f"R-{review.n} is at the end of its ladder; there is nobody further to ask.")
        return _done(await self.reviews.escalate(self.team, review.id, self.by), review)

    async def reassign(self, name: str, to: str) -> Review:
        """Ask this person (`U…`), user group (`S…`) or channel (`C…`) instead."""
        review, who = await self.find(name), _who(to)
        if who.id == review.requester and not review.policy.self_approval:
            raise NotPossible(f"{to} asked for R-{review.n}; its policy lets nobody approve their own request.")
        return _done(await self.reviews.reassign(self.team, review.id, (who,), self.by), review)

    async def cancel(self, name: str) -> Review:
        """End it without a decision; its flow does not go on."""
        review = await self.find(name)
        return _done(await self.reviews.cancel(self.team, review.id, self.by), review)

    async def lift(self, name: str) -> Review:
        """Open the gate again that was shut when nobody answered this review."""
        review = await self.find(name)
        lifted = await self.reviews.lift(self.team, review.id, self.by)
        if lifted is None:
            raise NotPossible(f"R-{review.n} blocks nothing.")
        return lifted.after


@asynccontextmanager
async def opened(settings: Settings, *, database: Path | None = None, team: str | None = None) -> AsyncGenerator[Desk]:
    """The desk of a database. Raises WhichTeam, and NotPossible where there is no such file."""
    path = database or settings.database
    if not path.is_file():
        raise NotPossible(f"There is no database {path}. Name it with --db or DATABASE.")
    key = settings.audit_key.get_secret_value() if settings.audit_key else None
    db = await SqliteDb.open(path)
    try:
        signer = signing.load(key, beside=path)
        service = ReviewService(db, signer, clock_of(settings), code_version=version("placet"))
        if team is None:
            # A database that a bot has served tells its workspace before it has any review.
            async with db.tx(durable=False) as tx:
                known = [
                    str(row[0])
                    for row in await tx.run(
                        "select team_id from reviews union select team_id from runs union select team_id from inbox"
                        " union select team_id from audit_heads order by 1"
                    )
                ]
            if len(known) != 1:
                raise WhichTeam(known)
            team = known[0]
        account = pwd.getpwuid(os.getuid()).pw_name
        yield Desk(reviews=service, team=TeamId(team), by=By(account=account, source="command"))
    finally:
        await db.close()


def row_of(review: Review) -> dict[str, Any]:
    """One review for a machine."""
    return {
        "review": f"R-{review.n}",
        "flow": review.gate.flow_name,
        "gate": review.policy.gate,
        "tier": review.policy.tier.value,
        "autonomy": unescape(phrase(autonomy_of(review), "en")),
        "state": review.state.value,
        "requester": review.requester,
        "asked": ["channel"] if review.asked is None else [who.id for who in review.asked],
        "level": review.level,
        "opened_at": _iso(review.opened_at),
        "posted_at": _iso(review.posted_at),
        "expires_at": _iso(review.expires_at),
        "outcome": review.outcome,
        "decided_by": review.decided_by,
        "reason_code": review.reason_code,
        "blocked": review.blocked,
    }


def line_of(entry: AuditEntry) -> dict[str, Any]:
    """One line of the record for a machine."""
    return {
        "at": _iso(entry.at),
        "kind": entry.kind,
        "actor": entry.actor,
        "from": entry.from_state,
        "to": entry.to_state,
        "outcome": entry.outcome,
        "source": entry.source,
        "reason_code": entry.reason_code,
        "detail": dict(entry.detail),
        "text": entry.text,
        "payload_hash": entry.payload_hash,
        "policy_hash": entry.policy_hash,
    }


_KINDS: dict[str, Callable[[str], Who]] = {
    "U": lambda id_: Who(kind="person", id=id_, name=id_),
    "W": lambda id_: Who(kind="person", id=id_, name=id_),
    "S": lambda id_: Who(kind="group", id=id_, name=id_),
    "C": lambda id_: Who(kind="channel", id=id_, name=id_),
    "G": lambda id_: Who(kind="channel", id=id_, name=id_),
}


def _who(id_: str) -> Who:
    make = _KINDS.get(id_[:1])
    if make is None or not id_.isalnum() or not id_.isupper():
        raise NotPossible(f"{id_!r} is no id. Write U… for a person, S… for a user group, C… for a channel.")
    return make(id_)


def _done(change: Transition | None, review: Review) -> Review:
    if change is None:
        raise NotPossible(f"R-{review.n} does not wait for anybody: it is {review.state.value}.")
    return change.after


def _iso(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
