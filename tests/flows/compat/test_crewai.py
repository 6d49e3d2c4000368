"""The alias for CrewAI's flow modules; each case in an interpreter of its own."""

import subprocess
import sys
from textwrap import dedent

import pytest

THEIR_FLOW = """
    from crewai.flow.flow import Flow, start, listen
    from crewai.flow.human_feedback import human_feedback, HumanFeedbackResult
    from crewai.flow.persistence import persist

    @persist()
    class Gate(Flow):
        @start()
        @human_feedback(message="Good?", emit=["good", "bad"], default_outcome="bad")
        def write(self):
            return "a letter"

        @listen("good")
        def send(self, result: HumanFeedbackResult):
            return f"sent {result.output}"
    """


@pytest.fixture
def interpreter(tmp_path):
    """Runs a program in a fresh interpreter whose folder holds these modules; what it printed."""

    def run(program, *, typed="", files=()):
        for name, code in dict(files).items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(dedent(code))
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", dedent(program)],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"FLOWS_STORAGE_DIR": str(tmp_path / "storage"), "PATH": ""},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_a_file_that_imports_crewai_runs_unmodified(interpreter):
    program = """
        import flows.compat.crewai
        import flows, theirs
        print(issubclass(theirs.Gate, flows.Flow))
        print(theirs.Gate().kickoff())
        """

    printed = interpreter(program, typed="good\n", files={"theirs.py": THEIR_FLOW})

    assert (printed[0], printed[-1].removeprefix("Your feedback: ")) == ("True", "sent a letter")


@pytest.mark.parametrize(
    ("statement", "expression"),
    [
        ("from crewai import Flow, LLM, BaseLLM", "Flow"),
        ("from crewai.flow import Flow, start, listen, router, or_, and_, persist", "or_"),
        ("from crewai.flow import *", "human_feedback"),
        ("import crewai.flow.human_feedback; from crewai.flow import human_feedback", "human_feedback"),
        ("from crewai.flow import human_feedback; import crewai.flow.human_feedback", "human_feedback"),
        ("from crewai.flow.human_feedback import HumanFeedbackResult", "HumanFeedbackResult"),
        ("from crewai.flow.persistence import SQLiteFlowPersistence", "SQLiteFlowPersistence"),
        ("from crewai.flow.persistence.base import FlowPersistence", "FlowPersistence"),
        ("from crewai.flow.async_feedback.types import HumanFeedbackPending", "HumanFeedbackPending"),
        ("import crewai", "crewai.flow.flow.Flow"),
        ("import crewai.flow.flow as module", "module.Flow"),
    ],
)
def test_their_import_lines_give_our_names(interpreter, statement, expression):
    name = expression.rpartition(".")[2]

    assert interpreter(f"import flows.compat.crewai\n{statement}\nprint({expression} is flows.{name})") == ["True"]


def test_every_alias_has_every_name_it_promises(interpreter):
    program = """
        from importlib import import_module
        from flows.compat.crewai import ALIASES
        for alias in ALIASES:
            module = import_module(alias)
            assert module.__all__, alias
            assert set(module.__all__) <= set(dir(module))
            assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
        print("complete")
        """

    assert interpreter(program) == ["complete"]


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("from crewai import Agent", "crewai.Agent"),
        ("import crewai; crewai.Crew", "crewai.Crew"),
        ("import crewai.tools", "crewai.tools"),
        ("from crewai.tools import tool", "crewai.tools"),
        ("from crewai.flow import NoSuchName", "crewai.flow.NoSuchName"),
        ("from crewai.flow.flow import NoSuchName", "crewai.flow.flow.NoSuchName"),
        ("from crewai.flow.runtime import Flow", "crewai.flow.runtime"),
        ("import crewai.flow.flow.deeper", "crewai.flow.flow.deeper"),
    ],
)
def test_what_is_not_there_is_named(interpreter, statement, wanted):
    program = f"""
        from flows import FlowError
        import flows.compat.crewai
        try:
            {statement}
        except ImportError as error:
            print(error.wanted, error.name, error.is_installed, issubclass(type(error), FlowError))
            print(error)
        """

    facts, message = interpreter(program)

    assert facts == f"{wanted} {wanted} False True"
    assert "CrewAI is not installed" in message


def test_an_installed_crewai_is_not_loaded_and_the_error_says_so(interpreter):
    program = """
        from flows.compat.crewai import NotAliasedError
        from crewai.flow import Flow
        try:
            from crewai import Agent
        except NotAliasedError as error:
            print(error.is_installed, error)
        """

    [printed] = interpreter(program, files={"crewai/__init__.py": "raise SystemExit('the real one was loaded')"})

    assert printed.startswith("True 'crewai.Agent' is not part of the alias")
    assert "from 'flows'" in printed


@pytest.mark.parametrize("first", ["import crewai", "import crewai.flow"])
def test_a_real_crewai_that_is_loaded_already_is_refused_and_left_alone(interpreter, first):
    program = f"""
        {first}
        import sys
        before = {{name: module for name, module in sys.modules.items() if name.startswith("crewai")}}
        try:
            import flows.compat.crewai
        except ImportError as error:
            print(type(error).__name__, error.loaded, "before every import of crewai" in str(error))
        print(before == {{name: module for name, module in sys.modules.items() if name.startswith("crewai")}})
        print(crewai.real)
        """

    printed = interpreter(program, files={"crewai/__init__.py": "real = 1", "crewai/flow.py": ""})

    assert printed == ["CrewAIAlreadyImportedError crewai True", "True", "1"]


def test_the_alias_may_be_imported_again(interpreter):
    program = """
        import importlib, sys
        import flows.compat.crewai
        import crewai
        importlib.reload(flows.compat.crewai)
        print(sys.modules["crewai"] is crewai, sum(type(finder).__name__ == "Refuser" for finder in sys.meta_path))
        """

    assert interpreter(program) == ["True 1"]


def test_nothing_is_aliased_without_the_import(interpreter):
    program = """
        import flows
        try:
            import crewai
        except ModuleNotFoundError:
            print("none")
        """

    assert interpreter(program) == ["none"]


def test_inspection_of_a_stand_in_is_ordinary(interpreter):
    program = """
        import flows.compat.crewai
        import crewai.flow, inspect
        print(hasattr(crewai.flow, "__wrapped__"), inspect.ismodule(crewai.flow), crewai.flow.__name__)
        """

    assert interpreter(program) == ["False True crewai.flow"]
