"""P-13 and Ps-7 over a change of the code: a run that paused under one version of its class goes on under the next."""

from types import new_class
from typing import ClassVar

import pytest
from pydantic import BaseModel

from flows import (
    CannotContinueError,
    Flow,
    FlowPersistence,
    HumanFeedbackPending,
    human_feedback,
    listen,
    or_,
    start,
)
from flows.errors import FeedbackSpecError
from flows.testing import PausingProvider

RUN = "run-1"


class Before(BaseModel):
    id: str = RUN
    topic: str = "tea"
    colour: str = "green"


class After(BaseModel):
    id: str = RUN
    topic: str = "none"
    size: int = 3


def version(state, *, review="review", publish="publish"):
    """One version of one class: its state model, and what its methods are called."""

    def asks(self):
        return "draft"

    def goes_on(self, result):
        return self.state.model_dump()

    asks.__name__, goes_on.__name__ = review, publish
    gate = human_feedback(message="OK?", provider=PausingProvider())(asks)
    methods = {review: start()(gate), publish: listen(review)(goes_on)}
    return new_class("Article", (Flow[state],), {}, lambda body: body.update({"__module__": __name__, **methods}))


async def paused(store, **names):
    assert isinstance(
        await version(Before, **names)(persistence=store).kickoff_async({"id": RUN}), HumanFeedbackPending
    )


async def test_added_fields_take_their_defaults_and_removed_ones_are_set_aside(store, caplog):
    await paused(store)

    flow = await version(After).from_pending_async(RUN, store)
    result = await flow.resume_async("ok")

    assert result == {"id": RUN, "topic": "tea", "size": 3}
    assert "set aside: colour" in caplog.text


async def test_what_was_set_aside_is_there_again_when_the_old_version_is(store):
    await paused(store)
    flow = await version(After).from_pending_async(RUN, store)
    await flow.resume_async("ok")
    stored = store.load_checkpoint(RUN)

    assert stored is not None
    assert '"colour":"green"' in stored.body


async def test_keys_of_a_dict_state_are_all_kept(store):
    class Old(Flow):
        initial_state: ClassVar = {"old": 1}

        @start()
        @human_feedback(message="OK?", provider=PausingProvider())
        def review(self):
            return "draft"

    class New(Old):
        initial_state: ClassVar = {"new": 2}

        @listen("review")
        def publish(self, result):
            return dict(self.state)

    await Old(persistence=store).kickoff_async({"id": RUN})
    result = await (await New.from_pending_async(RUN, store)).resume_async("ok")

    assert result == {"id": RUN, "old": 1, "new": 2}


async def test_a_renamed_review_is_an_error_that_leaves_the_request_as_it_was(store):
    await paused(store)

    with pytest.raises(CannotContinueError, match=r"Article.*review \(did you mean reviews\?\)"):
        await version(Before, review="reviews").from_pending_async(RUN, store)

    (request,) = store.list_pending(RUN)
    assert request.status == "pending"
    result = await (await version(Before).from_pending_async(RUN, store)).resume_async("ok")
    assert result["topic"] == "tea"


async def test_a_listener_that_had_not_begun_may_be_renamed(store):
    await paused(store)
    renamed = await version(Before, publish="publishes").from_pending_async(RUN, store)

    assert (await renamed.resume_async("ok"))["topic"] == "tea"


def labelled(*labels):
    """One version of one class: what its review's outcomes are called."""

    class Article(Flow):
        @start()
        @human_feedback(
            message="OK?",
            emit=labels or None,
            default_outcome=labels[-1] if labels else None,
            provider=PausingProvider(),
        )
        def review(self):
            return "draft"

        @listen(or_(*labels) if len(labels) > 1 else "review")
        def publish(self, result):
            return f"heard {result.outcome}"

    return Article


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"outcome": "approved"}, id="decided"),
        pytest.param({"feedback": "Approved"}, id="words"),
    ],
)
async def test_a_label_that_was_renamed_is_refused_and_the_request_stays(store, answer):
    await labelled("approved", "no")(persistence=store).kickoff_async({"id": RUN})
    flow = await labelled("ship", "no").from_pending_async(RUN, store)

    with pytest.raises(FeedbackSpecError, match=r"'approved' was an outcome of 'review'.*'ship', 'no'"):
        await flow.resume_async(**answer)

    assert [request.status for request in store.list_pending(RUN)] == ["pending"]
    assert await flow.resume_async(outcome="ship") == "heard ship"


async def test_words_are_read_as_the_labels_that_a_review_has_since_been_given(store):
    await labelled()(persistence=store).kickoff_async({"id": RUN})
    flow = await labelled("ship", "no").from_pending_async(RUN, store)

    assert await flow.resume_async("Ship") == "heard ship"


class ThreeMethods(FlowPersistence):
    """A store of somebody's own that keeps a question, and no progress."""

    def __init__(self):
        self.states, self.question = {}, None

    def init_db(self):
        pass

    def save_state(self, flow_uuid, method_name, state_data):
        self.states[flow_uuid] = dict(state_data)

    def load_state(self, flow_uuid):
        return self.states.get(flow_uuid)

    def save_pending_feedback(self, flow_uuid, context, state_data):
        self.question = (dict(state_data), context)

    def load_pending_feedback(self, flow_uuid):
        return self.question

    def clear_pending_feedback(self, flow_uuid):
        self.question = None


async def test_a_renamed_review_is_an_error_with_a_small_store_too():
    store = ThreeMethods()
    await paused(store)

    with pytest.raises(CannotContinueError, match=r"Article.*review"):
        await version(Before, review="checks").from_pending_async(RUN, store)

    assert store.question is not None
