from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from bot import SlackFeedbackProvider
from flows import Flow, HumanFeedbackResult, human_feedback, listen, or_, start


class DraftState(BaseModel):
    topic: str = "bees"
    version: int = 0
    status: str = "new"


class DraftReviewFlow(Flow[DraftState]):
    """A draft that people approve, reject or send back."""

    name = "draft_review"

    @start()
    def write(self) -> str:
        return self.state.topic

    @human_feedback(
        message="Publish this draft?",
        emit=["approved", "rejected", "needs_revision"],
        default_outcome="needs_revision",
    )
    @listen(or_("write", "needs_revision"))
    def review(self) -> str:
        self.state.version += 1
        return f"About {self.state.topic}, version {self.state.version}."

    @listen("approved")
    def publish(self, result: HumanFeedbackResult) -> str:
        self.state.status = "published"
        return f"Published {self.state.topic} ({result.feedback or 'no comment'})"

    @listen("rejected")
    def archive(self, result: HumanFeedbackResult) -> str:
        self.state.status = "archived"
        return f"Archived {self.state.topic}: {result.feedback}"


class OpinionFlow(Flow):
    """A question without outcomes."""

    name = "opinion"

    @start()
    @human_feedback(message="What do you think of this?")
    def ask(self) -> str:
        return "An analysis."

    @listen(ask)
    def note(self, result: HumanFeedbackResult) -> str:
        return f"Noted: {result.feedback or 'nothing'}"


class ElsewhereFlow(Flow):
    """A gate whose card stands in another channel."""

    name = "elsewhere"

    @start()
    @human_feedback(
        message="Publish this?", emit=["approved", "rejected"], provider=SlackFeedbackProvider("#content-reviews")
    )
    def ask(self) -> str:
        return "A text."

    @listen("approved")
    def publish(self) -> str:
        return "Published elsewhere"


class SilentFlow(Flow):
    """A flow that asks nobody."""

    name = "silent"

    @start()
    def work(self) -> str:
        return "All done: <!channel>"


class BrokenFlow(Flow):
    """A flow whose step after the approval fails."""

    name = "broken"

    @start()
    @human_feedback(message="Go on?", emit=["approved", "rejected"])
    def ask(self) -> str:
        return "A plan."

    @listen("approved")
    def act(self) -> Any:
        raise ValueError("a secret detail xoxb-1-2-3")


FLOWS = (DraftReviewFlow, OpinionFlow, ElsewhereFlow, SilentFlow, BrokenFlow)


@pytest.fixture
async def slack(tmp_path):
    from bot.testing import scenario

    async with scenario(tmp_path, *FLOWS) as running:
        yield running
