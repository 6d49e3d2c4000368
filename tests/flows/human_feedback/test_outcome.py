"""Which label a person's words become, and why none when none does."""

import logging

import pytest

from flows import HumanFeedbackCollapseError
from flows.human_feedback.outcome import resolve_outcome
from flows.testing import ScriptedLLM

LABELS = ["yes", "no"]


@pytest.fixture(autouse=True)
def no_default_model(monkeypatch):
    """No model but the one that a test gives."""
    monkeypatch.delenv("FLOWS_MODEL", raising=False)


async def test_silence_is_the_first_label_when_no_default_was_given():
    assert await resolve_outcome("", LABELS) == "yes"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        pytest.param(None, "no model is configured to read free text", id="no model"),
        pytest.param(["perhaps"], "the model's answer is no single label", id="no label"),
        pytest.param([OSError("one"), OSError("two")], "the model could not be reached", id="both requests fail"),
    ],
)
async def test_words_that_become_no_label_are_an_error_that_says_why(answers, reason):
    options = {} if answers is None else {"llm": ScriptedLLM(answers)}

    with pytest.raises(HumanFeedbackCollapseError) as caught:
        await resolve_outcome("well", LABELS, **options)

    assert (caught.value.feedback, caught.value.emit, caught.value.reason) == ("well", ("yes", "no"), reason)


async def test_the_last_failure_of_the_model_is_the_errors_cause():
    last = OSError("two")

    with pytest.raises(HumanFeedbackCollapseError) as caught:
        await resolve_outcome("well", LABELS, llm=ScriptedLLM([OSError("one"), last]))

    assert caught.value.__cause__ is last


async def test_a_failing_structured_request_is_logged_with_its_error(caplog):
    caplog.set_level(logging.INFO)
    failure = OSError("no structure")
    await resolve_outcome("well", LABELS, llm=ScriptedLLM([failure, "no"]))

    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (
        logging.INFO,
        "The structured request failed; asking in plain words.",
    )
    assert record.exc_info[1] is failure


@pytest.mark.parametrize(
    ("options", "holds"),
    [pytest.param({"message": "Publish?"}, True, id="question"), pytest.param({}, False, id="no question")],
)
async def test_the_model_is_told_the_question_when_there_is_one(options, holds):
    model = ScriptedLLM(["no"])
    await resolve_outcome("well", LABELS, llm=model, **options)

    ((prompt, _),) = model.calls
    assert prompt.startswith("A person was asked: Publish?\n") is holds
    assert prompt.startswith("The person replied:") is not holds
