"""Section 8 of the engine's rules: pausing, resuming, and losing nothing in between."""

import asyncio
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from flows import (
    AlreadyResumedError,
    AmbiguousRequestError,
    CannotContinueError,
    ConsoleProvider,
    Flow,
    FlowPersistence,
    HumanFeedbackCollapseError,
    HumanFeedbackPending,
    HumanFeedbackResult,
    MemoryFlowPersistence,
    MissingProviderError,
    NoPendingFeedbackError,
    PendingFeedbackContext,
    PendingRequestsError,
    RunBusyError,
    RunMovedError,
    RunningLoopError,
    SQLiteFlowPersistence,
    and_,
    human_feedback,
    listen,
    or_,
    persist,
    start,
)
from flows.testing import ManualClock, PausingProvider, ScriptedLLM

LABELS = ["approved", "rejected"]


class Review(Flow):
    @start()
    @human_feedback(
        message="OK?",
        emit=LABELS,
        default_outcome="rejected",
        provider=PausingProvider(url="u"),
        metadata={"tier": "low"},
    )
    def draft(self):
        self.state["drafted"] = self.state.get("drafted", 0) + 1
        return "draft"

    @listen("approved")
    def publish(self, result):
        self.state["published"] = self.state.get("published", 0) + 1
        return f"published {result.output}"

    @listen("rejected")
    def archive(self, result):
        return f"archived: {result.feedback}"


class Words(Flow):
    @start()
    @human_feedback(message="What do you think?", provider=PausingProvider())
    def draft(self):
        return "draft"

    @listen(draft)
    def hears(self, result):
        return f"{result.output}/{result.feedback}"


async def test_p1_a_pausing_provider_makes_kickoff_return_the_pending_request(store):
    flow = Review(persistence=store)
    pending = await flow.kickoff_async()

    assert isinstance(pending, HumanFeedbackPending)
    assert pending.callback_info == {"url": "u"}
    assert pending.context.flow_id == flow.flow_id
    assert "draft" in str(pending)
    assert flow.flow_id in str(pending)
    assert pending.__traceback__ is None


def test_p1_callback_info_defaults_to_an_empty_dict():
    context = PendingFeedbackContext("f", "c", "m", "o", "?")

    assert HumanFeedbackPending(context=context).callback_info == {}
    assert str(HumanFeedbackPending(context=context, message="mine")) == "mine"


class ForeignProvider:
    """Pauses with a context of its own making."""

    def request_feedback(self, context, flow):
        raise HumanFeedbackPending(PendingFeedbackContext("other", "other", "other", None, "other?"), {"k": 1})


async def test_p1_a_foreign_context_is_replaced_by_the_one_that_is_stored(store):
    class Some(Flow):
        @start()
        @human_feedback(message="?", provider=ForeignProvider())
        def draft(self):
            return "draft"

    flow = Some(persistence=store)
    pending = await flow.kickoff_async()

    (row,) = store.list_pending(flow.flow_id)
    assert (pending.context, pending.callback_info) == (row.context, {"k": 1})
    assert pending.context.method_name == "draft"


@dataclass
class Point:
    x: int


class Thing(BaseModel):
    n: int = 1


