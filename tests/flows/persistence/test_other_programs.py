"""What one program stored, another one reads: under the other name of its file, or without its classes at hand."""

import subprocess
import sys

import pytest

MYFLOW = """
from pydantic import BaseModel
from flows import Flow, SQLiteFlowPersistence, human_feedback, listen, start
from flows.testing import PausingProvider

STORE = SQLiteFlowPersistence("flows.db")

class Draft(BaseModel):
    text: str

class MyFlow(Flow):
    @start()
    def write(self):
        self.state["first"] = Draft(text="one")
        return Draft(text="two")

    @human_feedback(message="ok?", emit=["yes", "again"], provider=PausingProvider())
    @listen("write")
    def review(self, draft):
        return draft

    @human_feedback(message="sure?", emit=["sure"], provider=PausingProvider())
    @listen("yes")
    def once_more(self, result):
        return result.output

    @listen("sure")
    def publish(self, result):
        return self.state["first"].text + result.output.text

class Plain(Flow):
    @human_feedback(message="plain?", emit=["yes", "no"], provider=PausingProvider())
    @start()
    def review(self):
        return "plain"
"""

START = """
MyFlow(persistence=STORE).kickoff({"id": "one"})
"""

ANSWER = """
flow = MyFlow.from_pending("one", STORE)
print(flow.pending[0].context.method_output.text, flow.resume(outcome=flow.pending[0].context.emit[0]))
"""


@pytest.fixture
def run(tmp_path):
    """Runs a script in a directory of its own, and returns what it printed."""
    (tmp_path / "myflow.py").write_text(f"{MYFLOW}\nimport sys\nif __name__ == '__main__': exec(sys.argv[1])\n")
    (tmp_path / "other.py").write_text("import sys\nfrom flows import SQLiteFlowPersistence\nexec(sys.argv[1])\n")

    def run(script, code):
        done = subprocess.run(
            [sys.executable, script, code], cwd=tmp_path, capture_output=True, text=True, timeout=40, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


IMPORTING = "from myflow import *\n"


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        pytest.param("myflow.py", "other.py", "other.py", id="run, then imported"),
        pytest.param("other.py", "myflow.py", "myflow.py", id="imported, then run"),
        pytest.param("myflow.py", "other.py", "myflow.py", id="run, imported, run"),
    ],
)
def test_a_file_may_be_run_and_imported_in_turns(run, first, second, third):
    def code(script, what):
        return f"{IMPORTING if script == 'other.py' else ''}{what}"

    run(first, code(first, START))
    assert "two <" not in run(second, code(second, ANSWER))
    assert run(third, code(third, ANSWER)).split() == ["two", "onetwo"]


def test_one_question_of_unknown_classes_does_not_hide_the_others(run):
    run("myflow.py", START + 'Plain(persistence=STORE).kickoff({"id": "two"})')

    listing = "[print(item.flow_id, item.context.method_output) for item in {store}.list_pending()]"
    printed = run("other.py", listing.format(store='SQLiteFlowPersistence("flows.db")'))

    assert printed.splitlines() == ["one {'text': 'two'}", "two plain"]
