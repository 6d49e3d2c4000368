"""The example flow: a draft goes round until somebody publishes or rejects it."""

import pytest

from flows import HumanFeedbackPending, SQLiteFlowPersistence
from flows.examples import ContentReviewFlow
from flows.examples.content_review import DEFAULT_TOPIC, write_draft
from flows.testing import PausingProvider, RecordingProvider


def reviewed(*answers, topic="remote work"):
    """The flow's value and the texts that the reviewer saw."""
    provider = RecordingProvider(answers)
    flow = ContentReviewFlow(human_feedback_provider=provider)
    result = flow.kickoff(inputs={"topic": topic})
    return flow, result, [context.method_output for context in provider.contexts]


def test_an_approved_draft_is_published():
    flow, result, _ = reviewed("approved")

    assert result == "Published “Remote work” (version 1)."
    assert (flow.state.status, flow.state.revision) == ("published", 1)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param("Not for\nour readers", "Not for our readers", id="reason"),
        pytest.param("", "no reason given", id="nothing said"),
        pytest.param("Rejected", "no reason given", id="only the label"),
    ],
)
async def test_the_archive_says_why(tmp_path, words, reason):
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    flow = ContentReviewFlow(persistence=store, human_feedback_provider=PausingProvider())
    await flow.kickoff_async(inputs={"topic": "remote work"})

    result = await flow.resume_async(words, outcome="rejected")

    assert result == f"Archived “Remote work”: {reason}."
    assert flow.state.status == "archived"


def test_a_requested_change_shows_in_the_next_version():
    flow, result, (first, second) = reviewed("needs_revision", "approved")

    assert result == "Published “Remote work” (version 2)."
    assert first != second
    assert "version 2" in second
    assert flow.state.requested_changes == [""]


def test_no_words_are_put_into_the_reviewers_mouth():
    _, _, (first, second, third) = reviewed("needs_revision", "needs_revision", "approved")

    assert second.split("\n\n")[1] == (
        "This is version 2 of our note on remote work. The review asked for changes and gave no reason."
    )
    assert "You asked for this" not in third
    assert len({first, second, third}) == 3
    assert second.split("\n\n")[2:] == first.split("\n\n")[2:]


async def test_the_reviewers_words_are_taken_up(tmp_path):
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    flow = ContentReviewFlow(persistence=store, human_feedback_provider=PausingProvider())
    await flow.kickoff_async(inputs={"topic": "remote work"})
    pending = await flow.resume_async("name the costs.", outcome="needs_revision")
    third = await flow.resume_async("add a date", outcome="needs_revision")

    assert isinstance(pending, HumanFeedbackPending)
    assert pending.context.method_output.count("name the costs") == 2
    assert "name the costs" in third.context.method_output
    assert "add a date" in third.context.method_output.split("\n\n")[1]
    assert third.context.method_output.count("This is version") == 1


async def test_an_edited_text_is_the_one_that_is_published(tmp_path):
    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    flow = ContentReviewFlow(persistence=store, human_feedback_provider=PausingProvider())
    await flow.kickoff_async(inputs={"topic": "remote work"})
    await flow.resume_async("", outcome="approved", output="My own words.")

    assert flow.state.draft == "My own words."


@pytest.mark.parametrize("topic", ["", "   ", None], ids=["empty", "blank", "missing"])
def test_without_a_topic_there_is_a_default(topic):
    provider = RecordingProvider(["approved"])
    flow = ContentReviewFlow(human_feedback_provider=provider)

    assert flow.kickoff(inputs=None if topic is None else {"topic": topic}) == (
        f"Published “{DEFAULT_TOPIC}” (version 1)."
    )


@pytest.mark.parametrize("topic", ["remote work", "AI safety", "segurança em IA", "AI 안전", "x" * 500], ids=ascii)
def test_a_draft_is_short_and_has_its_paragraphs(topic):
    _, _, (draft,) = reviewed("approved", topic=topic)
    words = len(draft.split())

    assert 120 <= words <= 220
    assert len(draft.split("\n\n")) == 5
    assert draft.startswith("# ")


def test_the_same_topic_gives_the_same_draft():
    assert write_draft("tea") == write_draft("tea")
    assert write_draft("tea") != write_draft("coffee")


def test_what_people_read_about_the_flow():
    provider = RecordingProvider(["approved"])
    ContentReviewFlow(human_feedback_provider=provider).kickoff()
    (context,) = provider.contexts

    assert ContentReviewFlow.name == "content_review"
    assert (ContentReviewFlow.__doc__ or "").splitlines()[0].endswith(".")
    assert len(context.message) <= 90
    assert context.metadata["labels"]["approved"] == {"en": "Publish", "pt": "Publicar", "ko": "게시"}
    assert set(context.metadata["repeatable"]) == {"review_draft", "publish", "archive"}
    assert (context.emit, context.default_outcome) == (["approved", "rejected", "needs_revision"], "needs_revision")
