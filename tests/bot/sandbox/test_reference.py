"""The sandbox's document says what the tables say, and its example runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.sandbox.reference import methods_table, refusals_table, routes_table

DOCUMENT = (Path(__file__).parents[3] / "docs" / "sandbox.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "table"),
    [("routes", routes_table()), ("methods", methods_table()), ("refusals", refusals_table())],
    ids=["routes", "methods", "refusals"],
)
def test_the_document_holds_the_table(name, table):
    [written] = re.findall(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", DOCUMENT, re.DOTALL)

    assert written == table


@pytest.mark.slow
def test_the_example_runs():
    [example] = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)

    done = subprocess.run([sys.executable, "-W", "error", "-c", example], capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
