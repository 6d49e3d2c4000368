"""Ps-8 and P-14 for a user's store that keeps the questions of a run and nothing of its progress."""

import asyncio

import pytest

from flows import (
    AlreadyResumedError,
    Flow,
    FlowPersistence,
    NoPendingFeedbackError,
    PersistenceError,
    SQLiteFlowPersistence,
    human_feedback,
    listen,
    start,
)
from flows.errors import RunBusyError
from flows.testing import PausingProvider


class OneQuestion(FlowPersistence):
    """The documented six methods, with one row for each run."""

    def __init__(self):
        self.states, self.rows = {}, {}

    def init_db(self):
        pass

    def save_state(self, flow_uuid, method_name, state_data):
        self.states[flow_uuid] = dict(state_data)

    def load_state(self, flow_uuid):
        return self.states.get(flow_uuid)

    def save_pending_feedback(self, flow_uuid, context, state_data):
        self.rows[flow_uuid] = (dict(state_data), context)

    def load_pending_feedback(self, flow_uuid):
        return self.rows.get(flow_uuid)

    def clear_pending_feedback(self, flow_uuid):
        self.rows.pop(flow_uuid, None)


class TwoGates(Flow):
    @start()
    @human_feedback(message="A?", provider=PausingProvider())
    def first(self):
        return "a"

    @start()
    @human_feedback(message="B?", provider=PausingProvider())
    def second(self):
        return "b"


class Shaky(Flow):
    """A review whose listener goes on as `listener` says."""

    listener: staticmethod

    @start()
    @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no", provider=PausingProvider())
    def review(self):
        return "draft"

    @listen("yes")
    async def publish(self, result):
        return await self.listener(result)


async def test_a_second_question_is_refused_where_the_first_would_be_lost():
    with pytest.raises(PersistenceError, match="OneQuestion shows one question of a run at a time"):
        await TwoGates(persistence=OneQuestion()).kickoff_async()


async def test_an_answer_whose_listener_failed_can_be_given_again():
    outcomes = iter([ValueError("boom"), None])

    class Once(Shaky):
        async def listener(self, result):
            if (error := next(outcomes)) is not None:
                raise error
            return f"published by {result.metadata['by']}"

    store = OneQuestion()
    flow = Once(persistence=store)
    await flow.kickoff_async()
    with pytest.raises(ValueError, match="boom"):
        await Once.from_pending(flow.flow_id, store).resume_async(outcome="yes", by="ana")

    assert await Once.from_pending(flow.flow_id, store).resume_async(outcome="yes", by="bo") == "published by bo"


async def test_an_answer_whose_listener_was_cancelled_can_be_given_again():
    begun = asyncio.Event()

    class Hanging(Shaky):
        async def listener(self, result):
            begun.set()
            await asyncio.Event().wait()

    store = OneQuestion()
    flow = Hanging(persistence=store)
    await flow.kickoff_async()
    task = asyncio.create_task(Hanging.from_pending(flow.flow_id, store).resume_async(outcome="yes"))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

    assert [request.status for request in store.list_pending(flow.flow_id)] == ["pending"]


async def test_while_the_answer_is_carried_out_a_second_one_is_told_who_was_first():
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Slow(Shaky):
        async def listener(self, result):
            begun.set()
            await go_on.wait()
            return "published"

    store = OneQuestion()
    flow = Slow(persistence=store)
    await flow.kickoff_async()
    task = asyncio.create_task(Slow.from_pending(flow.flow_id, store).resume_async(outcome="yes", by="ana"))
    await begun.wait()

    with pytest.raises(AlreadyResumedError, match="as 'yes' by ana"):
        Slow.from_pending(flow.flow_id, store)

    go_on.set()
    assert await task == "published"


async def test_an_answer_that_comes_while_a_sibling_works_is_carried_out():
    go_on = asyncio.Event()

    class Busy(Shaky):
        @start()
        async def sibling(self):
            await go_on.wait()

        async def listener(self, result):
            return f"published: {result.feedback}"

    store, paused = OneQuestion(), asyncio.Event()
    flow = Busy(persistence=store)
    flow.on_event(lambda event: paused.set() if event.type == "method_execution_paused" else None)
    task = asyncio.create_task(flow.kickoff_async())
    await paused.wait()

    with pytest.raises(RunBusyError):
        await flow.resume_async("with care", outcome="yes")
    go_on.set()

    assert await task == "published: with care"


async def test_p14_an_answer_that_comes_just_before_the_run_rests_is_carried_out():
    class Quick(Shaky):
        async def listener(self, result):
            return f"published: {result.feedback}"

    answers = []
    flow = Quick(persistence=OneQuestion())

    def answer_at_once(event):
        if event.type == "method_execution_paused":
            answers.append(asyncio.ensure_future(flow.resume_async("with care", outcome="yes")))

    flow.on_event(answer_at_once)

    assert await flow.kickoff_async() == "published: with care"
    assert [type(error) for error in await asyncio.gather(*answers, return_exceptions=True)] == [RunBusyError]


def failing_beside_a_question(*, left):
    asked = asyncio.Event()

    class Failing(Flow):
        @start()
        @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no", provider=PausingProvider())
        def review(self):
            return "draft"

        @start()
        async def sibling(self):
            await asked.wait()
            self.state["left"] = left
            raise ValueError("boom")

    flow = Failing()
    flow.on_event(lambda event: asked.set() if event.type == "method_execution_paused" else None)
    return flow


async def test_p14_a_question_that_was_asked_is_stored_when_a_sibling_fails():
    flow = failing_beside_a_question(left="text")
    with pytest.raises(ValueError, match="boom"):
        await flow.kickoff_async()

    store = SQLiteFlowPersistence()

    assert [request.status for request in store.list_pending(flow.flow_id)] == ["pending"]
    assert store.load_run(flow.flow_id).status == "failed"
    assert type(flow).from_pending(flow.flow_id).pending_feedback.context.method_name == "review"
    store.close()


async def test_p14_a_question_that_could_not_be_stored_was_not_answered_by_anybody():
    flow = failing_beside_a_question(left=object())
    with pytest.raises(ValueError, match="boom"):
        await flow.kickoff_async()

    with pytest.raises(NoPendingFeedbackError):
        await flow.resume_async(outcome="yes")
