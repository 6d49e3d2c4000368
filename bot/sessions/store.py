"""Threads that the bot owns, and the runs in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.db import Db, Row, Tx
from bot.reviews.store import next_number
from bot.types import ChannelId, Run, RunId, RunState, TeamId, ThreadKey, Ts, UserId

_COLUMNS = (
    "team_id, run_id, n, channel, thread_ts, flow_name, requester, inputs, root_is_ours, state, result, reference,"
    " said, created_at"
)


class SessionStore:
    """The tables `threads` and `runs`."""

    def __init__(self, db: Db) -> None:
        self._db = db

    async def home(self, spot: ThreadKey) -> ThreadKey | None:
        """The run's thread that this thread belongs to, or None when the bot owns no such thread."""
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(
                "select home_channel, home_ts from threads where team_id = ? and channel = ? and ts = ?",
                spot.team,
                spot.channel,
                spot.ts,
            )
        return ThreadKey(team=spot.team, channel=ChannelId(rows[0][0]), ts=Ts(rows[0][1])) if rows else None

    async def add(
        self,
        tx: Tx,
        *,
        run: RunId,
        thread: ThreadKey,
        flow_name: str,
        requester: UserId,
        inputs: Mapping[str, Any],
        root_is_ours: bool,
        now: datetime,
        said: str = "",
    ) -> None:
        """Own the thread and note the run, in the caller's transaction. A second call changes nothing."""
        await tx.run(
            "insert into threads(team_id, channel, ts, home_channel, home_ts) values (?, ?, ?, ?, ?)"
            " on conflict do nothing",
            thread.team,
            thread.channel,
            thread.ts,
            thread.channel,
            thread.ts,
        )
        if await tx.run("select 1 from runs where team_id = ? and run_id = ?", thread.team, run):
            return
        await tx.run(
            f"insert into runs({_COLUMNS}, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constant
            # Another process may have added it since we looked.
            " on conflict (team_id, run_id) do nothing",
            thread.team,
            run,
            await next_number(tx, thread.team, "run"),
            thread.channel,
            thread.ts,
            flow_name,
            requester,
            json.dumps(inputs),
            int(root_is_ours),
            RunState.RUNNING,
            None,
            None,
            said,
            now.timestamp(),
            now.timestamp(),
        )

    async def get(self, team: TeamId, run: RunId) -> Run | None:
        """The run, if this workspace has it."""
        return next(iter(await self._select("team_id = ? and run_id = ?", team, run)), None)

    async def by_number(self, team: TeamId, n: int) -> Run | None:
        """The run that people call F-n."""
        return next(iter(await self._select("team_id = ? and n = ?", team, n)), None)

    async def in_thread(self, thread: ThreadKey) -> list[Run]:
        """All runs of a thread, oldest first."""
        return await self._select(
            "team_id = ? and channel = ? and thread_ts = ? order by n", thread.team, thread.channel, thread.ts
        )

    async def in_channel(self, team: TeamId, channel: ChannelId, limit: int = 20) -> list[Run]:
        """The runs of a channel that are not over, newest first."""
        return await self._select(
            "team_id = ? and channel = ? and state not in ('finished', 'failed', 'cancelled') order by n desc limit ?",
            team,
            channel,
            limit,
        )

    async def set_state(
        self, run: Run, state: RunState, now: datetime, *, result: str | None = None, reference: str | None = None
    ) -> None:
        """Note where the run stands."""
        async with self._db.tx(durable=False) as tx:
            await tx.run(
                "update runs set state = ?, result = ?, reference = ?, updated_at = ? where team_id = ? and run_id = ?",
                state,
                result,
                reference,
                now.timestamp(),
                run.team,
                run.id,
            )

    async def _select(self, where: str, *args: Any) -> list[Run]:
        async with self._db.tx(durable=False) as tx:
            rows = await tx.run(f"select {_COLUMNS} from runs where {where}", *args)  # noqa: S608 - constants above
        return [_run(row) for row in rows]


def _run(row: Row) -> Run:
    team, run, n, channel, ts, flow_name, requester, inputs, ours, state, result, reference, said, created = row
    return Run(
        id=RunId(run),
        n=int(n),
        thread=ThreadKey(team=TeamId(team), channel=ChannelId(channel), ts=Ts(ts)),
        flow_name=flow_name,
        requester=UserId(requester),
        inputs=json.loads(inputs),
        root_is_ours=bool(ours),
        state=RunState(state),
        result=result,
        reference=reference,
        said=said or "",
        created_at=datetime.fromtimestamp(created, UTC),
    )
