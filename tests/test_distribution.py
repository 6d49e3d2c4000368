"""What is installed: a wheel of two packages, and commands that work from any folder."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.sandbox import SandboxClient
from bot.testing import text_of
from bot.testing.transcript import choices

ROOT = Path(__file__).parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        check=True,
        capture_output=True,
        cwd=ROOT,
    )
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's contents, to be put in front of everything else that Python finds."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_a_wheel_holds_the_two_packages_and_their_data_only(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.split("/")[0] for name in names} == {"bot", "flows", "placet-0.1.0.dist-info"}
    assert {"bot/manifest.yml", "bot/sandbox/page/index.html", "bot/db/migrations/0001_first_light.sql"} <= set(names)
    assert [name for name in names if "test_" in name or name.endswith((".db", ".pyc"))] == []


@asynccontextmanager
async def sandbox(
    folder: Path, *arguments: str, path: Path | None = None, **environment: str
) -> AsyncIterator[SandboxClient]:
    """`placet sandbox` in a process of its own, started in `folder`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "bot",
        "sandbox",
        *arguments,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(path or ""), **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        said = ""
        while "http://" not in said:
            line = await process.stdout.readline()
            assert line, "the sandbox ended without an address"
            said = line.decode()
        [url] = re.findall(r"http://[\d.:]+", said)
        async with SandboxClient(url) as client:
            await client.wait_for_call("apps.connections.open", within=30)
            yield client
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), 20)


@asynccontextmanager
async def sandbox_alone(folder: Path) -> AsyncIterator[tuple[SandboxClient, dict[str, str]]]:
    """`placet sandbox --no-bot`, and what it says another app must set."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "bot", "sandbox", "--no-bot", cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address: dict[str, str] = {}
        while len(address) < 3:
            name, _, value = (await process.stdout.readline()).decode().strip().removeprefix("export ").partition("=")
            if name.startswith("SLACK_"):
                address[name] = value
        async with SandboxClient(address["SLACK_API_URL"].removesuffix("/api/")) as client:
            yield client, address
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), 20)


async def first_card(slack: SandboxClient, text: str) -> tuple[str, dict]:
    """Start a flow; its thread and the card in it."""
    while not await slack.command("Ana", "general", "/flows", f"start {text}"):
        await slack.deliveries(wait_s=0.2)
    seen = 0
    while True:
        for root in await slack.messages("general"):
            for message in await slack.thread("general", str(root["ts"])):
                if "Publish" in dict(choices(message)):
                    return str(root["ts"]), dict(message)
        calls = await slack.calls(after=seen, wait_s=10)
        assert calls, "no card came"
        seen = int(calls[-1]["n"])


async def shown(slack: SandboxClient, thread: str, text: str) -> str:
    """The thread's text, once it shows `text`."""
    seen = 0
    while True:
        transcript = "\n".join(text_of(message) for message in await slack.thread("general", thread))
        if text in transcript:
            return transcript
        calls = await slack.calls(after=seen, wait_s=15)
        assert calls, f"{text!r} never came"
        seen = int(calls[-1]["n"])


async def test_the_installed_sandbox_works_from_an_empty_folder(tmp_path: Path, installed: Path) -> None:
    async with sandbox(tmp_path, path=installed) as slack:
        thread, card = await first_card(slack, "content_review topic=Bees")
        await slack.click("Bruno", "general", card["ts"], dict(choices(card))["Publish"]["action_id"])
        await shown(slack, thread, "Published “Bees” (version 1).")

    assert os.listdir(tmp_path) == []


async def test_a_folder_with_a_bot_a_flows_and_tests_of_its_own_is_no_clash(tmp_path: Path, installed: Path) -> None:
    for name in ("bot.py", "flows/__init__.py", "tests/__init__.py", "typing.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('the wrong module')\n")

    async with sandbox(tmp_path, path=installed) as slack:
        await first_card(slack, "content_review")