def test_p2_a_context_survives_to_dict_and_back():
    context = PendingFeedbackContext(
        flow_id="f",
        flow_class="m.C",
        method_name="draft",
        method_output="o",
        message="?",
        emit=["a"],
        default_outcome="a",
        metadata={"k": [1]},
        llm="gpt-4o-mini",
        requested_at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    assert PendingFeedbackContext.from_dict(context.to_dict()) == context


@pytest.mark.parametrize(
    ("value", "safe"),
    [
        pytest.param(Thing(), {"n": 1}, id="model"),
        pytest.param(Point(2), {"x": 2}, id="dataclass"),
        pytest.param((1, (2,)), [1, [2]], id="tuple"),
        pytest.param(uuid.UUID(int=1), str(uuid.UUID(int=1)), id="the rest"),
    ],
)
def test_p2_an_output_is_made_json_safe(value, safe):
    context = PendingFeedbackContext("f", "c", "m", value, "?", metadata={"v": value})

    assert (context.to_dict()["method_output"], context.to_dict()["metadata"]) == (safe, {"v": safe})


async def test_p2_the_context_says_all_that_the_step_says(store):
    clock = ManualClock(datetime(2026, 2, 3, tzinfo=UTC))
    context = (await Review(persistence=store, clock=clock).kickoff_async()).context

    assert context.flow_class == f"{Review.__module__}.Review"
    assert (context.method_name, context.method_output, context.message) == ("draft", "draft", "OK?")
    assert (context.emit, context.default_outcome, context.metadata) == (LABELS, "rejected", {"tier": "low"})
    assert context.requested_at == datetime(2026, 2, 3, tzinfo=UTC)
    assert uuid.UUID(context.request_id).version == 4


async def test_p3_without_a_store_the_default_one_is_made(storage):
    flow = Review()
    await flow.kickoff_async()

    resumed = Review.from_pending(flow.flow_id)

    assert (storage / "flows.db").exists()
    assert await resumed.resume_async("approved") == "published draft"


async def test_p3_the_persist_decorators_store_keeps_the_pause():
    store = MemoryFlowPersistence()

    @persist(store)
    class Some(Review):
        pass

    flow = Some()
    await flow.kickoff_async()

    assert [item.method_name for item in store.list_pending(flow.flow_id)] == ["draft"]
    assert await Some.from_pending(flow.flow_id).resume_async("approved") == "published draft"


class StoringProvider:
    """Stores the request itself, though it need not."""

    def __init__(self, store):
        self.store = store

    def request_feedback(self, context, flow):
        self.store.save_pending_feedback(context.flow_id, context, flow.state)
        raise HumanFeedbackPending(context=context)


async def test_p3_a_provider_that_stored_the_request_does_no_harm(store):
    flow = Words(persistence=store)

    class Some(Words):
        @start()
        @human_feedback(message="?", provider=StoringProvider(store))
        def draft(self):
            return "draft"

    flow = Some(persistence=store)
    await flow.kickoff_async()

    assert len(store.list_pending(flow.flow_id)) == 1
    assert await Some.from_pending(flow.flow_id, store).resume_async("fine") == "draft/fine"


async def test_p3_a_request_that_only_a_provider_stored_can_be_resumed(store):
    context = PendingFeedbackContext(
        flow_id="run",
        flow_class=f"{Review.__module__}.Review",
        method_name="draft",
        method_output="draft",
        message="OK?",
        emit=LABELS,
    )
    store.save_pending_feedback("run", context, {"id": "run", "topic": "tea"})

    resumed = Review.from_pending("run", store)

    assert await resumed.resume_async("approved") == "published draft"
    assert resumed.state["topic"] == "tea"
    assert (store.load_run("run").status, store.list_pending("run")) == ("finished", [])


async def test_p3_the_stored_state_is_the_state_at_the_pause(store):
    flow = Review(persistence=store)
    await flow.kickoff_async(inputs={"topic": "tea"})

    resumed = Review.from_pending(flow.flow_id, store)

    assert resumed.state == {"id": flow.flow_id, "topic": "tea", "drafted": 1}


class SecretModel:
    model = "vendor/name"
    api_key = "secret"

    def call(self, messages, **options):
        return "approved"


@pytest.mark.parametrize(
    ("llm", "stored"),
    [
        pytest.param("gpt-4o-mini", "gpt-4o-mini", id="id"),
        pytest.param({"model": "m", "api_key": "secret"}, {"model": "m"}, id="settings"),
        pytest.param(SecretModel(), {"model": "vendor/name"}, id="object"),
    ],
)
async def test_p4_the_model_is_stored_without_secrets(store, llm, stored):
    class Some(Flow):
        @start()
        @human_feedback(message="?", emit=LABELS, default_outcome="rejected", llm=llm, provider=PausingProvider())
        def draft(self):
            return "draft"

    pending = await Some(persistence=store).kickoff_async()

    assert pending.context.llm == stored
    assert "secret" not in store.load_checkpoint(pending.context.flow_id).body


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param({"api_key": "S3CR3T"}, id="key"),
        pytest.param({"auth": "S3CR3T"}, id="other_name"),
        pytest.param({"extra_headers": {"Authorization": "Bearer S3CR3T"}}, id="header"),
        pytest.param({"base_url": "https://user:S3CR3T@host/"}, id="address"),
        pytest.param({"nested": {"deep": [{"value": "S3CR3T"}]}}, id="nested"),
        pytest.param({"timeout": {"token": "S3CR3T"}}, id="in_a_known_setting"),
    ],
)
async def test_p4_no_setting_of_a_model_carries_a_secret_into_the_file(tmp_path, setting):
    llm = {"model": "vendor/name", "temperature": 0.5, "seed": 7, **setting}

    class Some(Flow):
        @start()
        @human_feedback(message="?", emit=LABELS, default_outcome="rejected", llm=llm, provider=PausingProvider())
        def draft(self):
            return "draft"

    store = SQLiteFlowPersistence(tmp_path / "flows.db")
    pending = await Some(persistence=store).kickoff_async()
    store.close()

    assert pending.context.to_dict()["llm"] == {"model": "vendor/name", "temperature": 0.5, "seed": 7}
    assert b"S3CR3T" not in (tmp_path / "flows.db").read_bytes()


