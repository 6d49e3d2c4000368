"""Section 12 of the engine's rules: a run as ordered frames (the parts that need no conversation)."""

import asyncio
import threading
from dataclasses import dataclass
from typing import ClassVar

import pytest

from flows import AsyncStreamSession, Flow, HumanFeedbackPending, StreamSession, human_feedback, listen, start
from flows.engine.stream import CLOSE_WAIT_S
from flows.events import FlowEvent
from flows.frames import channel_of
from flows.testing import PausingProvider


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk(FlowEvent):
    type: ClassVar[str] = "llm_stream_chunk"
    chunk: str


class Some(Flow):
    @start()
    def begin(self):
        self.emit(Chunk(flow_name="Some", flow_id=self.flow_id, chunk="he"))
        self.emit(Chunk(flow_name="Some", flow_id=self.flow_id, chunk="llo"))
        return "hello"

    @listen(begin)
    def end(self, value):
        return value + "!"


TYPES = [
    "flow_started",
    "method_execution_started",
    "llm_stream_chunk",
    "llm_stream_chunk",
    "method_execution_finished",
    "method_execution_started",
    "method_execution_finished",
    "flow_finished",
]


async def read(session, channels=None):
    return [frame async for frame in session.subscribe(channels)]


def test_f1_with_stream_set_kickoff_gives_a_session_and_runs_nothing():
    flow = Some(stream=True)
    session = flow.kickoff()

    assert isinstance(session, StreamSession)
    assert flow.method_outputs == []
    assert [frame.type for frame in session] == TYPES
    assert session.result == "hello!"


async def test_f1_the_async_kickoff_gives_an_async_session():
    flow = Some(stream=True)
    session = await flow.kickoff_async(inputs={"n": 1})

    assert isinstance(session, AsyncStreamSession)
    assert flow.method_outputs == []
    assert [frame.type for frame in await read(session)] == TYPES
    assert session.result == "hello!"
    assert flow.state["n"] == 1


async def test_f1_a_stream_may_be_asked_for_without_the_flag():
    flow = Some()
    sync_types = [frame.type for frame in Some().stream_events()]
    async_types = [frame.type async for frame in flow.astream()]

    assert sync_types == async_types == TYPES
    assert await flow.kickoff_async() == "hello!"


def test_f2_a_frame_says_what_it_is_and_where_it_stands():
    frames = list(Some().stream_events())
    chunk = frames[2]

    assert [frame.seq for frame in frames] == list(range(1, len(TYPES) + 1))
    assert (chunk.channel, chunk.content, chunk.event) == ("llm", "he", chunk.data)
    assert frames[0].content == ""
    assert [frame.previous_id for frame in frames] == [None, *(frame.id for frame in frames[:-1])]
    assert frames[1].namespace == ["flow", "Some", "begin"]
    assert (frames[0].parent_id, frames[1].parent_id, frames[4].parent_id) == (None, frames[0].id, frames[1].id)


@pytest.mark.parametrize(
    ("event_type", "channel"),
    [
        ("llm_stream_chunk", "llm"),
        ("conversation_message_added", "messages"),
        ("conversation_turn_started", "flow"),
        ("flow_finished", "flow"),
        ("method_execution_failed", "flow"),
        ("human_feedback_requested", "flow"),
        ("tool_usage_started", "tools"),
        ("memory_save_failed", "lifecycle"),
        ("some_error", "lifecycle"),
        ("my_event", "custom"),
    ],
)
def test_f3_each_event_has_its_channel(event_type, channel):
    assert channel_of(event_type) == channel


def test_f4_a_filtered_view_gathers_all_frames_and_every_view_replays():
    session = Some().stream_events()

    contents = [frame.content for frame in session.llm]

    assert contents == ["he", "llo"]
    assert [frame.type for frame in session.frames] == TYPES
    assert [frame.content for frame in session.llm] == ["he", "llo"]
    assert [frame.type for frame in session.interleave(["llm", "flow"])] == TYPES
    assert list(session.messages) == list(session.tools) == []
    assert [frame.type for frame in session.events] == TYPES


async def test_f4_the_async_views_do_the_same():
    session = Some().astream()

    contents = [frame.content async for frame in session.llm]

    assert contents == ["he", "llo"]
    assert [frame.type async for frame in session.interleave(["llm", "flow"])] == TYPES
    assert [frame.type async for frame in session.flow] == [name for name in TYPES if not name.startswith("llm")]


