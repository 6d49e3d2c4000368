"""The sandbox and the bot as two processes: start both, keep both, end both."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import typer

from bot import manifest, settings
from bot.errors import SettingsError
from bot.sandbox import APP_TOKEN, BOT_TOKEN, Sandbox, read_manifest

_RESTART_S = (0.2, 1.0, 3.0, 5.0)
_CANNOT_START = 78
"""How the bot's process ends when it cannot start as configured (see bot/cli.py); starting it again cannot help."""


async def until_stopped(*, port: int, database: Path | None, with_bot: bool) -> int:
    """The exit code, once somebody asked the process to stop or the bot could not start."""
    faults = settings.real_tokens_set()
    if faults:
        raise SettingsError(faults)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with tempfile.TemporaryDirectory(prefix="placet-") as folder:
        kept = database or Path(folder) / "placet.db"
        clock_file = Path(folder) / "clock.json"
        async with _started(port, clock_file) as sandbox:
            address = {
                "SLACK_API_URL": sandbox.api_url,
                "SLACK_BOT_TOKEN": BOT_TOKEN,
                "SLACK_APP_TOKEN": APP_TOKEN,
                "CLOCK_FILE": os.fspath(clock_file),
            }
            _announce(sandbox, address, with_bot=with_bot)
            if not with_bot:
                await stop.wait()
                return 0
            return await _keep_bot(stop, {**address, **_demo_policy(), "DATABASE": os.fspath(kept.absolute())})


def _demo_policy() -> Mapping[str, str]:
    """The examples' own policy, where nobody has chosen flows or a policy."""
    chosen = settings.Settings()
    if chosen.model_fields_set & {"flows_app", "policy_file"} or chosen.policy_file.is_file():
        return {}
    return {"POLICY_FILE": os.fspath(Path(__file__).with_name("demo_reviews.yml"))}


@asynccontextmanager
async def _started(port: int, clock_file: Path) -> AsyncGenerator[Sandbox, None]:
    sandbox = Sandbox(port=port, manifest=read_manifest(manifest.text()), clock_file=clock_file)
    try:
        await sandbox.start()
    except OSError as error:
        raise SettingsError((f"Port {port} on 127.0.0.1 is taken. Name another one, or 0 for a free one.",)) from error
    try:
        yield sandbox
    finally:
        await sandbox.stop()


def _announce(sandbox: Sandbox, address: Mapping[str, str], *, with_bot: bool) -> None:
    typer.secho(f"\n  The sandbox is at {sandbox.url}/\n", bold=True)
    if with_bot:
        typer.echo('  Open it, choose #general and press "Start the sample review". Ctrl-C ends both.\n')
    else:
        typer.echo("  No bot was started. Point any Slack app in Socket Mode at it:\n")
        for name, value in address.items():
            typer.echo(f"    export {name}={value}")
        typer.echo("")
    sys.stdout.flush()


async def _keep_bot(stop: asyncio.Event, address: Mapping[str, str]) -> int:
    """Run the bot, and again when it dies, until asked to stop. It is the same `placet run` as in production."""
    deaths = 0
    while not stop.is_set():
        # -P: the folder's own bot.py or flows/ must not stand in for ours.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "bot", "run", env=settings.environment_with(address), start_new_session=True
        )
        ended, stopped = asyncio.create_task(process.wait()), asyncio.create_task(stop.wait())
        await asyncio.wait((ended, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not ended.done():
            process.terminate()
            try:
                await asyncio.wait_for(asyncio.shield(ended), 15)
            except TimeoutError:
                process.kill()
                await ended
            return 0
        if process.returncode == _CANNOT_START:
            return _CANNOT_START
        pause = _RESTART_S[min(deaths, len(_RESTART_S) - 1)]
        deaths += 1
        typer.echo(f"  The bot ended (code {process.returncode}); it starts again in {pause:g} s.", err=True)
        try:
            await asyncio.wait_for(stop.wait(), pause)
        except TimeoutError:
            continue
    return 0
