"""The patterns of the human feedback guides, in programs of our own that always run."""

import sys

import pytest
from pydantic import BaseModel

from flows import (
    ConsoleProvider,
    Flow,
    HumanFeedbackPending,
    HumanFeedbackProvider,
    HumanFeedbackResult,
    MemoryFlowPersistence,
    NoPendingFeedbackError,
    PendingFeedbackContext,
    human_feedback,
    listen,
    or_,
    start,
)
from flows.testing import RecordingProvider, ScriptedLLM
from tests.spec.documents_running import Crew, Desk, Terminal


class Recipe(BaseModel):
    text: str = ""
    tasted: int = 0
    served: bool = False


def kitchen(llm):
    """A dish that is tasted until it is good: structured state, a self-loop, three labels."""

    class Kitchen(Flow[Recipe]):
        @start()
        def cook(self):
            self.state.text = "soup"
            return self.state.text

        @human_feedback(
            message="How does it taste?",
            emit=["good", "bad", "more_salt"],
            llm=llm,
            default_outcome="more_salt",
            metadata={"table": 4},
        )
        @listen(or_("cook", "more_salt"))
        def taste(self):
            self.state.tasted += 1
            return f"{self.state.text}, spoon {self.state.tasted}"

        @listen("good")
        def serve(self, result: HumanFeedbackResult):
            self.state.served = True
            return f"served after: {result.feedback}"

        @listen("bad")
        def throw_away(self, result: HumanFeedbackResult):
            return f"thrown away: {result.feedback}"

    return Kitchen


def test_a_linear_gate_shows_the_output_and_passes_the_words_on(monkeypatch, capsys):
    class Gate(Flow):
        @start()
        @human_feedback(message="Any remarks?")
        def write(self):
            return "a letter"

        @listen(write)
        def send(self, result):
            return (result.output, result.feedback, result.outcome, result.method_name)

    monkeypatch.setattr(sys, "stdin", Terminal(["  kind words "]))

    assert Gate().kickoff() == ("a letter", "kind words", None, "write")
    shown = capsys.readouterr().out
    rule = "=" * 50
    assert shown.startswith(f"{rule}\nOUTPUT FOR REVIEW:\n{rule}\na letter\n{rule}\nAny remarks?\n")


def test_the_console_can_be_named_as_the_provider():
    typed = iter(["fine"])

    class Gate(Flow):
        @start()
        @human_feedback(
            message="?", provider=ConsoleProvider(input_fn=lambda prompt: next(typed), output_fn=lambda line: None)
        )
        def write(self):
            return 1

    assert Gate().kickoff().feedback == "fine"


def test_free_words_become_labels_and_the_loop_ends_with_another_label():
    llm = ScriptedLLM(["more_salt", '{"outcome": "good"}'])
    flow = kitchen(llm)(human_feedback_provider=Desk(taste=["a bit flat", "much better"]))

    assert flow.kickoff() == "served after: much better"
    assert [result.outcome for result in flow.human_feedback_history] == ["more_salt", "good"]
    assert flow.last_human_feedback.output == "soup, spoon 2"
    assert (flow.state.tasted, flow.state.served) == (2, True)
    assert len(llm.calls) == 2


@pytest.mark.parametrize(
    ("replies", "returned"),
    [
        (["good"], "served after: good"),
        (["BAD "], "thrown away: BAD "),
        (["", "good"], "served after: good"),
        (["more_salt", "more_salt", "bad"], "thrown away: bad"),
    ],
    ids=["label", "label-in-other-case", "enter-means-the-default", "twice-around"],
)
def test_labels_and_enter_need_no_model(replies, returned):
    flow = kitchen(ScriptedLLM())(human_feedback_provider=Desk(taste=list(replies)))

    assert flow.kickoff() == returned
    assert flow.state.tasted == len(replies)


def test_metadata_of_the_decorator_is_in_context_and_result():
    provider = RecordingProvider(["good"])
    flow = kitchen(None)(human_feedback_provider=provider)
    flow.kickoff()

    [context] = provider.contexts
    assert context.metadata == {"table": 4}
    assert (context.emit, context.default_outcome) == (["good", "bad", "more_salt"], "more_salt")
    assert flow.last_human_feedback.metadata["table"] == 4


def feedback_outside(function):
    return human_feedback(message="?", emit=["again", "done"], default_outcome="done")(
        listen(or_("begin", "again"))(function)
    )


def feedback_inside(function):
    return listen(or_("begin", "again"))(
        human_feedback(message="?", emit=["again", "done"], default_outcome="done")(function)
    )


@pytest.mark.parametrize("decorated", [feedback_outside, feedback_inside])
def test_a_self_loop_works_in_both_orders_of_decorators(decorated):
    class Loop(Flow):
        @start()
        def begin(self):
            return "begun"

        @decorated
        def check(self):
            return "checked"

        @listen("done")
        def end(self):
            return "ended"

    flow = Loop(human_feedback_provider=Desk(check=["again", "again", ""]))

    assert flow.kickoff() == "ended"
    assert len(flow.human_feedback_history) == 3


def chained():
    class Chained(Flow):
        @start()
        @human_feedback(message="Readable?", emit=["readable", "unreadable"], default_outcome="unreadable")
        def text(self):
            return "the text"

        @listen("readable")
        @human_feedback(message="True?", emit=["true", "false"], default_outcome="false")
        def facts(self, earlier):
            return f"facts of {earlier.output}"

        @listen("true")
        def release(self, newest):
            return f"released {newest.output}"

        @listen(or_("unreadable", "false"))
        def refuse(self, newest):
            return f"refused {newest.output}"

    return Chained


