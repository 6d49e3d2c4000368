"""What must not happen twice outside: an intent row, the call, a result row."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable

from bot.clock import Clock
from bot.db import Db
from bot.types import TeamId

_NAMESPACE = uuid.UUID("6f6c1f0e-5b0e-4d7a-9a53-0d5c3c0e7a11")


def effect_id(team: TeamId, key: str) -> str:
    """The UUID that travels with the call, the same on every try."""
    return str(uuid.uuid5(_NAMESPACE, f"{team}:{key}"))


class Effects:
    """At most one outward call per key."""

    def __init__(self, db: Db, clock: Clock) -> None:
        self._db, self._clock = db, clock

    async def once(
        self,
        team: TeamId,
        key: str,
        *,
        call: Callable[[str], Awaitable[str]],
        find: Callable[[str, float], Awaitable[str | None]],
    ) -> str:
        """The call's result, from its first success.

        call and find get the effect's UUID, find also the moment of the first try. A row that says "sending" belongs
        to a try whose end nobody knows: the target is asked (`find`) before it is called again, and the call carries
        the same UUID, so that a target which knows it does nothing twice.
        """
        async with self._db.tx() as tx:
            fresh = await tx.run(
                "insert into effects(team_id, key, status, at) values (?, ?, 'sending', ?)"
                " on conflict do nothing returning 1",
                team,
                key,
                self._clock.now().timestamp(),
            )
            [(status, known, since)] = await tx.run(
                "select status, result, at from effects where team_id = ? and key = ?", team, key
            )
        if status == "sent":
            return str(known)
        identity = effect_id(team, key)
        result = None if fresh else await find(identity, since)
        if result is None:
            result = await call(identity)
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                "update effects set status = 'sent', result = ? where team_id = ? and key = ?", result, team, key
            )
        return result
