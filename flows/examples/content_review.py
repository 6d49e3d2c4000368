"""A draft goes round between its writer and its reviewer until it is published or archived.

Source: human feedback guide, "Complete example: content approval workflow".
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from flows import Flow, HumanFeedbackResult, human_feedback, listen, or_, start

DEFAULT_TOPIC = "How our team reviews its work"
TITLE_LENGTH = 80
REQUEST_LENGTH = 400


class ContentReviewState(BaseModel):
    """What the review is about, and how far it has come."""

    topic: str = ""
    draft: str = ""
    revision: int = 0
    """The number of the draft under review; the first is 1."""
    status: Literal["drafting", "in_review", "published", "archived"] = "drafting"
    requested_changes: list[str] = Field(default_factory=list[str])
    """What the reviewer asked for, oldest first; "" where no words came with the request."""


class ContentReviewFlow(Flow[ContentReviewState]):
    """Drafts a short text on your topic and revises it until somebody publishes or rejects it.

    Input: `topic`, a few words. No language model is needed.
    """

    name = "content_review"
    inputs = ("topic",)

    @start()
    def generate_draft(self) -> str:
        """Writes the first draft."""
        self.state.topic = " ".join(self.state.topic.split())[:TITLE_LENGTH] or DEFAULT_TOPIC
        self.state.requested_changes = []
        self.state.draft = write_draft(self.state.topic)
        self.state.revision = 1
        return self.state.draft

    @human_feedback(
        message="Publish this draft?",
        emit=["approved", "rejected", "needs_revision"],
        default_outcome="needs_revision",
        metadata={
            # These steps change nothing but the state, so that after a crash they may simply run again.
            "repeatable": ["review_draft", "publish", "archive"],
            "labels": {"approved": {"en": "Publish", "pt": "Publicar", "ko": "게시"}},
        },
    )
    @listen(or_("generate_draft", "needs_revision"))
    def review_draft(self, trigger: Any) -> str:
        """Shows the draft; after a request for changes, a new version of it."""
        if isinstance(trigger, HumanFeedbackResult):
            self.state.requested_changes.append(requested_change(trigger.feedback))
            # The reviewer may have edited the text itself; the new version starts from what was reviewed.
            self.state.draft = revise(str(trigger.output), self.state.topic, self.state.requested_changes)
            self.state.revision = len(self.state.requested_changes) + 1
        self.state.status = "in_review"
        return self.state.draft

    @listen("approved")
    def publish(self, result: HumanFeedbackResult) -> str:
        """Publishes the version that was approved."""
        self.state.draft = str(result.output)
        self.state.status = "published"
        return f"Published “{title_of(self.state.topic)}” (version {self.state.revision})."

    @listen("rejected")
    def archive(self, result: HumanFeedbackResult) -> str:
        """Puts the draft away, with the reason."""
        self.state.status = "archived"
        reason = " ".join(result.feedback.split())
        said_why = reason and reason.casefold() != (result.outcome or "").casefold()
        return f"Archived “{title_of(self.state.topic)}”: {reason if said_why else 'no reason given'}."


def title_of(topic: str) -> str:
    """The topic as a headline: first letter large, no full stop."""
    trimmed = topic.strip().rstrip(".") or DEFAULT_TOPIC
    return trimmed[:1].upper() + trimmed[1:]


def write_draft(topic: str) -> str:
    """A first draft of four paragraphs about the topic, in Markdown; the same topic gives the same text."""
    title = title_of(topic)
    subject = _in_sentence(title)
    return "\n\n".join(
        (
            f"# {title}",
            f"This note is about {subject}: why it matters to us now, what changes, and what we ask of you. "
            "It takes about a minute to read.",
            f"Until today, everyone found their own way to deal with {subject}. That was quick in the beginning, but "
            "it left the same questions to be answered again and again, and it hid good ideas in private messages.",
            "From now on there is one place to look, one person who keeps it up to date, and a short summary after "
            "every change. You do not have to do anything to keep your current work going; what is already under way "
            "stays as it is.",
            f"If something about {subject} does not fit your work, tell us before the end of the week. We read every "
            "answer, we say what we did with it, and we look at the whole again in a month.",
        )
    )


def requested_change(feedback: str) -> str:
    """The reviewer's request in one line; "" when no words were given."""
    words = " ".join(feedback.split())
    return words[:REQUEST_LENGTH] if words.casefold() != "needs_revision" else ""


def revise(draft: str, topic: str, requests: list[str]) -> str:
    """The next version: an opening that says what is new, and one paragraph that takes up the newest request.

    requests are all requests so far, oldest first, at least one. Earlier paragraphs of the draft stay. A request
    without words changes the opening alone: nothing is put into the reviewer's mouth.
    """
    request = requests[-1].rstrip(".")
    version = len(requests) + 1
    subject = _in_sentence(title_of(topic))
    paragraphs = draft.split("\n\n")
    first_text = next((at for at, text in enumerate(paragraphs) if not text.startswith("#")), len(paragraphs))
    opening = f"This is version {version} of our note on {subject}. "
    if not request:
        opening += "The review asked for changes and gave no reason."
        return "\n\n".join([*paragraphs[:first_text], opening, *paragraphs[first_text + 1 :]])
    opening += f"It takes up what the review asked for: {request}."
    addition = (
        f"**On “{request}”.** You asked for this, and it belongs here: it is the part of {subject} that people will "
        "meet first. We name what it means in practice, who looks after it, and where to ask when it is unclear."
    )
    return "\n\n".join([*paragraphs[:first_text], opening, *paragraphs[first_text + 1 :], addition])


def _in_sentence(title: str) -> str:
    """The title as part of a sentence: small first letter, unless the first word is an abbreviation."""
    first_word = title.split(" ", 1)[0]
    return title if first_word.isupper() and len(first_word) > 1 else title[:1].lower() + title[1:]