async def test_the_sandbox_alone_takes_any_app_that_is_pointed_at_it(tmp_path: Path) -> None:
    async with sandbox_alone(tmp_path) as (slack, address):
        bot = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "bot",
            "run",
            cwd=tmp_path,
            env={**os.environ, **address},
            stderr=asyncio.subprocess.DEVNULL,
        )
        await slack.wait_for_call("apps.connections.open", within=30)
        thread, card = await first_card(slack, "content_review topic=Bees")
        await slack.click("Bruno", "general", card["ts"], dict(choices(card))["Publish"]["action_id"])
        await shown(slack, thread, "Published “Bees” (version 1).")
        bot.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(bot.wait(), 20) == 0


@pytest.mark.parametrize(
    ("name", "value"), [("SLACK_BOT_TOKEN", "xoxb-wrong"), ("SLACK_APP_TOKEN", "xapp-wrong")], ids=["bot", "app"]
)
async def test_a_token_that_slack_refuses_ends_the_start(tmp_path: Path, name: str, value: str) -> None:
    async with sandbox_alone(tmp_path) as (_, address):
        bot = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "bot",
            "run",
            cwd=tmp_path,
            env={**os.environ, **address, name: value},
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await asyncio.wait_for(bot.communicate(), 30)

    assert bot.returncode == 78
    assert f"{name}: Slack refused it (invalid_auth)" in said.decode()


async def test_the_bot_is_killed_between_card_and_click_and_between_click_and_end(tmp_path: Path) -> None:
    async with sandbox(tmp_path, "--db", str(tmp_path / "kept.db")) as slack:
        thread, card = await first_card(slack, "content_review topic=Bees")

        kill_the_bot(tmp_path)
        while not await slack.click(
            "Bruno", "general", card["ts"], dict(choices(card))["Ask for changes"]["action_id"]
        ):
            await slack.calls(after=await slack.last_call(), wait_s=0.2)
        kill_the_bot(tmp_path)

        transcript = await shown(slack, thread, "version 2")
        assert transcript.count("was waiting for review") == 1


def kill_the_bot(folder: Path) -> None:
    """SIGKILL to the bot's process, found by the folder that it runs in."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
                if command[-3:-1] == [b"bot", b"run"] and os.readlink(entry / "cwd") == str(folder):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue


def test_python_m_bot_is_not_misled_by_a_flows_folder_of_the_users_own(tmp_path: Path, installed: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "__init__.py").write_text("raise SystemExit('the wrong flows')\n")

    done = subprocess.run(
        [sys.executable, "-m", "bot", "run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert "SLACK_BOT_TOKEN is missing" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "fault"),
    [
        (["run"], {}, "SLACK_BOT_TOKEN is missing"),
        (["sandbox"], {"SLACK_BOT_TOKEN": "xoxb-123-456-abc"}, "looks like a real token"),
        (["run"], {"SLACK_BOT_TOKEN": "xoxb-x", "SLACK_APP_TOKEN": "xapp-x", "FLOWS_APP": "nope"}, "no module 'nope'"),
        (["run"], {"FLOWS_APP": "nope", "BOT_LANGUAGE": "fr", "LOG_LEVEL": "loud"}, "BOT_LANGUAGE is 'fr'"),
        (
            ["run"],
            {"SLACK_BOT_TOKEN": "xoxb-…", "SLACK_APP_TOKEN": "xapp-…"},
            "SLACK_BOT_TOKEN is missing or no bot token",
        ),
        (
            ["run"],
            {"SLACK_BOT_TOKEN": "xoxb-x", "SLACK_APP_TOKEN": "xapp-x", "SLACK_API_URL": "http://127.0.0.1:9/api/"},
            "cannot be reached",
        ),
    ],
    ids=["no-tokens", "a-real-token-in-the-sandbox", "no-flows", "several-faults", "an-unfilled-copy", "no-slack"],
)
def test_a_bad_start_names_the_thing_and_the_mend(tmp_path, arguments, environment, fault) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bot", *arguments],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 78
    assert fault in done.stderr
    assert "Traceback" not in done.stderr
