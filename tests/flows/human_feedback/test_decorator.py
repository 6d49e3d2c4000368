"""What @human_feedback keeps of its arguments, and the words with which it refuses some."""

import logging

import pytest

from flows import human_feedback
from flows.errors import FeedbackSpecError
from flows.graph.spec import FeedbackSpec, spec_of

TEXT = "@human_feedback needs a message: the question that the person reads."


def decorated(**arguments):
    def review(self):
        return "draft"

    return human_feedback(**arguments)(review)


def test_what_is_not_said_has_the_documents_defaults():
    assert spec_of(decorated(message="OK?")).feedback == FeedbackSpec(
        message="OK?",
        emit=None,
        llm=None,
        default_outcome=None,
        metadata=None,
        provider=None,
        learn=False,
        learn_limit=5,
        learn_source="hitl",
        learn_strict=False,
    )


def test_all_that_is_said_is_kept():
    provider, model = object(), object()
    arguments = {
        "message": "OK?",
        "emit": ("yes", "no"),
        "llm": model,
        "default_outcome": "no",
        "metadata": {"tier": "low"},
        "provider": provider,
        "learn": True,
        "learn_limit": 3,
        "learn_source": "memory",
        "learn_strict": True,
    }

    assert spec_of(decorated(**arguments)).feedback == FeedbackSpec(**arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({"message": "  "}, TEXT, id="no message"),
        pytest.param(
            {"message": "OK?", "default_outcome": "no"},
            "default_outcome has no meaning without emit. Declare the labels with emit=[...].",
            id="default without labels",
        ),
        pytest.param(
            {"message": "OK?", "emit": ["yes", "no"], "default_outcome": "none"},
            "default_outcome 'none' is not in emit. Use one of 'yes', 'no'. Did you mean 'no'?",
            id="default near a label",
        ),
        pytest.param(
            {"message": "OK?", "emit": ["yes", "no"], "default_outcome": "perhaps"},
            "default_outcome 'perhaps' is not in emit. Use one of 'yes', 'no'.",
            id="default far from all labels",
        ),
        pytest.param(
            {"message": "OK?", "emit": "yes"},
            "emit must be a list of labels, not the text 'yes'. Write emit=['yes'].",
            id="text for a list",
        ),
        pytest.param(
            {"message": "OK?", "emit": ["yes", " "]},
            "emit holds an empty label. Give every outcome a name.",
            id="empty label",
        ),
        pytest.param(
            {"message": "OK?", "emit": ["yes", " YES "]},
            "emit holds labels that people cannot tell apart: 'yes', ' YES '.",
            id="labels alike",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_write(arguments, text):
    with pytest.raises(FeedbackSpecError) as caught:
        human_feedback(**arguments)

    assert str(caught.value) == text


def test_labels_without_a_default_are_warned_of_once_with_the_label_that_silence_means(caplog):
    decorated(message="OK?", emit=["yes", "no"])

    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (
            logging.WARNING,
            "decorated.<locals>.review has no default_outcome: an empty answer means 'yes'. "
            "Declare the label that is safe.",
        )
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"emit": ["yes", "no"], "default_outcome": "no"}, id="default"),
        pytest.param({}, id="no labels"),
        pytest.param({"emit": []}, id="empty list"),
    ],
)
def test_nothing_is_warned_of_when_silence_is_clear(arguments, caplog):
    decorated(message="OK?", **arguments)

    assert caplog.records == []