@pytest.mark.parametrize(
    ("desk", "returned", "asked"),
    [
        ({"text": ["readable"], "facts": ["true"]}, "released facts of the text", 2),
        ({"text": ["readable"], "facts": ["false"]}, "refused facts of the text", 2),
        ({"text": [""]}, "refused the text", 1),
    ],
)
def test_routers_chain_and_the_newest_result_is_passed(desk, returned, asked):
    flow = chained()(human_feedback_provider=Desk(**desk))

    assert flow.kickoff() == returned
    assert len(flow.human_feedback_history) == asked


def test_the_history_makes_an_audit_log():
    class Audited(chained()):
        @listen(or_("release", "refuse"))
        def log(self):
            return [(entry.method_name, entry.outcome, entry.feedback) for entry in self.human_feedback_history]

    flow = Audited(human_feedback_provider=Desk(text=["READABLE"], facts=["false"]))

    assert flow.kickoff() == [("text", "readable", "READABLE"), ("facts", "false", "false")]
    assert all(entry.timestamp.tzinfo is not None for entry in flow.human_feedback_history)


def test_learning_is_accepted_and_changes_nothing_without_a_memory():
    class Learning(Flow):
        crew = Crew("draft")

        @start()
        @human_feedback(
            message="?", emit=["fine", "wrong"], default_outcome="wrong", llm=ScriptedLLM(), learn=True, learn_limit=2
        )
        def write(self):
            return self.crew.kickoff(inputs={"subject": "tea"}).raw

        @listen("fine")
        def publish(self):
            return self.last_human_feedback.output

    assert Learning(human_feedback_provider=Desk(write=["fine"])).kickoff() == "draft"


class Doorbell(HumanFeedbackProvider):
    """Rings outside and lets the flow wait."""

    def __init__(self, url: str):
        self.url = url
        self.rung: list[str] = []

    def request_feedback(self, context: PendingFeedbackContext, flow: Flow) -> str:
        self.rung.append(context.message)
        raise HumanFeedbackPending(context=context, callback_info={"url": f"{self.url}/{context.flow_id}"})


class Knocks(HumanFeedbackProvider):
    """As Doorbell, with a coroutine function."""

    async def request_feedback(self, context: PendingFeedbackContext, flow: Flow) -> str:
        raise HumanFeedbackPending(context=context)


bell = Doorbell("https://example.org/answers")


class Delivery(Flow):
    @start()
    @human_feedback(message="Take it in?", emit=["yes", "no"], default_outcome="no", provider=bell)
    def ring(self):
        self.state["parcel"] = 7
        return "a parcel"

    @listen("yes")
    def hand_over(self, result):
        return {"handed over": result.output, "parcel": self.state["parcel"]}

    @listen("no")
    def take_back(self, result):
        return {"taken back": result.feedback}


def test_a_provider_pauses_the_flow_and_says_where_the_answer_goes():
    pending = Delivery().kickoff()

    assert isinstance(pending, HumanFeedbackPending)
    assert pending.callback_info == {"url": f"https://example.org/answers/{pending.context.flow_id}"}
    assert (pending.context.method_name, pending.context.method_output) == ("ring", "a parcel")
    assert bell.rung[-1] == "Take it in?"


def test_a_webhook_s_handler_resumes_from_the_default_store():
    flow_id = Delivery().kickoff().context.flow_id

    assert Delivery.from_pending(flow_id).resume("Yes") == {"handed over": "a parcel", "parcel": 7}


async def test_an_async_handler_resumes_with_the_async_twin():
    flow_id = (await Delivery().kickoff_async()).context.flow_id
    flow = await Delivery.from_pending_async(flow_id)

    assert await flow.resume_async("") == {"taken back": ""}


async def test_resume_inside_a_running_loop_is_refused():
    flow_id = (await Delivery().kickoff_async()).context.flow_id
    flow = Delivery.from_pending(flow_id)

    with pytest.raises(RuntimeError, match="resume_async"):
        flow.resume("yes")


def test_an_answered_request_is_not_found_again():
    flow_id = Delivery().kickoff().context.flow_id
    Delivery.from_pending(flow_id).resume("yes")

    with pytest.raises(NoPendingFeedbackError):
        Delivery.from_pending(flow_id)


def test_a_store_of_one_s_own_is_given_to_both_ends():
    store = MemoryFlowPersistence()
    flow_id = Delivery(persistence=store).kickoff().context.flow_id

    flow = Delivery.from_pending(flow_id, persistence=store)

    assert flow.resume("no") == {"taken back": "no"}


def test_a_provider_may_be_async():
    class Patient(Flow):
        @start()
        @human_feedback(message="?", provider=Knocks())
        def knock(self):
            return "knock"

    pending = Patient().kickoff()

    assert Patient.from_pending(pending.context.flow_id).resume("come in").feedback == "come in"


@pytest.mark.parametrize(
    "arguments",
    [{"emit": ["a", "b"], "default_outcome": "c"}, {"default_outcome": "a"}],
    ids=["not-among-the-labels", "without-labels"],
)
def test_a_default_outcome_must_be_a_label(arguments):
    with pytest.raises(ValueError, match="default_outcome"):
        human_feedback(message="?", **arguments)
