"""Section 7 of the engine's rules: a person's answer within one process."""

import asyncio
import inspect
import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from flows import (
    ConsoleProvider,
    Flow,
    FlowError,
    HumanFeedbackCollapseError,
    HumanFeedbackProvider,
    HumanFeedbackResult,
    ProviderError,
    flow_config,
    human_feedback,
    listen,
    or_,
    start,
)
from flows.testing import ManualClock, RecordingProvider, ScriptedLLM

LABELS = ["approved", "rejected", "needs_revision"]


def reviewing(*, emit=LABELS, llm=None, default_outcome="rejected", provider=None, metadata=None, output="draft"):
    """A flow whose first step is under review; its listeners say what they were given."""

    class Some(Flow):
        @start()
        @human_feedback(
            message="OK?",
            emit=emit,
            llm=llm,
            default_outcome=default_outcome if emit else None,
            provider=provider,
            metadata=metadata,
        )
        def review(self):
            return output

        @listen("review")
        def on_review(self, value):
            self.state["name"] = value

        @listen("approved")
        def on_approved(self, value):
            self.state["label"] = value
            return "approved path"

        @listen("rejected")
        def on_rejected(self, value):
            self.state["label"] = value
            return "rejected path"

        @listen("needs_revision")
        def on_needs_revision(self, value):
            self.state["label"] = value
            return "revision path"

    return Some


def answered(reply, **options):
    """The flow after one kickoff with one answer."""
    flow = reviewing(**options)(human_feedback_provider=RecordingProvider([reply]))
    flow.kickoff()
    return flow


def test_hf1_the_decorator_takes_what_the_documents_say():
    expected = ["message", "emit", "llm", "default_outcome", "metadata", "provider", "learn", "learn_limit"]

    assert list(inspect.signature(human_feedback).parameters)[:8] == expected


@pytest.mark.parametrize("message", ["", "  "], ids=["empty", "blank"])
def test_hf1_a_message_is_required(message):
    with pytest.raises(ValueError, match="message"):
        human_feedback(message=message)


def test_hf2_learn_limit_is_known():
    assert inspect.signature(human_feedback).parameters["learn_limit"].default == 5


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        pytest.param({"emit": ["a"], "default_outcome": "b"}, "not in emit", id="outside emit"),
        pytest.param({"default_outcome": "b"}, "without emit", id="without emit"),
        pytest.param({"emit": ["a", " "]}, "empty label", id="empty label"),
        pytest.param({"emit": ["Yes", "yes"]}, "tell apart", id="labels alike"),
        pytest.param({"emit": "approved"}, "list", id="text for a list"),
    ],
)
def test_hf3_arguments_that_do_not_fit_are_value_errors(arguments, word):
    with pytest.raises(ValueError, match=word) as caught:
        human_feedback(message="OK?", **arguments)

    assert isinstance(caught.value, FlowError)


def test_hf4_the_decorator_only_annotates():
    async def asynchronous(self):
        pass

    def synchronous(self):
        pass

    decorate = human_feedback(message="OK?")

    assert decorate(asynchronous) is asynchronous
    assert decorate(synchronous) is synchronous
    assert inspect.iscoroutinefunction(asynchronous)


def test_hf4_empty_emit_is_like_none():
    flow = answered("words", emit=[])

    assert flow.state["name"].outcome is None


def test_hf5_without_labels_the_result_is_the_methods_result():
    flow = answered("words", emit=None, metadata={"tier": "low"})
    result = flow.state["name"]

    assert isinstance(result, HumanFeedbackResult)
    assert (result.output, result.feedback, result.outcome, result.method_name) == ("draft", "words", None, "review")
    assert result.metadata["tier"] == "low"
    assert flow.method_outputs[0] is result
    assert flow.last_human_feedback is result


def test_hf5_a_result_that_comes_last_is_what_kickoff_returns():
    class Some(Flow):
        @start()
        @human_feedback(message="OK?")
        def review(self):
            return "draft"

    result = Some(human_feedback_provider=RecordingProvider(["words"])).kickoff()

    assert (result.output, result.feedback) == ("draft", "words")


def test_hf5_with_labels_the_name_gets_the_label_and_the_label_the_result():
    flow = answered("approved")

    assert flow.state["name"] == "approved"
    assert isinstance(flow.state["label"], HumanFeedbackResult)
    assert flow.state["label"].outcome == "approved"
    assert [item.outcome for item in flow.human_feedback_history] == ["approved"]


def test_hf6_labels_need_no_model():
    assert answered("approved", llm=None).state["name"] == "approved"


def test_hf7_a_result_has_its_defaults():
    one, two = HumanFeedbackResult(output=1, feedback="x"), HumanFeedbackResult(output=1, feedback="x")

    assert (one.outcome, one.method_name, one.metadata) == (None, "", {})
    assert one.metadata is not two.metadata
    assert one.timestamp.utcoffset() is not None


