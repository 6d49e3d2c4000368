"""Section 10 of the engine's rules: a line of text from a person, in the middle of a step."""

import asyncio
import threading

import pytest

from flows import ConsoleProvider, Flow, MemoryFlowPersistence, ProviderError, flow_config, persist, start
from flows.types import InputResponse


class Scripted:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def request_input(self, message, flow, metadata=None):
        self.asked.append((message, metadata))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class ScriptedAsync(Scripted):
    async def request_input(self, message, flow, metadata=None):
        return super().request_input(message, flow, metadata)


class Asking(Flow):
    @start()
    def begin(self):
        return ("answer", self.ask("Name?", metadata={"k": 1}))


class AskingAsync(Flow):
    @start()
    async def begin(self):
        return ("answer", await self.ask_async("Name?", metadata={"k": 1}))


class BlockingInAsync(Flow):
    @start()
    async def begin(self):
        return ("answer", self.ask("Name?", metadata={"k": 1}))


KINDS = pytest.mark.parametrize("flow", [Asking, AskingAsync, BlockingInAsync])


@KINDS
@pytest.mark.parametrize("provider", [Scripted, ScriptedAsync])
@pytest.mark.parametrize(
    ("given", "answer"),
    [
        pytest.param("Ana", "Ana", id="text"),
        pytest.param("", "", id="enter"),
        pytest.param(None, None, id="no answer"),
        pytest.param(InputResponse("Ana", {"by": "U1"}), "Ana", id="response"),
        pytest.param(RuntimeError("down"), None, id="failing provider"),
    ],
)
def test_a1_the_step_gets_the_answer(flow, provider, given, answer):
    asked = provider(given)

    assert flow(input_provider=asked).kickoff() == ("answer", answer)
    assert asked.asked == [("Name?", {"k": 1})]


class Silent:
    """Never answers until it is released."""

    def __init__(self):
        self.release = threading.Event()

    def request_input(self, message, flow, metadata=None):
        self.release.wait(20)
        return "too late"


def test_a1_a_timeout_returns_promptly_though_the_provider_lingers():
    class Some(Flow):
        @start()
        def begin(self):
            return ("answer", self.ask("Name?", timeout=0.01))

    provider = Silent()
    result = Some(input_provider=provider).kickoff()
    lingered = not provider.release.is_set()
    provider.release.set()

    assert result == ("answer", None)
    assert lingered


class Endless:
    """Waits on the loop until it is cancelled."""

    def __init__(self):
        self.asked, self.taken_back = asyncio.Event(), asyncio.Event()

    async def request_input(self, message, flow, metadata=None):
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.taken_back.set()
            raise


async def test_a1_a_timeout_cancels_an_async_provider():
    class Some(Flow):
        @start()
        async def begin(self):
            answer = await self.ask_async("Name?", timeout=0.01)
            await asyncio.get_running_loop().run_in_executor(None, int)
            return answer

    provider = Endless()
    await Some(input_provider=provider).kickoff_async()

    assert provider.taken_back.is_set()


async def test_a1_a_cancelled_run_takes_its_question_back_from_an_async_provider():
    provider = Endless()
    run = asyncio.create_task(AskingAsync(input_provider=provider).kickoff_async())
    await provider.asked.wait()
    run.cancel()

    async with asyncio.timeout(5):
        await provider.taken_back.wait()
    await asyncio.wait([run])
    assert run.cancelled()


class Here:
    """Tells the loop it is called on."""

    async def request_input(self, message, flow, metadata=None):
        self.loop = asyncio.get_running_loop()
        return "Ana"


async def test_a1_a_sync_step_asks_an_async_provider_on_the_runs_own_loop():
    provider = Here()
    await Asking(input_provider=provider).kickoff_async()

    assert provider.loop is asyncio.get_running_loop()


def test_a2_the_flows_provider_comes_before_the_configured_one(monkeypatch):
    configured = Scripted("configured")
    monkeypatch.setattr(flow_config, "input_provider", configured)

    assert Asking(input_provider=Scripted("own")).kickoff() == ("answer", "own")
    assert Asking().kickoff() == ("answer", "configured")


