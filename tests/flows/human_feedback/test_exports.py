"""What `flows.human_feedback` offers: each name, taken from where it lives with its first use."""

import sys

import pytest

import flows
from flows.errors import HumanFeedbackCollapseError
from flows.graph.spec import FeedbackSpec
from flows.human_feedback.console import ConsoleProvider
from flows.human_feedback.lessons import DistilledLessons, PreReviewResult
from flows.ports import HumanFeedbackProvider
from flows.types import HumanFeedbackPending, HumanFeedbackResult, PendingFeedbackContext

package = sys.modules["flows.human_feedback"]

OFFERED = {
    "ConsoleProvider": ConsoleProvider,
    "DistilledLessons": DistilledLessons,
    "HumanFeedbackCollapseError": HumanFeedbackCollapseError,
    "HumanFeedbackConfig": FeedbackSpec,
    "HumanFeedbackPending": HumanFeedbackPending,
    "HumanFeedbackProvider": HumanFeedbackProvider,
    "HumanFeedbackResult": HumanFeedbackResult,
    "PendingFeedbackContext": PendingFeedbackContext,
    "PreReviewResult": PreReviewResult,
    "human_feedback": flows.human_feedback,
}


@pytest.mark.parametrize("name", OFFERED)
def test_a_name_is_the_thing_itself(name):
    assert getattr(package, name) is OFFERED[name]


def test_all_names_are_listed():
    assert sorted(package.__all__) == sorted(OFFERED)


def test_another_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError) as caught:
        _ = package.HumanFeedback

    assert str(caught.value) == "module 'flows.human_feedback' has no attribute 'HumanFeedback'"


def test_lessons_are_none_until_some_are_given():
    assert (DistilledLessons().lessons, DistilledLessons(lessons=["Be brief."]).lessons) == ([], ["Be brief."])