def test_hf7_the_decorators_metadata_is_copied_into_each_result():
    metadata = {"tier": "low"}
    flow = answered("approved", metadata=metadata)
    flow.last_human_feedback.metadata["tier"] = "high"

    assert metadata == {"tier": "low"}


def test_hf7_the_timestamp_is_the_clocks():
    clock = ManualClock(datetime(2026, 3, 4, tzinfo=UTC))
    flow = reviewing()(human_feedback_provider=RecordingProvider(["approved"]), clock=clock)
    flow.kickoff()

    assert flow.last_human_feedback.timestamp == datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize("reply", ["", "   \n"], ids=["empty", "blank"])
def test_hf8_an_empty_answer_is_the_default_and_asks_no_model(reply):
    model = ScriptedLLM([])
    flow = answered(reply, llm=model, default_outcome="needs_revision")

    assert flow.state["name"] == "needs_revision"
    assert flow.last_human_feedback.feedback == reply
    assert model.calls == []


def test_hf8_without_a_default_it_is_the_first_label_and_a_warning_at_decoration(caplog):
    flow = answered("", default_outcome=None)

    assert flow.state["name"] == "approved"
    assert "default_outcome" in caplog.text


@pytest.mark.parametrize("reply", ["approved", " Approved\n", "APPROVED"], ids=["verbatim", "spaces", "case"])
def test_a_label_itself_is_read_without_a_model(reply):
    model = ScriptedLLM([])

    assert answered(reply, llm=model).state["name"] == "approved"
    assert model.calls == []


def test_hf9_words_are_put_to_the_model_once_with_the_labels():
    model = ScriptedLLM(["needs_revision"])
    flow = answered("more detail please", llm=model)

    ((prompt, options),) = model.calls
    assert flow.state["name"] == "needs_revision"
    assert "more detail please" in prompt
    assert all(label in prompt for label in LABELS)
    schema = options["response_format"].model_json_schema()
    assert list(schema["properties"]) == ["outcome"]
    assert schema["properties"]["outcome"]["enum"] == LABELS


class Choice(BaseModel):
    outcome: str


@dataclass
class Holder:
    outcome: str


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Choice(outcome="approved"), id="model"),
        pytest.param(Holder("approved"), id="object"),
        pytest.param({"outcome": "approved"}, id="mapping"),
        pytest.param(json.dumps({"outcome": "approved"}), id="json"),
        pytest.param("approved", id="text"),
        pytest.param(' "Approved". ', id="quotes, case and full stop"),
    ],
)
def test_hf10_the_models_answer_may_have_several_forms(answer):
    assert answered("fine by me", llm=ScriptedLLM([answer])).state["name"] == "approved"


def test_hf11_a_failing_structured_request_is_followed_by_one_in_plain_words():
    model = ScriptedLLM([RuntimeError("no structure"), "approved"])
    flow = answered("fine by me", llm=model)

    assert flow.state["name"] == "approved"
    assert [bool(options) for _, options in model.calls] == [True, False]
    assert model.calls[0][0] == model.calls[1][0]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Not approved, needs work", id="a label that occurs"),
        pytest.param("approved or rejected", id="two labels"),
        pytest.param("", id="nothing"),
        pytest.param("looks_good", id="another label"),
        pytest.param({"label": "approved"}, id="another field"),
        pytest.param(None, id="none"),
        pytest.param('{"outcome": 5}', id="a number"),
    ],
)
def test_hf13_a_model_answer_that_is_no_single_label_is_unclear(answer):
    with pytest.raises(HumanFeedbackCollapseError, match="approved"):
        answered("hmm", llm=ScriptedLLM([answer]))


def test_hf14_when_both_requests_fail_nothing_is_decided():
    with pytest.raises(HumanFeedbackCollapseError) as caught:
        answered("hmm", llm=ScriptedLLM([RuntimeError("one"), RuntimeError("two")]))

    assert isinstance(caught.value, ValueError)
    assert caught.value.emit == tuple(LABELS)


def test_hf14_without_a_model_the_error_names_the_labels():
    with pytest.raises(HumanFeedbackCollapseError, match="'approved', 'rejected', 'needs_revision'"):
        answered("looks fine")


def console(*lines):
    """A console where these lines are typed, and all that it shows."""
    typed, shown = list(lines), []

    def read(prompt):
        shown.append(prompt)
        return typed.pop(0)

    return ConsoleProvider(input_fn=read, output_fn=shown.append), shown


def test_hf14_at_a_console_an_unclear_answer_is_asked_again():
    provider, shown = console("hmm", "hmm again", "approved")
    flow = reviewing(provider=provider)()
    flow.kickoff()

    assert flow.state["name"] == "approved"
    assert flow.last_human_feedback.feedback == "approved"
    assert len(flow.human_feedback_history) == 1
    assert sum("approved, rejected, needs_revision" in line for line in shown) == 2


class AsyncProvider:
    async def request_feedback(self, context, flow):
        await asyncio.Event().wait() if context is None else None
        return 42


