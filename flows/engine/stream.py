"""A run as an ordered stream of frames, for sync and for async readers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextvars import copy_context
from typing import Any, Self

from flows.engine.run import FlowRun
from flows.events import FlowEvent
from flows.frames import FrameMaker, StreamFrame

Start = Callable[[], Awaitable[Any]]
"""Runs the flow to its end or pause."""

CLOSE_WAIT_S = 5.0
"""How long close() waits for a run that does not stop; its thread may then outlive the stream."""


class StreamNotCompletedError(RuntimeError):
    """A stream's result was read before its end."""

    def __init__(self) -> None:
        super().__init__("Streaming has not completed yet. Read the stream to its end before its result.")


class _Outcome:
    """What a stream has gathered so far, and how the run ended."""

    def __init__(self, run: FlowRun) -> None:
        self._run = run
        self._maker = FrameMaker()
        self.frames: list[StreamFrame] = []
        self.is_started = self.is_over = self.is_exhausted = self.is_cancelled = False
        self.value: Any = None
        self.error: BaseException | None = None

    def hear(self, event: FlowEvent) -> None:
        self.frames.append(self._maker.make(event))

    async def carry_out(self, start: Start, heard: Callable[[FlowEvent], None]) -> None:
        self._run.listeners.append(heard)
        try:
            self.value = await start()
        except BaseException as error:  # noqa: BLE001 - handed to the reader, unchanged
            self.error = error
        finally:
            self._run.listeners.remove(heard)
            self.is_over = True

    def result(self) -> Any:
        if not self.is_over or self.is_cancelled:
            raise StreamNotCompletedError
        if self.error is not None:
            raise self.error
        return self.value


class _Session:
    """What sync and async sessions tell about themselves."""

    def __init__(self, run: FlowRun) -> None:
        self._outcome = _Outcome(run)

    @property
    def frames(self) -> list[StreamFrame]:
        """The frames so far."""
        return list(self._outcome.frames)

    @property
    def result(self) -> Any:
        """What kickoff returns without a stream: the last output, or a HumanFeedbackPending.

        Raises StreamNotCompletedError (a RuntimeError) before the end, and the run's own error.
        """
        return self._outcome.result()

    @property
    def is_completed(self) -> bool:
        """Whether the run has ended or paused by itself."""
        return self._outcome.is_over and not self._outcome.is_cancelled

    @property
    def is_exhausted(self) -> bool:
        """Whether a reader has reached the end."""
        return self._outcome.is_exhausted

    @property
    def is_cancelled(self) -> bool:
        """Whether the stream was closed before its end."""
        return self._outcome.is_cancelled


class StreamSession(_Session):
    """A run that goes on in a thread while its frames are read. Nothing runs until the first frame is asked for.

    Every iteration starts at the first frame, so that a view read late, or again, shows all of its frames.
    """

    def __init__(self, run: FlowRun, start: Start) -> None:
        super().__init__(run)
        self._start = start
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def __iter__(self) -> Iterator[StreamFrame]:
        return self.subscribe(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_exhausted:
            self.close()

    @property
    def events(self) -> Iterator[StreamFrame]:
        """All frames."""
        return self.subscribe(None)

    @property
    def llm(self) -> Iterator[StreamFrame]:
        """Frames of language models."""
        return self.subscribe(["llm"])

    @property
    def messages(self) -> Iterator[StreamFrame]:
        """Messages added to the conversation."""
        return self.subscribe(["messages"])

    @property
    def flow(self) -> Iterator[StreamFrame]:
        """Frames of the flow and its methods."""
        return self.subscribe(["flow"])

    @property
    def tools(self) -> Iterator[StreamFrame]:
        """Frames of tools."""
        return self.subscribe(["tools"])

    def interleave(self, channels: Sequence[str]) -> Iterator[StreamFrame]:
        """Frames of these channels, in the order of the stream."""
        return self.subscribe(channels)

    def subscribe(self, channels: Collection[str] | None) -> Iterator[StreamFrame]:
        """Frames of these channels, or all; the run's error is raised after its last frame."""
        at = 0
        self._begin()
        while True:
            with self._changed:
                self._changed.wait_for(lambda seen=at: len(self._outcome.frames) > seen or self._outcome.is_over)
                new, is_over = self._outcome.frames[at:], self._outcome.is_over
            at += len(new)
            yield from (frame for frame in new if channels is None or frame.channel in channels)
            if is_over and at == len(self._outcome.frames):
                break
        self._outcome.is_exhausted = True
        if self._outcome.error is not None and not self._outcome.is_cancelled:
            raise self._outcome.error

    def close(self, timeout: float = CLOSE_WAIT_S) -> None:
        """Cancels a run that is still going and waits for it, at most timeout seconds; harmless when repeated."""
        if self._outcome.is_over or self._outcome.is_cancelled:
            return
        self._outcome.is_cancelled = True
        if self._thread is None:
            self._outcome.is_over = True
            return
        with self._changed:
            loop, task = self._loop, self._task
            if loop is not None and task is not None and not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)
        self._thread.join(timeout)

    def _begin(self) -> None:
        with self._changed:
            if self._outcome.is_started or self._outcome.is_cancelled:
                return
            self._outcome.is_started = True
            context = copy_context()
            # A daemon, so that a run that never stops does not keep the process alive after close() gave up.
            self._thread = threading.Thread(
                target=context.run, args=(asyncio.run, self._carry_out()), name="flow-stream", daemon=True
            )
        self._thread.start()

    async def _carry_out(self) -> None:
        work = asyncio.ensure_future(self._outcome.carry_out(self._start, self._hear))
        with self._changed:
            self._loop, self._task = asyncio.get_running_loop(), work
            if self._outcome.is_cancelled:
                work.cancel()
        await asyncio.wait([work])
        with self._changed:
            self._outcome.is_over = True
            self._loop = self._task = None
            self._changed.notify_all()

    def _hear(self, event: FlowEvent) -> None:
        with self._changed:
            self._outcome.hear(event)
            self._changed.notify_all()