def test_f4_the_result_before_the_end_is_an_error():
    session = Some().stream_events()

    with pytest.raises(RuntimeError, match="Streaming has not completed yet"):
        _ = session.result


def test_f4_the_session_tells_how_far_it_is():
    session = Some().stream_events()
    before = (session.is_completed, session.is_exhausted, session.is_cancelled)
    list(session)

    assert before == (False, False, False)
    assert (session.is_completed, session.is_exhausted, session.is_cancelled) == (True, True, False)


class Failing(Flow):
    @start()
    def begin(self):
        raise ValueError("no")


def test_f4_an_error_comes_after_its_frames_and_again_with_the_result():
    session, types = Failing().stream_events(), []

    with pytest.raises(ValueError, match="no"):
        types.extend(frame.type for frame in session)
    with pytest.raises(ValueError, match="no"):
        _ = session.result

    assert types == ["flow_started", "method_execution_started", "method_execution_failed", "flow_failed"]


async def test_f4_an_async_error_comes_after_its_frames():
    session = Failing().astream()

    with pytest.raises(ValueError, match="no"):
        await read(session)

    assert [frame.type for frame in session.frames][-1] == "flow_failed"


class Pausing(Flow):
    @start()
    @human_feedback(message="?", provider=PausingProvider())
    def begin(self):
        return "draft"


def test_f4_a_paused_run_has_the_pending_request_as_its_result(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOWS_STORAGE_DIR", str(tmp_path))
    session = Pausing(stream=True).kickoff()
    types = [frame.type for frame in session]

    assert isinstance(session.result, HumanFeedbackPending)
    assert types[-1] == "flow_paused"


class Patient(Flow):
    """Says something from its thread and waits until that was read."""

    @start()
    def begin(self):
        self.emit(Chunk(flow_name="Patient", flow_id=self.flow_id, chunk="now"))
        return self.was_read.wait(10)


async def test_f4_what_a_sync_step_says_is_read_while_it_runs():
    flow = Patient()
    flow.was_read = threading.Event()
    session = flow.astream()
    async for frame in session:
        if frame.content == "now":
            flow.was_read.set()

    assert session.result is True


def test_f4_a_sync_reader_reads_it_while_it_runs_too():
    flow = Patient()
    flow.was_read = threading.Event()
    session = flow.stream_events()
    for _ in session.llm:
        flow.was_read.set()

    assert session.result is True


async def test_f7_concurrent_streams_do_not_see_each_other():
    first, second = Some().astream(), Some().astream()

    one, two = await asyncio.gather(read(first), read(second))

    assert [frame.seq for frame in one] == [frame.seq for frame in two] == list(range(1, len(TYPES) + 1))
    assert len({frame.data["flow_id"] for frame in one}) == 1


class Waiting(Flow):
    """Stays in its step until it is cancelled."""

    @start()
    async def begin(self):
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()


def test_f8_leaving_a_sync_stream_early_cancels_the_run():
    flow = Waiting()
    flow.stopped = threading.Event()

    with flow.stream_events() as session:
        first = next(iter(session))

    assert first.type == "flow_started"
    assert flow.stopped.wait(5)
    assert (session.is_cancelled, session.is_completed) == (True, False)
    session.close()


def test_f8_a_run_that_does_not_stop_does_not_hang_close():
    class Hung(Flow):
        @start()
        def begin(self):
            self.released.wait(20)

    flow = Hung()
    flow.released = threading.Event()
    session = flow.stream_events()
    frames = iter(session)
    next(frames)

    session.close(timeout=0.01)
    was_released = flow.released.is_set()
    flow.released.set()

    assert session.is_cancelled
    assert not was_released
    assert CLOSE_WAIT_S < 10


async def test_f8_closing_an_async_stream_cancels_the_task():
    flow = Waiting()
    flow.stopped = asyncio.Event()

    async with flow.astream() as session:
        async for _ in session:
            break

    assert flow.stopped.is_set()
    assert session.is_cancelled
    await session.close()


def test_f8_a_session_that_was_never_read_closes_without_running():
    flow = Some()
    session = flow.stream_events()
    session.close()

    assert list(session) == []
    assert flow.method_outputs == []


def test_f9_frames_are_the_flows_own_and_nothing_else():
    assert {frame.channel for frame in Some().stream_events()} == {"flow", "llm"}
