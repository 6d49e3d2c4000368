"""Section 2 of the engine's rules: what a flow class may say, and what is refused."""

import asyncio
from enum import Enum
from typing import Annotated, Literal

import pytest

from flows import Flow, and_, human_feedback, listen, or_, router, start
from flows.errors import BareDecoratorError, DuplicateConditionError, InvalidConditionError, SelfListeningError
from flows.graph.definition import build_graph
from flows.testing import RecordingProvider


def test_g1_a_condition_is_a_name_a_method_or_a_tree():
    class Some(Flow):
        @start()
        def a(self):
            return "a"

        @listen("a")
        def by_name(self):
            return "by_name"

        @listen(a)
        def by_reference(self):
            return "by_reference"

        @listen(and_(or_(a, "x"), and_("by_name", by_reference)))
        def by_tree(self):
            return "by_tree"

    flow = Some()

    assert flow.kickoff() == "by_tree"
    assert sorted(flow.method_outputs) == ["a", "by_name", "by_reference", "by_tree"]


def test_g2_a_finished_method_and_a_routers_label_are_the_same_kind_of_event():
    class Some(Flow):
        @start()
        def begin(self):
            self.state["seen"] = []

        @router(begin)
        def choose(self):
            return "target"

        @listen("target")
        def hears(self):
            self.state["seen"].append("hears")

    class Named(Flow):
        @start()
        def target(self):
            self.state["seen"] = []

        @listen("target")
        def hears(self):
            self.state["seen"].append("hears")

    labelled, named = Some(), Named()
    labelled.kickoff()
    named.kickoff()

    assert labelled.state["seen"] == named.state["seen"] == ["hears"]


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(5, id="number"),
        pytest.param({"type": "OR"}, id="dict"),
        pytest.param("", id="empty name"),
        pytest.param(None, id="nothing"),
        pytest.param(int, id="class"),
    ],
)
@pytest.mark.parametrize("build", [listen, or_, and_], ids=["listen", "or_", "and_"])
def test_g3_anything_else_as_a_condition_is_a_value_error(build, condition):
    with pytest.raises(InvalidConditionError, match="Invalid condition") as caught:
        build(condition)

    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("build", [or_, and_], ids=["or_", "and_"])
def test_g3_an_empty_condition_is_a_value_error(build):
    with pytest.raises(ValueError, match="Invalid condition"):
        build()


@pytest.mark.parametrize(
    "condition", [pytest.param("loop", id="plain"), pytest.param(and_("a", or_("b", "loop")), id="nested")]
)
def test_g4_a_method_that_listens_to_itself_is_refused_at_the_first_instance(condition):
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @listen(condition)
        def loop(self):
            pass

    with pytest.raises(SelfListeningError, match="Invalid flow definition for Some") as caught:
        Some()

    assert (caught.value.flow, caught.value.method) == ("Some", "loop")
    assert "handle_loop" in str(caught.value)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("annotation", "labels"),
    [
        pytest.param(Literal["a", "b"], ("a", "b"), id="literal"),
        pytest.param(Colour, ("red", "blue"), id="enum"),
        pytest.param(Literal["a"] | Colour | None, ("a", "red", "blue"), id="union"),
        pytest.param(Annotated[Literal["a"], "note"], ("a",), id="annotated"),
        pytest.param(list[Literal["a"]], None, id="container"),
        pytest.param(str, None, id="text"),
    ],
)
def test_g5_a_return_annotation_declares_a_routers_labels(annotation, labels):
    def choose(self):
        return "anything"

    choose.__annotations__["return"] = annotation

    class Some(Flow):
        begin = start()(lambda self: None)
        choice = router("begin")(choose)

    assert build_graph(Some).steps["choice"].emits == labels


def test_g5_declared_labels_do_not_limit_what_a_router_returns():
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router(begin, emit=["declared"])
        def choose(self):
            return "other"

        @listen("other")
        def hears(self):
            return "heard"

    assert Some().kickoff() == "heard"


def test_g6_router_and_start_merge_in_both_orders():
    class Above(Flow):
        @router()
        @start()
        def choose(self):
            return "go"

        @listen("go")
        def hears(self):
            return "heard"

    class Below(Flow):
        @start()
        @router()
        def choose(self):
            return "go"

        @listen("go")
        def hears(self):
            return "heard"

    assert Above().kickoff() == Below().kickoff() == "heard"


def test_g6_router_and_listen_merge():
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router()
        @listen(begin)
        def choose(self):
            return "go"

        @listen("go")
        def hears(self):
            return "heard"

    assert Some().kickoff() == "heard"