async def test_p4_the_live_decorators_model_reads_the_answer(store):
    model = ScriptedLLM(["approved"])

    class Some(Flow):
        @start()
        @human_feedback(message="?", emit=LABELS, default_outcome="rejected", llm=model, provider=PausingProvider())
        def draft(self):
            return "draft"

    flow = Some(persistence=store)
    await flow.kickoff_async()
    resumed = Some.from_pending(flow.flow_id, store)
    await resumed.resume_async("go ahead")

    assert resumed.last_human_feedback.outcome == "approved"
    assert len(model.calls) == 1


def test_p5_nothing_pending_is_a_value_error(store):
    with pytest.raises(ValueError, match="No pending feedback found"):
        Review.from_pending("nobody", store)


async def test_p5_the_instance_stands_where_the_run_stood(store):
    flow = Review(persistence=store)
    pending = await flow.kickoff_async()

    resumed = await Review.from_pending_async(flow.flow_id, store, max_method_calls=5)

    assert resumed.flow_id == flow.flow_id
    assert resumed.pending_feedback.context == pending.context
    assert resumed.pending_feedback.callback_info == {"url": "u"}
    assert [item.context.request_id for item in resumed.pending] == [pending.context.request_id]


async def test_p6_the_listeners_of_the_label_run(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()

    resumed = Review.from_pending(flow.flow_id, store)

    assert await resumed.resume_async("rejected") == "archived: rejected"
    assert resumed.method_outputs == ["draft", "archived: rejected"]


class TwoGates(Flow):
    @start()
    @human_feedback(message="First?", emit=["go", "stop"], default_outcome="stop")
    def first(self):
        return "one"

    @human_feedback(message="Second?")
    @listen("go")
    def second(self):
        return "two"


async def test_p5_a_run_served_by_a_constructors_provider_is_not_asked_at_a_console(store, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: pytest.fail("nobody sits at a terminal"))
    paused = await TwoGates(persistence=store, human_feedback_provider=PausingProvider()).kickoff_async()
    run_id = paused.context.flow_id

    with pytest.raises(MissingProviderError, match=r"TwoGates\.second.*human_feedback_provider=") as caught:
        await (await TwoGates.from_pending_async(run_id, store)).resume_async("", outcome="go")
    later = await TwoGates.continue_async(run_id, persistence=store, human_feedback_provider=PausingProvider())

    assert (caught.value.flow_id, caught.value.method) == (run_id, "second")
    assert (later.context.method_name, later.context.method_output) == ("second", "two")


async def test_p5_gates_with_providers_of_their_own_need_none_at_the_resume(store):
    class Own(Flow):
        @start()
        @human_feedback(message="First?", emit=["go", "stop"], default_outcome="stop", provider=PausingProvider())
        def first(self):
            return "one"

        @human_feedback(message="Second?", provider=ConsoleProvider(input_fn=lambda _: "ok", output_fn=lambda _: None))
        @listen("go")
        def second(self):
            return "two"

    paused = await Own(persistence=store).kickoff_async()
    result = await (await Own.from_pending_async(paused.context.flow_id, store)).resume_async("", outcome="go")

    assert (result.output, result.feedback) == ("two", "ok")


async def test_p6_without_labels_the_listeners_of_the_name_run(store):
    flow = Words(persistence=store)
    await flow.kickoff_async()

    assert await Words.from_pending(flow.flow_id, store).resume_async("fine") == "draft/fine"


class Silent(Flow):
    @start()
    @human_feedback(message="?", emit=LABELS, default_outcome="rejected", provider=PausingProvider())
    def draft(self):
        return "draft"


class SilentWords(Flow):
    @start()
    @human_feedback(message="?", provider=PausingProvider())
    def draft(self):
        return "draft"


async def test_p6_without_listeners_the_output_is_returned(store):
    labelled, free = Silent(persistence=store), SilentWords(persistence=store)
    await labelled.kickoff_async()
    await free.kickoff_async()

    output = await Silent.from_pending(labelled.flow_id, store).resume_async("approved")
    result = await SilentWords.from_pending(free.flow_id, store).resume_async("fine")

    assert output == "draft"
    assert isinstance(result, HumanFeedbackResult)
    assert (result.output, result.feedback) == ("draft", "fine")


class Loop(Flow):
    @start()
    def generate(self):
        return "v0"

    @human_feedback(message="?", emit=["revise", "approved"], default_outcome="revise", provider=PausingProvider())
    @listen(or_("generate", "revise"))
    def review(self):
        self.state["version"] = self.state.get("version", 0) + 1
        return f"v{self.state['version']}"

    @listen("approved")
    def publish(self, result):
        return f"published {result.output}"


async def test_p6_pausing_again_returns_and_stores_a_new_request(store):
    flow = Loop(persistence=store)
    first = await flow.kickoff_async()
    second = await Loop.from_pending(flow.flow_id, store).resume_async("revise")
    third = await Loop.from_pending(flow.flow_id, store).resume_async("")
    last = Loop.from_pending(flow.flow_id, store)

    assert [item.context.method_output for item in (first, second, third)] == ["v1", "v2", "v3"]
    assert len({item.context.request_id for item in (first, second, third)}) == 3
    assert await last.resume_async("approved") == "published v3"
    assert [item.outcome for item in last.human_feedback_history] == ["revise", "revise", "approved"]


async def test_p6_a_decided_label_asks_no_model_and_travels_with_the_words(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store)

    await resumed.resume_async("please no", outcome="approved", by="U123")

    feedback = resumed.last_human_feedback
    assert (feedback.feedback, feedback.outcome, feedback.metadata["by"]) == ("please no", "approved", "U123")


async def test_p6_a_decided_label_with_empty_words_is_not_the_default(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()

    assert await Review.from_pending(flow.flow_id, store).resume_async(outcome="approved") == "published draft"


async def test_p6_a_label_that_the_step_does_not_declare_is_refused(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()

    with pytest.raises(ValueError, match="'maybe'"):
        await Review.from_pending(flow.flow_id, store).resume_async(outcome="maybe")

    assert [item.status for item in store.list_pending(flow.flow_id)] == ["pending"]


async def test_p6_an_edited_output_replaces_the_one_under_review(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store)

    assert await resumed.resume_async("", outcome="approved", output="better") == "published better"
    assert resumed.last_human_feedback.metadata["original_output"] == "draft"
    assert resumed.method_outputs[0] == "better"


async def test_p6_the_result_carries_the_request_as_its_idempotency_key(store):
    flow = Review(persistence=store)
    pending = await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store)
    await resumed.resume_async("approved")

    assert resumed.last_human_feedback.metadata["idempotency_key"] == pending.context.request_id


async def test_p7_resuming_with_nothing_pending_is_a_value_error():
    with pytest.raises(ValueError, match="No pending feedback") as caught:
        await Review().resume_async("approved")

    assert isinstance(caught.value, NoPendingFeedbackError)


async def test_p7_the_paused_instance_itself_may_be_resumed(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()

    assert await flow.resume_async("approved") == "published draft"
    assert store.load_run(flow.flow_id).result == "published draft"


async def test_p8_after_a_resume_nothing_is_pending(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    await Review.from_pending(flow.flow_id, store).resume_async("approved")

    with pytest.raises(ValueError, match="No pending feedback found"):
        Review.from_pending(flow.flow_id, store)


async def test_p9_resume_inside_a_running_loop_names_its_twin():
    with pytest.raises(RunningLoopError, match="resume_async") as caught:
        Review().resume("approved")

    assert isinstance(caught.value, RuntimeError)


def test_p9_resume_works_without_a_loop(store):
    flow = Review(persistence=store)
    flow.kickoff()

    assert Review.from_pending(flow.flow_id, store).resume("approved") == "published draft"


async def test_p10_unclear_words_leave_the_request_pending(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store)

    with pytest.raises(HumanFeedbackCollapseError):
        await resumed.resume_async("hmm")

    assert [item.status for item in store.list_pending(flow.flow_id)] == ["pending"]
    assert await resumed.resume_async("approved") == "published draft"
    assert len(resumed.human_feedback_history) == 1


class Fragile(Review):
    broken = True

    @listen("approved")
    def publish(self, result):
        if type(self).broken:
            raise ConnectionError("down")
        return f"published {result.output}, attempt {self.attempt}"


async def test_p11_a_failing_listener_leaves_the_answer_taken_and_the_run_continuable(store, monkeypatch):
    flow = Fragile(persistence=store)
    await flow.kickoff_async()
    resumed = Fragile.from_pending(flow.flow_id, store)

    with pytest.raises(ConnectionError):
        await resumed.resume_async("approved", by="U1")

    record = store.load_run(flow.flow_id)
    (request,) = store.list_pending(flow.flow_id)
    assert (record.status, record.gate_decided, record.interrupted) == ("failed", True, ("publish",))
    assert (request.status, request.outcome, request.by) == ("decided", "approved", "U1")
    monkeypatch.setattr(Fragile, "broken", False)
    assert await Fragile.continue_async(flow.flow_id, "retry", persistence=store) == "published draft, attempt 2"
    assert store.list_pending(flow.flow_id) == []


async def test_p11_from_pending_says_that_the_answer_is_taken(store):
    flow = Fragile(persistence=store)
    await flow.kickoff_async()
    with pytest.raises(ConnectionError):
        await Fragile.from_pending(flow.flow_id, store).resume_async("approved", by="U1")

    with pytest.raises(AlreadyResumedError) as caught:
        Fragile.from_pending(flow.flow_id, store)

    assert (caught.value.outcome, caught.value.by) == ("approved", "U1")


async def test_p12_of_two_copies_one_runs_and_the_other_is_told(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    one, two = Review.from_pending(flow.flow_id, store), Review.from_pending(flow.flow_id, store)

    results = await asyncio.gather(one.resume_async("approved"), two.resume_async("rejected"), return_exceptions=True)

    assert sorted(type(item) is AlreadyResumedError for item in results) == [False, True]
    assert store.load_run(flow.flow_id).result in ("published draft", "archived: rejected")


async def test_p12_two_answers_at_once_on_one_instance_run_once(store):
    flow = Review(persistence=store)
    await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store)

    results = await asyncio.gather(*(resumed.resume_async("approved") for _ in range(5)), return_exceptions=True)

    assert results.count("published draft") == 1
    assert resumed.state["published"] == 1
    assert sum(isinstance(item, AlreadyResumedError) for item in results) == 4


@pytest.mark.parametrize("when", ["before", "after"])
async def test_p12_the_second_is_told_who_was_first_also_when_the_run_is_over(store, when):
    flow = Review(persistence=store)
    pending = await flow.kickoff_async()
    request_id = pending.context.request_id
    late = Review.from_pending(flow.flow_id, store) if when == "before" else None
    await Review.from_pending(flow.flow_id, store).resume_async("approved", by="ana")

    async def answer_late():
        copy = late or await Review.from_pending_async(flow.flow_id, store, request_id=request_id)
        await copy.resume_async("rejected")

    with pytest.raises(AlreadyResumedError) as caught:
        await answer_late()

    assert (caught.value.outcome, caught.value.by, caught.value.request_id) == ("approved", "ana", request_id)


class Joins(Flow):
    @start()
    def a(self):
        return "from a"

    @start()
    @human_feedback(message="?", provider=PausingProvider())
    def review(self):
        return "draft"

    @listen(and_("a", "review"))
    def both(self, value):
        return (self.method_outputs[0], [item.feedback for item in self.human_feedback_history], value.feedback)


async def test_p13_joins_outputs_and_history_survive_the_pause(store):
    flow = Joins(persistence=store)
    await flow.kickoff_async()

    assert await Joins.from_pending(flow.flow_id, store).resume_async("ok") == ("from a", ["ok"], "ok")


async def test_p13_they_survive_with_the_default_store_too():
    flow = Joins()
    await flow.kickoff_async()

    assert await Joins.from_pending(flow.flow_id).resume_async("ok") == ("from a", ["ok"], "ok")


class Branches(Flow):
    @start()
    @human_feedback(message="One?", emit=["yes1"], default_outcome="yes1", provider=PausingProvider())
    def one(self):
        return 1

    @start()
    @human_feedback(message="Two?", emit=["yes2"], default_outcome="yes2", provider=PausingProvider())
    def two(self):
        return 2

    @start()
    async def sibling(self):
        for _ in range(3):
            await asyncio.get_running_loop().run_in_executor(None, int)
        self.state["sibling"] = "ended"

    @listen("yes1")
    def after_one(self):
        self.state["after"] = [*self.state.get("after", []), "one"]

    @listen("yes2")
    def after_two(self):
        self.state["after"] = [*self.state.get("after", []), "two"]

    @listen(and_("yes1", "yes2"))
    def both(self):
        return self.state["after"]


async def test_p14_siblings_end_and_every_request_is_held(store):
    flow = Branches(persistence=store)
    pending = await flow.kickoff_async()

    assert flow.state["sibling"] == "ended"
    assert {item.context.method_name for item in flow.pending} == {"one", "two"}
    assert pending is flow.pending[0]
    assert len(store.list_pending(flow.flow_id)) == 2


async def test_p14_each_request_is_answered_by_its_own_id(store):
    flow = Branches(persistence=store)
    await flow.kickoff_async()
    by_method = {item.context.method_name: item.context.request_id for item in flow.pending}

    second = Branches.from_pending(flow.flow_id, store, request_id=by_method["two"])
    again = await second.resume_async("yes2")
    last = Branches.from_pending(flow.flow_id, store)

    assert again.context.request_id == by_method["one"]
    assert await last.resume_async("yes1") == ["two", "one"]


async def test_p14_two_open_requests_and_no_id_is_an_error_that_names_them(store):
    flow = Branches(persistence=store)
    await flow.kickoff_async()

    with pytest.raises(AmbiguousRequestError) as caught:
        Branches.from_pending(flow.flow_id, store)

    ids = {item.context.request_id for item in flow.pending}
    assert {request for request, _ in caught.value.requests} == ids
    assert all(request in str(caught.value) for request in ids)
    with pytest.raises(AmbiguousRequestError):
        await flow.resume_async("yes1")


async def test_p14_a_copy_made_before_another_answer_catches_up(store):
    flow = Branches(persistence=store)
    await flow.kickoff_async()
    by_method = {item.context.method_name: item.context.request_id for item in flow.pending}
    one = Branches.from_pending(flow.flow_id, store, request_id=by_method["one"])
    two = Branches.from_pending(flow.flow_id, store, request_id=by_method["two"])

    await one.resume_async("yes1")

    assert await two.resume_async("yes2") == ["one", "two"]


async def test_p14_of_two_answers_at_once_none_is_lost_and_nothing_runs_twice(store):
    flow = Branches(persistence=store)
    await flow.kickoff_async()
    copies = [Branches.from_pending(flow.flow_id, store, request_id=item.context.request_id) for item in flow.pending]

    results = await asyncio.gather(*(copy.resume_async("") for copy in copies), return_exceptions=True)
    if store.load_run(flow.flow_id).status != "finished":
        assert any(isinstance(item, (RunMovedError, RunBusyError)) for item in results)
        await Branches.continue_async(flow.flow_id, "retry", persistence=store)

    record = store.load_run(flow.flow_id)
    assert record.status == "finished"
    assert sorted(record.result) == ["one", "two"]


class Slow(Branches):
    """After the first answer it works until it is told to go on."""

    @listen("yes1")
    async def after_one(self):
        self.working.set()
        await asyncio.wait_for(self.go_on.wait(), 10)
        self.state["after"] = [*self.state.get("after", []), "one"]


@pytest.mark.parametrize("who", ["the same instance", "another process"])
async def test_p14_an_answer_that_comes_while_the_run_is_busy_is_carried_out_by_it(store, who):
    flow = Slow(persistence=store)
    flow.working, flow.go_on = asyncio.Event(), asyncio.Event()
    await flow.kickoff_async()
    by_method = {item.context.method_name: item.context.request_id for item in flow.pending}
    first = Slow.from_pending(flow.flow_id, store, request_id=by_method["one"])
    first.working, first.go_on = flow.working, flow.go_on
    running = asyncio.create_task(first.resume_async("yes1"))
    await flow.working.wait()
    second = (
        first if who == "the same instance" else Slow.from_pending(flow.flow_id, store, request_id=by_method["two"])
    )

    with pytest.raises(RunBusyError) as caught:
        await second.resume_async("yes2", by="bo")
    flow.go_on.set()

    assert caught.value.request_id == by_method["two"]
    assert await running == ["one", "two"]
    assert first.human_feedback_history[-1].metadata["by"] == "bo"
    assert store.load_run(flow.flow_id).status == "finished"


async def test_p14_an_answer_to_a_run_that_broke_off_is_kept_for_whoever_continues_it(store):
    class Breaking(Branches):
        @listen("yes1")
        async def after_one(self):
            if self.attempt == 1:
                raise ConnectionError
            self.state["after"] = [*self.state.get("after", []), "one"]

    flow = Breaking(persistence=store)
    await flow.kickoff_async()
    by_method = {item.context.method_name: item.context.request_id for item in flow.pending}
    with pytest.raises(ConnectionError):
        await Breaking.from_pending(flow.flow_id, store, request_id=by_method["one"]).resume_async("yes1")
    with pytest.raises(RunBusyError):
        await Breaking.from_pending(flow.flow_id, store).resume_async("yes2")

    assert sorted(await Breaking.continue_async(flow.flow_id, persistence=store)) == ["one", "two"]


class Typed(Flow):
    @start()
    @human_feedback(message="?", emit=LABELS, default_outcome="rejected", provider=PausingProvider())
    def draft(self):
        return Thing(n=5)

    @listen("approved")
    def hears(self, result):
        return result.output


async def test_p15_an_outputs_type_survives_the_pause(store):
    flow = Typed(persistence=store)
    await flow.kickoff_async()

    assert await Typed.from_pending(flow.flow_id, store).resume_async("approved") == Thing(n=5)
    assert store.load_run(flow.flow_id).result == Thing(n=5)


@pytest.mark.parametrize("same_instance", [True, False], ids=["same instance", "new instance"])
async def test_p16_a_new_run_does_not_bury_open_requests(store, same_instance):
    flow = Review(persistence=store)
    pending = await flow.kickoff_async(inputs={"id": "x"})
    other = flow if same_instance else Review(persistence=store)

    with pytest.raises(PendingRequestsError, match=pending.context.request_id):
        await other.kickoff_async(inputs={"id": "x"})

    assert await Review.from_pending("x", store).resume_async("approved") == "published draft"


async def test_p16_an_ended_run_may_start_anew_under_its_id(store):
    await Review(persistence=store).kickoff_async(inputs={"id": "x"})
    await Review.from_pending("x", store).resume_async("approved")

    assert isinstance(await Review(persistence=store).kickoff_async(inputs={"id": "x"}), HumanFeedbackPending)
    assert store.load_run("x").gate_decided is False


async def test_p17_who_decided_and_when_is_in_the_history(store):
    clock = ManualClock(datetime(2026, 2, 3, tzinfo=UTC))
    flow = Review(persistence=store)
    await flow.kickoff_async()
    resumed = Review.from_pending(flow.flow_id, store, clock=clock)
    await resumed.resume_async("approved", by="ana")

    (item,) = resumed.human_feedback_history
    assert (item.metadata["by"], item.timestamp) == ("ana", datetime(2026, 2, 3, tzinfo=UTC))


class PendingOnly(FlowPersistence):
    """A user's store with the documented six methods."""

    def __init__(self):
        self.states: dict[str, Any] = {}
        self.rows: dict[str, Any] = {}

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


async def test_a_store_with_the_documented_methods_pauses_and_resumes(caplog):
    store = PendingOnly()
    flow = Loop(persistence=store)
    await flow.kickoff_async()
    await Loop.from_pending(flow.flow_id, store).resume_async("revise")

    assert await Loop.from_pending(flow.flow_id, store).resume_async("approved") == "published v2"
    assert store.rows == {}
    assert len([record for record in caplog.records if "no checkpoints" in record.getMessage()]) == 1


async def test_a_store_with_the_documented_methods_lets_one_answer_through():
    store = PendingOnly()
    flow = Review(persistence=store)
    await flow.kickoff_async()
    copies = [Review.from_pending(flow.flow_id, store) for _ in range(3)]

    results = await asyncio.gather(*(copy.resume_async("approved") for copy in copies), return_exceptions=True)

    assert results.count("published draft") == 1
    assert sum(isinstance(item, AlreadyResumedError) for item in results) == 2


async def test_a_store_without_checkpoints_cannot_continue():
    store = PendingOnly()
    flow = Review(persistence=store)
    await flow.kickoff_async()

    with pytest.raises(CannotContinueError, match="no checkpoints"):
        await Review.continue_async(flow.flow_id, persistence=store)


def test_the_default_store_is_one_file_for_all(storage):
    assert SQLiteFlowPersistence().db_path == storage / "flows.db"
