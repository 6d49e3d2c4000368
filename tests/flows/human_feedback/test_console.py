"""What a person at the terminal sees and what their lines become."""

import sys
from io import StringIO

import pytest

from flows.human_feedback import ConsoleProvider, PendingFeedbackContext


def context(*, emit=None, default_outcome=None, output="draft"):
    return PendingFeedbackContext(
        flow_id="f1",
        flow_class="a.Flow",
        method_name="review",
        method_output=output,
        message="Good?",
        emit=emit,
        default_outcome=default_outcome,
    )


def console(*lines, **options):
    """A console where these lines are typed, and all that it shows."""
    typed, shown = list(lines), []

    def read(prompt):
        shown.append(prompt)
        return typed.pop(0)

    return ConsoleProvider(input_fn=read, output_fn=shown.append, **options), shown


def test_the_line_comes_without_outer_spaces():
    provider, _ = console("  it is good \n")

    assert provider.request_feedback(context(), None) == "it is good"


@pytest.mark.parametrize(
    ("asked", "last_lines"),
    [
        pytest.param(context(emit=["yes", "no"]), ["(Enter means: yes)", "", "Your feedback: "], id="labels"),
        pytest.param(context(emit=["yes", "no"], default_outcome="no"), ["", "Your feedback: "], id="default"),
        pytest.param(context(), ["", "Your feedback: "], id="any words"),
    ],
)
def test_what_enter_means_is_said_when_the_step_does_not_say_it(asked, last_lines):
    provider, shown = console("")
    provider.request_feedback(asked, None)

    assert shown[5:] == ["Good?", "(Press Enter to skip, or type your feedback)", *last_lines]


@pytest.mark.parametrize(
    ("emit", "labels"), [pytest.param(["yes", "no"], "yes, no", id="labels"), pytest.param(None, "", id="none")]
)
def test_asking_again_names_the_labels(emit, labels):
    provider, shown = console(" yes ")

    assert provider.ask_again(context(emit=emit), None, "unclear") == "yes"
    assert shown == [
        f"That could not be read as one answer. Please type one of: {labels}",
        "Your feedback: ",
    ]


@pytest.mark.parametrize("verbose", [True, False], ids=["verbose", "one line"])
def test_an_input_comes_without_outer_spaces(verbose):
    provider, _ = console(" Ana ", verbose=verbose)

    assert provider.request_input("Name?", None) == "Ana"


def test_a_console_is_verbose_and_uses_the_terminal_unless_told_otherwise(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", StringIO("Ana\n"))

    assert ConsoleProvider().request_input("Name?", None) == "Ana"
    assert capsys.readouterr().out == "Name?\n\n>>> "


class Terminal(StringIO):
    """A standard input that a person sits at."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("standard_input", "input_fn", "has_person"),
    [
        pytest.param(Terminal(), None, True, id="terminal"),
        pytest.param(StringIO(), None, False, id="pipe"),
        pytest.param(None, None, False, id="no standard input"),
        pytest.param(StringIO(), input, True, id="lines of its own"),
    ],
)
def test_somebody_can_answer_at_a_terminal_or_through_lines_of_its_own(
    standard_input, input_fn, has_person, monkeypatch
):
    monkeypatch.setattr(sys, "stdin", standard_input)

    assert ConsoleProvider(input_fn=input_fn).has_person is has_person
