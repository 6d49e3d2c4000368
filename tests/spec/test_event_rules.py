"""Section 13 of the engine's rules: what a run tells the world, and in which order."""

import pytest
from pydantic import BaseModel

from flows import Flow, SQLiteFlowPersistence, human_feedback, listen, start
from flows.model_events import LLMStreamChunk, LLMThinkingChunk, ToolUsageError, ToolUsageFinished, ToolUsageStarted
from flows.testing import PausingProvider, RecordingProvider, ScriptedLLM


class Two(Flow):
    @start()
    def begin(self):
        self.state["n"] = 1
        return "one"

    @listen(begin)
    def end(self, value):
        self.state["n"] = 2
        return value + " two"


class Failing(Flow):
    @start()
    def begin(self):
        raise ValueError("no")


class Reviewed(Flow):
    @start()
    @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no")
    def review(self):
        return "draft"

    @listen("yes")
    def end(self, result):
        return "end"


def types(events):
    return [event.type for event in events]


def test_e1_events_name_the_flow_its_run_and_the_method():
    events = []
    flow = Two(on_event=events.append)
    flow.kickoff()

    assert {(event.flow_name, event.flow_id) for event in events} == {("Two", flow.flow_id)}
    assert [event.method_name for event in events if event.type.startswith("method")] == ["begin"] * 2 + ["end"] * 2


def free_text(*answers):
    """A flow whose answer a model reads, and the events of its run."""
    events = []

    class Read(Flow):
        @start()
        @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no", llm=ScriptedLLM(answers))
        def review(self):
            return "draft"

    provider = RecordingProvider(["I would say so"])
    return Read(human_feedback_provider=provider, on_event=events.append), events


def test_e1a_a_models_call_is_told_from_start_to_end():
    flow, events = free_text("yes")
    flow.kickoff()
    started, completed = [event for event in events if event.type.startswith("llm_")]

    assert [started.type, completed.type] == ["llm_call_started", "llm_call_completed"]
    assert started.call_id == completed.call_id
    assert (started.method_name, started.model, completed.response) == ("review", "scripted", "yes")
    assert "I would say so" in started.messages


def test_e1a_a_failing_call_is_told_and_so_is_the_one_in_plain_words():
    flow, events = free_text(OSError("down"), "yes")
    flow.kickoff()
    told = [event for event in events if event.type.startswith("llm_")]

    assert types(told) == ["llm_call_started", "llm_call_failed", "llm_call_started", "llm_call_completed"]
    assert told[1].error == "OSError: down"
    assert len({event.call_id for event in told}) == 2


async def test_e1a_a_call_at_the_resume_is_told_too(store):
    events = []

    class Read(Flow):
        @start()
        @human_feedback(
            message="OK?", emit=["yes", "no"], default_outcome="no", llm=ScriptedLLM(["no"]), provider=PausingProvider()
        )
        def review(self):
            return "draft"

    paused = await Read(persistence=store).kickoff_async()
    flow = await Read.from_pending_async(paused.context.flow_id, store, on_event=events.append)
    await flow.resume_async("rather not")

    assert [event.type for event in events if event.type.startswith("llm_")] == [
        "llm_call_started",
        "llm_call_completed",
    ]


@pytest.mark.parametrize(
    ("event", "name", "channel"),
    [
        (LLMStreamChunk, "llm_stream_chunk", "llm"),
        (LLMThinkingChunk, "llm_thinking_chunk", "llm"),
        (ToolUsageStarted, "tool_usage_started", "tools"),
        (ToolUsageFinished, "tool_usage_finished", "tools"),
        (ToolUsageError, "tool_usage_error", "tools"),
    ],
)
def test_e1a_a_step_tells_of_its_own_models_and_tools_by_their_public_names(event, name, channel):
    extra = {"call_id": "c1", "chunk": "he"} if channel == "llm" else {"tool_name": "search"}
    extra |= {"error": "no"} if event is ToolUsageError else {}

    class Some(Flow):
        @start()
        def begin(self):
            self.emit(event(flow_name=self.name or "", flow_id=self.flow_id, method_name="begin", **extra))

    (frame,) = [frame for frame in Some().stream_events() if frame.type == name]

    assert (frame.channel, frame.content) == (channel, "he" if channel == "llm" else "")


