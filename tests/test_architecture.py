"""The house as it must stay: who imports whom, what loads when, and where escaped text is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def loaded_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after this statement."""
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import flows", {"litellm", "aiohttp", "slack_sdk", "slack_bolt", "bot"}),
        ("from bot import SlackFeedbackProvider", {"litellm", "aiohttp", "slack_sdk", "slack_bolt"}),
        ("import bot.reviews.machine, bot.render.blocks", {"litellm", "aiohttp", "slack_sdk", "slack_bolt"}),
        ("import bot.cli", {"litellm", "aiohttp", "slack_sdk", "slack_bolt"}),
        ("import bot.sandbox", {"litellm", "slack_sdk", "slack_bolt", "flows"}),
        ("import bot.app", {"litellm"}),
    ],
)
def test_what_is_light_to_import_stays_light(statement: str, heavy: set[str]) -> None:
    assert loaded_after(statement) & heavy == set()


def test_text_for_slack_is_made_in_one_module_only() -> None:
    makers = [path.name for path in sorted((ROOT / "bot").rglob("*.py")) if "Mrkdwn(" in path.read_text("utf-8")]

    assert makers == ["mrkdwn.py"]


@pytest.mark.parametrize("first", ["import flows.human_feedback", "from flows import human_feedback", "import flows"])
def test_the_decorator_is_what_is_imported_in_every_order(first: str) -> None:
    code = f"{first}\nimport flows.human_feedback\nfrom flows import human_feedback\nprint(human_feedback(message='?'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.returncode == 0, done.stderr