def test_a2_the_provider_may_be_set_on_the_instance():
    flow = Asking()
    flow.input_provider = Scripted("set")

    assert flow.kickoff() == ("answer", "set")


def test_a2_an_object_that_cannot_ask_is_named():
    with pytest.raises(ProviderError, match="request_input"):
        Asking(input_provider=object()).kickoff()


@pytest.mark.parametrize("name", ["input_history", "_input_history"])
def test_a3_every_question_is_recorded(name):
    flow = Asking(input_provider=Scripted(InputResponse("Ana", {"by": "U1"})))
    flow.kickoff()

    (entry,) = getattr(flow, name)
    assert entry.pop("timestamp").utcoffset() is not None
    assert entry == {
        "message": "Name?",
        "response": "Ana",
        "method_name": "begin",
        "metadata": {"k": 1},
        "response_metadata": {"by": "U1"},
    }


class Recording(MemoryFlowPersistence):
    def __init__(self, *, fails=False):
        super().__init__()
        self.saved, self.fails = [], fails

    def save_state(self, flow_uuid, method_name, state_data):
        if self.fails and method_name == "_ask_checkpoint":
            raise OSError("disk full")
        self.saved.append(method_name)
        super().save_state(flow_uuid, method_name, state_data)


def test_a4_the_state_is_saved_before_the_wait():
    store = Recording()

    @persist(store)
    class Some(Asking):
        pass

    Some(input_provider=Scripted("Ana")).kickoff()

    assert store.saved == ["_ask_checkpoint", "begin"]


def test_a4_a_failing_save_does_not_matter():
    store = Recording(fails=True)

    assert Asking(input_provider=Scripted("Ana"), persistence=store).kickoff() == ("answer", "Ana")


@pytest.mark.parametrize("answer", ["Ana", None], ids=["answer", "none"])
def test_a5_events_tell_of_the_question_and_the_answer(answer):
    events = []
    Asking(input_provider=Scripted(answer), on_event=events.append).kickoff()

    requested, received = [event for event in events if event.type.startswith("flow_input")]
    assert (requested.message, requested.metadata, requested.method_name) == ("Name?", {"k": 1}, "begin")
    assert (received.message, received.response) == ("Name?", answer)


async def test_a6_the_awaitable_twin_lets_siblings_go_on():
    class Some(Flow):
        @start()
        async def asks(self):
            return await self.ask_async("Name?")

        @start()
        async def sibling(self):
            self.provider.release.set()

    flow = Some()
    flow.provider = flow.input_provider = Silent()
    await flow.kickoff_async()

    assert "too late" in flow.method_outputs


async def test_a6_a_sync_step_lets_siblings_go_on_too():
    class Some(Flow):
        @start()
        def asks(self):
            return self.ask("Name?")

        @start()
        async def sibling(self):
            self.provider.release.set()

    flow = Some()
    flow.provider = flow.input_provider = Silent()
    await flow.kickoff_async()

    assert "too late" in flow.method_outputs


@pytest.mark.parametrize(
    ("verbose", "shown"),
    [pytest.param(True, ["Name?", "", ">>> "], id="verbose"), pytest.param(False, ["Name? "], id="one line")],
)
def test_a7_the_console_shows_the_question(verbose, shown):
    seen = []

    def read(prompt):
        seen.append(prompt)
        return "  Ana "

    provider = ConsoleProvider(input_fn=read, output_fn=seen.append, verbose=verbose)

    assert Asking(input_provider=provider).kickoff() == ("answer", "Ana")
    assert seen == shown


async def test_a1_an_error_beside_it_takes_a_question_back():
    asked, never = threading.Event(), threading.Event()

    class Waits:
        def request_input(self, message, flow, metadata=None):
            asked.set()
            never.wait(30)

    class Some(Flow):
        @start()
        def asks(self):
            return self.ask("Name?")

        @start()
        async def fails(self):
            await asyncio.to_thread(asked.wait)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Some(input_provider=Waits()).kickoff_async()
    never.set()