class AsyncStreamSession(_Session):
    """A run that goes on in a task while its frames are read. Nothing runs until the first frame is asked for."""

    def __init__(self, run: FlowRun, start: Start) -> None:
        super().__init__(run)
        self._start = start
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread_id: int | None = None

    def __aiter__(self) -> AsyncIterator[StreamFrame]:
        return self.subscribe(None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if not self.is_exhausted:
            await self.aclose()

    @property
    def events(self) -> AsyncIterator[StreamFrame]:
        """All frames."""
        return self.subscribe(None)

    @property
    def llm(self) -> AsyncIterator[StreamFrame]:
        """Frames of language models."""
        return self.subscribe(["llm"])

    @property
    def messages(self) -> AsyncIterator[StreamFrame]:
        """Messages added to the conversation."""
        return self.subscribe(["messages"])

    @property
    def flow(self) -> AsyncIterator[StreamFrame]:
        """Frames of the flow and its methods."""
        return self.subscribe(["flow"])

    @property
    def tools(self) -> AsyncIterator[StreamFrame]:
        """Frames of tools."""
        return self.subscribe(["tools"])

    def interleave(self, channels: Sequence[str]) -> AsyncIterator[StreamFrame]:
        """Frames of these channels, in the order of the stream."""
        return self.subscribe(channels)

    async def subscribe(self, channels: Collection[str] | None) -> AsyncIterator[StreamFrame]:
        """Frames of these channels, or all; the run's error is raised after its last frame."""
        at = 0
        self._begin()
        while True:
            while at < len(self._outcome.frames):
                frame = self._outcome.frames[at]
                at += 1
                if channels is None or frame.channel in channels:
                    yield frame
            if self._outcome.is_over:
                break
            self._changed.clear()
            await self._changed.wait()
        self._outcome.is_exhausted = True
        if self._outcome.error is not None and not self._outcome.is_cancelled:
            raise self._outcome.error

    async def aclose(self) -> None:
        """Cancels a run that is still going and waits for it; harmless when repeated."""
        if self._outcome.is_over or self._outcome.is_cancelled:
            return
        self._outcome.is_cancelled = True
        if self._task is None:
            self._outcome.is_over = True
        else:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """The same as `aclose`."""
        await self.aclose()

    def _begin(self) -> None:
        if self._outcome.is_started or self._outcome.is_cancelled:
            return
        self._outcome.is_started = True
        self._loop, self._thread_id = asyncio.get_running_loop(), threading.get_ident()
        self._task = asyncio.create_task(self._outcome.carry_out(self._start, self._hear), name="flow-stream")
        self._task.add_done_callback(lambda _: self._finish())

    def _finish(self) -> None:
        self._outcome.is_over = True
        self._changed.set()

    def _hear(self, event: FlowEvent) -> None:
        if self._thread_id == threading.get_ident():
            self._add(event)
        elif self._loop is not None:
            # A sync step tells of something from its own thread; the loop keeps the order.
            self._loop.call_soon_threadsafe(self._add, event)

    def _add(self, event: FlowEvent) -> None:
        self._outcome.hear(event)
        self._changed.set()