@pytest.mark.parametrize("outer", ["feedback", "listen"])
def test_g6_feedback_with_labels_makes_a_router_in_both_orders(outer):
    reviewed = human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no")

    class Some(Flow):
        @start()
        def begin(self):
            pass

        def _review(self):
            return "draft"

        review = reviewed(listen(begin)(_review)) if outer == "feedback" else listen(begin)(reviewed(_review))

        @listen("yes")
        def hears(self, result):
            return f"{result.output} {result.outcome}"

    assert Some(human_feedback_provider=RecordingProvider(["yes"])).kickoff() == "draft yes"


def test_g6_feedback_labels_replace_the_routers_own():
    class Some(Flow):
        @start()
        @router(emit=["other"])
        @human_feedback(message="OK?", emit=["yes", "no"], default_outcome="no")
        def begin(self):
            return "draft"

    assert build_graph(Some).steps["begin"].emits == ("yes", "no")


def test_g6_two_conditions_on_one_method_are_refused_with_the_mend():
    with pytest.raises(DuplicateConditionError, match="or_"):

        @listen("a")
        @listen("b")
        def method(self):
            pass


def test_g7_a_start_that_listens_runs_at_kickoff_and_on_each_event():
    class Some(Flow):
        @listen("again")
        @start()
        def work(self):
            self.state["runs"] = self.state.get("runs", 0) + 1

        @router("work")
        def more(self):
            return "again" if self.state["runs"] < 3 else "enough"

    flow = Some()
    flow.kickoff()

    assert flow.state["runs"] == 3


@pytest.mark.parametrize("decorator", [start, listen, router], ids=["start", "listen", "router"])
def test_g8_a_decorator_without_parentheses_is_a_type_error(decorator):
    def method(self):
        pass

    with pytest.raises(BareDecoratorError, match="parentheses") as caught:
        decorator(method)

    assert isinstance(caught.value, TypeError)


def test_g8_bare_start_over_feedback_is_a_type_error():
    with pytest.raises(TypeError, match="parentheses"):

        @start
        @human_feedback(message="OK?")
        def method(self):
            pass


def test_g9_a_label_that_nothing_raises_is_warned_of_with_the_nearest_name(caplog):
    class Some(Flow):
        @start()
        def generate_draft(self):
            pass

        @listen("generate_drafts")
        def hears(self):
            pass

    Some()
    Some()

    assert [record.getMessage() for record in caplog.records] == [
        "Some.hears waits for 'generate_drafts', which no method and no declared label raises."
        " Did you mean 'generate_draft'?"
    ]


def test_g9_no_warning_while_a_router_declares_nothing(caplog):
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            return "free"

        @listen("free")
        def hears(self):
            pass

    Some()

    assert caplog.records == []


def test_g9_a_review_that_is_no_step_is_warned_of(caplog):
    class Some(Flow):
        @start()
        def begin(self):
            pass

        @human_feedback(message="OK?")
        def review(self):
            pass

    Some()

    assert [record.getMessage() for record in caplog.records] == [
        "Some.review has @human_feedback but neither @start nor @listen, so it never runs."
    ]


def test_g10_methods_with_an_underscore_are_no_steps():
    class Some(Flow):
        @start()
        def begin(self):
            return "begin"

        @listen(begin)
        def _hidden(self):
            return "hidden"

    assert Some().kickoff() == "begin"


class Parent(Flow):
    @start()
    def begin(self):
        return "begin"

    @listen(begin)
    def middle(self):
        return "parent"


def test_g11_a_subclass_keeps_its_parents_steps():
    class Child(Parent):
        @listen("middle")
        def end(self, value):
            return f"{value} end"

    assert Child().kickoff() == "parent end"


def test_g11_a_subclass_overrides_by_name_and_keeps_the_decorators():
    class Child(Parent):
        def middle(self):
            return "child"

    assert Child().kickoff() == "child"


def test_g11_an_override_is_called_by_its_own_signature():
    class Child(Parent):
        def middle(self, value):
            return f"child of {value}"

    assert Child().kickoff() == "child of begin"


def test_g11_a_subclass_may_change_when_a_step_runs():
    class Child(Parent):
        @listen("never")
        def middle(self):
            return "child"

    assert Child().kickoff() == "begin"


def test_g11_the_parent_is_not_changed_by_its_child():
    class Child(Parent):
        @listen("middle")
        def end(self):
            return "end"

    Child()

    assert Parent().kickoff() == "parent"
    assert asyncio.iscoroutinefunction(Parent.kickoff_async)


def test_g6_a_static_method_may_be_a_step():
    class Some(Flow):
        @start()
        @staticmethod
        def begin():
            return 1

        @listen(begin)
        @staticmethod
        def more(value):
            return value + 1

        @listen("more")
        @staticmethod
        def bare():
            return "bare"

    flow = Some()
    flow.kickoff()

    assert flow.method_outputs == [1, 2, "bare"]