def test_e2_a_plain_run():
    events = []
    Two(on_event=events.append).kickoff()

    assert types(events) == [
        "flow_created",
        "flow_started",
        "method_execution_started",
        "method_execution_finished",
        "method_execution_started",
        "method_execution_finished",
        "flow_finished",
    ]
    assert events[4].params == ["one"]
    assert (events[-1].result, events[-1].state["n"]) == ("one two", 2)


def test_e2_a_failure():
    events = []
    with pytest.raises(ValueError, match="no"):
        Failing(on_event=events.append).kickoff()

    assert types(events)[2:] == ["method_execution_started", "method_execution_failed", "flow_failed"]
    assert [event.error for event in events if event.type.endswith("failed")] == ["ValueError: no"] * 2


async def test_e2_a_pause_and_its_resume(tmp_path):
    store, before, after = SQLiteFlowPersistence(tmp_path / "flows.db"), [], []
    flow = Reviewed(persistence=store, human_feedback_provider=PausingProvider(), on_event=before.append)
    pending = await flow.kickoff_async()
    resumed = Reviewed.from_pending(flow.flow_id, store, on_event=after.append)
    await resumed.resume_async("yes", by="ana")

    assert types(before) == [
        "flow_created",
        "flow_started",
        "method_execution_started",
        "human_feedback_requested",
        "method_execution_paused",
        "flow_paused",
    ]
    assert types(after) == [
        "flow_created",
        "flow_started",
        "method_execution_started",
        "human_feedback_received",
        "method_execution_finished",
        "method_execution_started",
        "method_execution_finished",
        "flow_finished",
    ]
    assert before[-1].request_ids == (pending.context.request_id,)


@pytest.mark.parametrize("flow", [Two, Failing], ids=["finished", "failed"])
def test_e2_suppressed_runs_keep_the_flows_own_pair(flow):
    events = []
    try:
        flow(suppress_flow_events=True, on_event=events.append).kickoff()
    except ValueError:
        events = [*events]

    assert types(events)[:2] == ["flow_created", "flow_started"]
    assert types(events)[2:] in (["flow_finished"], ["flow_failed"])


class Model(BaseModel):
    tags: set[str] = {"a"}


def test_e3_an_events_state_is_in_jsons_types_and_not_alive():
    class Some(Flow[Model]):
        @start()
        def begin(self):
            return {"t": ("x",)}

    events = []
    flow = Some(on_event=events.append)
    flow.kickoff()
    flow.state.tags.add("b")

    assert events[-1].state == {"tags": ["a"], "id": flow.flow_id}
    assert events[-1].result == {"t": ["x"]}


@pytest.mark.parametrize("inputs", [None, {"a": 1}], ids=["none", "some"])
def test_e3_the_start_says_what_kickoff_got(inputs):
    events = []
    Two(on_event=events.append).kickoff(inputs=inputs)

    assert events[1].inputs == inputs


def test_e4_every_provider_is_told_of_with_outcome_and_request():
    events = []
    provider = RecordingProvider(["yes"])
    Reviewed(human_feedback_provider=provider, on_event=events.append).kickoff()

    requested, received = [event for event in events if event.type.startswith("human_feedback")]
    assert (requested.message, requested.output, requested.emit) == ("OK?", "draft", ("yes", "no"))
    assert (received.feedback, received.outcome) == ("yes", "yes")
    assert requested.request_id == received.request_id == provider.contexts[0].request_id


def test_a_listener_may_stop_and_a_failing_one_changes_nothing(caplog):
    events = []

    def failing(event):
        raise RuntimeError("listener")

    flow = Two()
    flow.on_event(failing)
    stop = flow.on_event(events.append)
    flow.kickoff()
    heard = len(events)
    stop()
    stop()

    assert flow.kickoff() == "one two"
    assert len(events) == heard > 0
    assert "listener" in caplog.text
