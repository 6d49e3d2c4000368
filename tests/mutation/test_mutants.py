"""Which faults are planted, and that the planting tells a tested module from an untested one."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.mutants import mutants_of, mutated

ROOT = Path(__file__).parents[2]


def texts(source: str) -> list[str]:
    """The text with each of its faults, one after another."""
    return [ast.unparse(mutated(source, mutant.number)) for mutant in mutants_of(source)]


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        pytest.param("a < b", ["a <= b", "a >= b"], id="order"),
        pytest.param("a == b", ["a != b"], id="equality"),
        pytest.param("a is not b", ["a is b"], id="identity"),
        pytest.param("a in b", ["a not in b"], id="membership"),
        pytest.param("a and b", ["a or b", "b", "a"], id="and"),
        pytest.param("a or b or c", ["a and b and c", "b or c", "a or c", "a or b"], id="or"),
        pytest.param("f(a, b=c)", ["f(a)"], id="argument by name"),
        pytest.param("not a", ["a"], id="not"),
        pytest.param("a + b", ["a - b"], id="sum"),
        pytest.param("-a", ["a"], id="sign"),
        pytest.param("a.strip()", ["a"], id="call"),
        pytest.param("f(5)", ["f(6)"], id="number"),
        pytest.param("f(True)", ["f(False)"], id="truth"),
        pytest.param("f('a')", ["f('aXX')"], id="text"),
        pytest.param("f(f'a{b}')", ["f(f'aXX{b}')"], id="text with values"),
        pytest.param("b if a else c", ["b if not a else c"], id="choice"),
        pytest.param("[a for a in b if a]", ["[a for a in b if not a]"], id="filter"),
    ],
)
def test_an_expression_is_given_each_of_its_faults(source, faulty):
    assert texts(f"x = {source}") == [f"x = {text}" for text in faulty]


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        pytest.param("f(a)", ["pass"], id="call"),
        pytest.param("a.b = c", ["pass"], id="attribute"),
        pytest.param("del a", ["pass"], id="deletion"),
        pytest.param("raise a", ["pass"], id="error"),
        pytest.param("if a:\n    b", ["if not a:\n    b", "if a:\n    pass"], id="condition"),
        pytest.param("while a:\n    break", ["while not a:\n    break", "while a:\n    pass"], id="loop"),
        pytest.param("if a == b:\n    c = d", ["if a != b:\n    c = d"], id="a negation once"),
        pytest.param("def f():\n    return a", ["def f():\n    return None"], id="answer"),
        pytest.param(
            "def f(a=None):\n    return", ["def f(a=...):\n    return", "def f(a=None):\n    pass"], id="default"
        ),
    ],
)
def test_a_statement_is_given_each_of_its_faults(source, faulty):
    assert texts(source) == faulty


@pytest.mark.parametrize(
    "source",
    [
        pytest.param('"""A module."""', id="documentation"),
        pytest.param("a: Literal['b']", id="annotation"),
        pytest.param("def f(a: b | c) -> d | e:\n    a = b", id="signature"),
        pytest.param("A = Literal['b']", id="literal type"),
        pytest.param("__all__ = ['a']", id="export list"),
        pytest.param("if TYPE_CHECKING:\n    import a", id="imports for types"),
        pytest.param("@dataclass(frozen=True)\nclass A:\n    a: b", id="options of a dataclass"),
        pytest.param("a = logging.getLogger('a')", id="logger"),
    ],
)
def test_what_only_names_or_declares_is_left_alone(source):
    assert texts(source) == []


def test_a_fault_knows_its_line_and_the_outermost_function_around_it():
    source = "class A:\n    def f(self, a=1):\n        def g():\n            return a\n        return g\n"

    assert [(mutant.line, mutant.function) for mutant in mutants_of(source)] == [(2, None), (4, "A.f"), (5, "A.f")]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_faults_are_planted_and_noticed():
    command = [sys.executable, "-m", "tests.mutation.run", "flows/human_feedback/outcome.py", "--every", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    name, faults, killed, *_ = done.stdout.splitlines()[-2].split()
    assert name == "flows/human_feedback/outcome.py"
    assert int(faults) == int(killed) >= 5
