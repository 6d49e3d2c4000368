"""A bot that kills itself with SIGKILL at the n-th point where something becomes durable or visible.

Run by test_crashes.py: `python mortal_bot.py N DATABASE API_URL EFFECTS`. N = 0 never dies. A point is passed after
each commit of the bot that wrote something, each write of the engine's store, each call to Slack that shows something,
and inside the step with the outside effect. Between two points nothing changes that a restart could see.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from bot import catalog
from bot.app import Parts, running
from bot.db.sqlite import SqliteDb
from bot.sandbox import APP_TOKEN, BOT_TOKEN
from bot.settings import Settings
from flows import Flow, HumanFeedbackResult, SQLiteFlowPersistence, human_feedback, listen, or_, start

EFFECTS = Path(sys.argv[4])


class Fate:
    """Counts points and dies at the chosen one. The start-up of the process is not counted."""

    def __init__(self, point: int) -> None:
        self.point, self.passed, self.armed = point, 0, False

    def pass_point(self) -> None:
        if not self.armed:
            return
        self.passed += 1
        if self.passed == self.point:
            os.kill(os.getpid(), signal.SIGKILL)


FATE = Fate(int(sys.argv[1]))


class NotingTx:
    """A transaction that knows whether it wrote."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.wrote = inner, False

    async def run(self, sql: str, *args: Any) -> Any:
        self.wrote = self.wrote or not sql.lstrip().startswith("select")
        return await self._inner.run(sql, *args)


class MortalDb:
    def __init__(self, inner: SqliteDb) -> None:
        self._inner = inner

    @asynccontextmanager
    async def tx(self, *, durable: bool = True) -> AsyncIterator[Any]:
        async with self._inner.tx(durable=durable) as tx:
            noting = NotingTx(tx)
            yield noting
        if noting.wrote:
            FATE.pass_point()

    async def close(self) -> None:
        await self._inner.close()


class MortalPersistence(SQLiteFlowPersistence):
    def claim(self, *args: Any, **kwargs: Any) -> bool:
        claimed = super().claim(*args, **kwargs)
        FATE.pass_point()
        return claimed

    def checkpoint(self, *args: Any, **kwargs: Any) -> bool:
        kept = super().checkpoint(*args, **kwargs)
        FATE.pass_point()
        return kept


class State(BaseModel):
    version: int = 0


class MortalFlow(Flow[State]):
    """A draft that is sent back once, then published; publishing is counted outside."""

    name = "mortal"

    @start()
    def write(self) -> str:
        return "draft"

    @human_feedback(message="Publish?", emit=["approved", "needs_revision"], metadata={"repeatable": ["review"]})
    @listen(or_("write", "needs_revision"))
    def review(self) -> str:
        self.state.version += 1
        return f"Draft, version {self.state.version}."

    @listen("approved")
    def publish(self, result: HumanFeedbackResult) -> str:
        with EFFECTS.open("a") as effects:
            effects.write(f"{self.idempotency_key}\n")
        FATE.pass_point()
        return "It is published."


async def main() -> None:
    database, api_url = Path(sys.argv[2]), sys.argv[3]
    settings = Settings(
        slack_bot_token=SecretStr(BOT_TOKEN),
        slack_app_token=SecretStr(APP_TOKEN),
        slack_api_url=api_url,
        database=database,
    )
    call = AsyncWebClient.api_call

    async def mortal_call(self: AsyncWebClient, method: str, **kwargs: Any) -> Any:
        answer = await call(self, method, **kwargs)
        if method in ("chat.postMessage", "chat.update"):
            FATE.pass_point()
        return answer

    AsyncWebClient.api_call = mortal_call  # type: ignore[method-assign]
    parts = Parts(db=MortalDb(await SqliteDb.open(database)), persistence=MortalPersistence(str(database)), poll_s=0.2)
    async with running(settings, catalog.of(MortalFlow), parts):
        FATE.armed = True
        print("up", flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
