"""The pages say what is true: their code runs, their tables are the program's."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from bot.reviews.machine import TABLE
from flows.testing import RecordingProvider

ROOT = Path(__file__).parents[1]


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)


def run(source: str) -> dict[str, Any]:
    """The names that a block defines."""
    names: dict[str, Any] = {"__name__": "a_page"}
    exec(compile(source, "page", "exec"), names)
    return names


def test_the_flow_of_the_readme_runs_in_a_terminal() -> None:
    [source] = blocks("README.md")
    flow_class = run(source)["GreetingFlow"]

    flow = flow_class(human_feedback_provider=RecordingProvider(["approved"]))

    assert flow.kickoff(inputs={"name": "Ana"}) == "Sent: Dear Ana, welcome on board."


async def test_the_flow_of_the_readme_runs_in_slack(tmp_path: Path) -> None:
    from bot.testing import scenario

    [source] = blocks("README.md")
    async with scenario(tmp_path, run(source)["GreetingFlow"]) as slack:
        thread = await slack.start("Ana", "general", "greeting name=Ana")
        await slack.press("Bruno", await slack.card(thread), "Approve")
        await slack.until(lambda: slack.shows(thread, "Sent: Dear Ana, welcome on board."))


async def test_the_test_of_the_bots_page_passes(tmp_path: Path) -> None:
    [source] = blocks("bot/README.md")
    [test] = [value for name, value in run(source).items() if name.startswith("test_") and inspect.isfunction(value)]

    await test(tmp_path)


def test_the_table_of_states_is_the_machines() -> None:
    rows: dict[str, list[str]] = {}
    for (before, _), (after, _) in TABLE.items():
        rows.setdefault(before, [])
        if after not in rows[before]:
            rows[before].append(after)
    lines = [f"| `{before}` | {', '.join(f'`{after}`' for after in afters)} |" for before, afters in rows.items()]

    page = (ROOT / "bot/README.md").read_text("utf-8")

    assert "\n".join(lines) in page.split("<!-- states -->")[1]


@pytest.mark.parametrize("page", ["README.md", "bot/README.md", "docs/architecture.md"])
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", (ROOT / page).read_text("utf-8"))

    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


@pytest.mark.parametrize("name", re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text("utf-8")))
def test_every_make_target_of_the_readme_exists(name: str) -> None:
    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