def test_hf15_an_async_provider_is_awaited_and_its_answer_becomes_text():
    flow = reviewing(emit=None, provider=AsyncProvider())()
    flow.kickoff()

    assert flow.last_human_feedback.feedback == "42"


def test_hf15_the_decorators_provider_comes_first():
    own, host = RecordingProvider(["approved"]), RecordingProvider([])
    reviewing(provider=own)(human_feedback_provider=host).kickoff()

    assert len(own.contexts) == 1


def test_hf15_a_host_replaces_a_console():
    host = RecordingProvider(["approved"])
    reviewing(provider=ConsoleProvider())(human_feedback_provider=host).kickoff()

    assert [context.method_name for context in host.contexts] == ["review"]


def test_hf15_the_configured_provider_serves_a_step_without_one(monkeypatch):
    provider = RecordingProvider(["approved"])
    monkeypatch.setattr(flow_config, "hitl_provider", provider)
    reviewing()().kickoff()

    assert len(provider.contexts) == 1


@pytest.mark.parametrize("provider", [object(), RecordingProvider], ids=["no method", "a class"])
def test_hf15_an_object_that_cannot_ask_is_a_value_error(provider):
    with pytest.raises(ValueError, match="request_feedback") as caught:
        reviewing(provider=provider)().kickoff()

    assert isinstance(caught.value, ProviderError)


def test_hf15_the_protocol_can_be_checked_at_run_time():
    assert isinstance(RecordingProvider(), HumanFeedbackProvider)
    assert not isinstance(object(), HumanFeedbackProvider)


def test_hf16_the_console_shows_the_documents_picture():
    provider, shown = console("  approved ")
    reviewing(provider=provider, output="[bold]draft[/bold]")().kickoff()

    assert shown == [
        "=" * 50,
        "OUTPUT FOR REVIEW:",
        "=" * 50,
        "[bold]draft[/bold]",
        "=" * 50,
        "OK?",
        "(Press Enter to skip, or type your feedback)",
        "",
        "Your feedback: ",
    ]


def test_hf16_the_console_says_what_enter_means_without_a_default():
    provider, shown = console("")
    reviewing(provider=provider, default_outcome=None)().kickoff()

    assert "(Enter means: approved)" in shown


class Loop(Flow):
    @start()
    def generate(self):
        return "first"

    @human_feedback(message="OK?", emit=["revise", "approved"], default_outcome="revise")
    @listen(or_("generate", "revise"))
    def review(self, trigger):
        said = trigger if isinstance(trigger, str) else trigger.feedback
        return f"after {said!r}"

    @listen("approved")
    def publish(self, result):
        return result.output


def test_hf17_a_review_loops_on_its_own_label_until_another_one():
    provider = RecordingProvider(["", "revise", "approved"])
    flow = Loop(human_feedback_provider=provider)

    assert flow.kickoff() == "after 'revise'"
    assert [context.method_output for context in provider.contexts] == ["after 'first'", "after ''", "after 'revise'"]
    assert [item.outcome for item in flow.human_feedback_history] == ["revise", "revise", "approved"]


def test_hf18_a_listener_of_a_label_may_be_a_review_itself():
    class Some(Flow):
        @start()
        @human_feedback(message="First?", emit=["approved", "rejected"], default_outcome="rejected")
        def draft(self):
            return "draft"

        @listen("approved")
        @human_feedback(message="Final?", emit=["publish", "revise"], default_outcome="revise")
        def final(self, previous):
            self.state["order"] = ["router"]
            return f"final of {previous.output}"

        @listen("approved")
        def beside(self, previous):
            self.state["order"].append("listener")

        @listen("publish")
        def on_publish(self, previous):
            return previous.output

    flow = Some(human_feedback_provider=RecordingProvider(["approved", "publish"]))
    flow.kickoff()

    assert "final of draft" in flow.method_outputs
    assert flow.state["order"] == ["router", "listener"]


def test_hf19_async_methods_and_none_work_the_same():
    class Some(Flow):
        @start()
        @human_feedback(message="OK?")
        async def review(self):
            return None

        @listen(review)
        async def hears(self, result):
            return ("heard", result.output)

    assert Some(human_feedback_provider=RecordingProvider(["x"])).kickoff() == ("heard", None)


class UntouchedMemory:
    def recall(self, query, *, source=None, limit=5):
        raise AssertionError("nothing is recalled yet")

    def remember_many(self, contents, *, source=None):
        raise AssertionError("nothing is remembered yet")


def test_hf2_learning_takes_its_settings_and_changes_nothing_yet():
    class Learning(Flow):
        _skip_auto_memory = True

        @start()
        @human_feedback(message="OK?", learn=True, learn_limit=3, learn_source="team", learn_strict=True)
        def review(self):
            return "draft"

    memory = UntouchedMemory()
    flow = Learning(memory=memory, human_feedback_provider=RecordingProvider(["shorter"]))

    assert flow.kickoff().output == "draft"
    assert flow.memory is memory
