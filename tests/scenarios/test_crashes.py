"""The bot is killed with SIGKILL at every point of one review's life, started again, and everything comes out right."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot import manifest
from bot.sandbox import Sandbox, SandboxClient, read_manifest
from bot.testing import text_of
from bot.testing.transcript import choices

SCRIPT = Path(__file__).with_name("mortal_bot.py")
POINTS = 70
"""A few more than one life has, so that the last ones are covered too."""


class Life:
    """A bot in a process of its own that is started again whenever it dies."""

    def __init__(self, folder: Path, sandbox: Sandbox, point: int) -> None:
        self.folder, self.sandbox, self.point = folder, sandbox, point
        self.deaths: list[int] = []
        self.transcript, self.texts, self.roots = "", list[str](), 0
        self._keeper: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._log = (folder / "log.txt").open("ab")

    @property
    def effects(self) -> list[str]:
        path = self.folder / "effects.txt"
        return path.read_text().split() if path.exists() else []

    @property
    def database(self) -> Path:
        return self.folder / "placet.db"

    async def __aenter__(self) -> Life:
        await self._start(self.point)
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._keeper is not None
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._log.close()

    async def _start(self, point: int) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            str(SCRIPT),
            str(point),
            str(self.database),
            self.sandbox.api_url,
            str(self.folder / "effects.txt"),
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert self._process.stdout is not None
        await self._process.stdout.readline()

    async def _keep(self) -> None:
        while True:
            assert self._process is not None
            self.deaths.append(await self._process.wait())
            await self._start(0)


async def press_until_taken(slack: SandboxClient, label: str, version: str, done: str) -> None:
    """Press as a person does: again, when the client says that the app did not respond."""
    for _ in range(100):
        after = await slack.last_call()
        thread = await thread_of_the_run(slack)
        if any(done in text_of(message) for message in thread):
            return
        for card in thread:
            element = dict(choices(card)).get(label)
            if version in text_of(card) and element is not None:
                await slack.click("Bruno", "general", str(card["ts"]), str(element["action_id"]))
        await slack.calls(after=after, wait_s=0.3)
    raise AssertionError(f"{label} was never taken")


async def say_once(slack: SandboxClient, words: str, version: str, done: str) -> None:
    """Write in the thread, once: a message is delivered until it is acknowledged, so it must not be lost."""
    said = False
    for _ in range(100):
        after = await slack.last_call()
        thread = await thread_of_the_run(slack)
        if any(done in text_of(message) for message in thread):
            return
        if not said and any(version in text_of(message) and choices(message) for message in thread):
            await slack.say("Bruno", "general", words, thread_ts=str(thread[0]["ts"]))
            said = True
        await slack.calls(after=after, wait_s=0.3)
    raise AssertionError(f"{words!r} was never taken")


async def thread_of_the_run(slack: SandboxClient) -> list[Any]:
    roots = [m for m in await slack.messages("general") if m.get("thread_ts") in (None, m["ts"])]
    return await slack.thread("general", str(roots[0]["ts"])) if roots else []


async def live_through(folder: Path, point: int, how: str) -> Life:
    """Two reviews' whole life with one death at `point`, decided by buttons or in words, to the flow's end."""
    async with (
        Sandbox(manifest=read_manifest(manifest.text())) as sandbox,
        SandboxClient(sandbox.url) as slack,
        Life(folder, sandbox, point) as life,
    ):
        await slack.command("Ana", "general", "/flows", "start mortal")
        for _ in range(100):
            if any(m.get("bot_id") for m in await slack.messages("general")):
                break
            after = await slack.last_call()
            if not await slack.calls(method="chat.postMessage", after=after, wait_s=1.0):
                # A command is never delivered again: a person who sees nothing types it again.
                await slack.command("Ana", "general", "/flows", "start mortal")
        if how == "buttons":
            await press_until_taken(slack, "Ask for changes", "version 1.", "Bruno asked for changes")
            await press_until_taken(slack, "Approve", "version 2.", "Bruno approved")
        else:
            await say_once(slack, "needs_revision", "version 1.", "Bruno asked for changes")
            await say_once(slack, "approved", "version 2.", "Bruno approved")
        for _ in range(100):
            roots = [m for m in await slack.messages("general") if m.get("thread_ts") in (None, m["ts"])]
            thread = await thread_of_the_run(slack)
            shown = "\n".join(text_of(m) for m in thread)
            if "It is published." in shown or "Nothing runs again by itself" in shown:
                break
            await slack.calls(after=await slack.last_call(), wait_s=0.5)
        assert "It is published." in shown or "Nothing runs again by itself" in shown, shown
        life.transcript = shown
        life.texts = [text_of(m) for m in thread]
        life.roots = len(roots)
        return life


def checked(life: Life) -> None:
    """What must hold whenever and wherever the bot died."""
    texts = Counter(life.texts)
    assert [text for text, count in texts.items() if count > 1] == [], "something was posted twice"
    assert life.roots == 1
    assert sum("· was waiting for review" in text for text in life.texts) == 2
    assert len([text for text in life.texts if "*Publish?*" in text]) == 2
    assert len(life.effects) == len(set(life.effects))
    assert len(life.effects) <= 1
    if "It is published." in life.transcript:
        assert len(life.effects) == 1
    with closing(sqlite3.connect(life.database)) as db:
        decided = db.execute("select count(*) from audit where kind = 'decided' group by review_id").fetchall()
        given_up = db.execute("select key from inbox where failed_at is not null").fetchall()
    assert decided == [(1,), (1,)]
    assert given_up == []


@pytest.mark.parametrize("how", ["buttons", "words"])
async def test_a_life_without_a_death_comes_out_right(tmp_path: Path, how: str) -> None:
    life = await live_through(tmp_path, 0, how)

    checked(life)
    assert "It is published." in life.transcript


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("point", range(1, POINTS + 1))
async def test_a_death_at_any_point_loses_nothing_and_does_nothing_twice(tmp_path: Path, point: int) -> None:
    life = await live_through(tmp_path, point, "buttons")

    checked(life)
    # The last point lies behind the end of a life: so every one that a life passes was died at.
    assert not life.deaths or point < POINTS


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("point", range(1, POINTS + 1, 2))
async def test_a_death_at_any_point_loses_no_words(tmp_path: Path, point: int) -> None:
    checked(await live_through(tmp_path, point, "words"))
