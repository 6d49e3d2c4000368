"""What the page about flows shows is what happens."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "flows" / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_every_block_of_the_page_runs_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOWS_STORAGE_DIR", str(tmp_path))
    names = {"__name__": "flows_readme"}

    assert len(BLOCKS) >= 8
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"README block {number}", "exec"), names)


@pytest.mark.parametrize("page", ["flows/README.md", "docs/engine-rules.md", "docs/differences.md"])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]

    assert [link for link in targets if not (ROOT / page).parent.joinpath(link).exists()] == []
