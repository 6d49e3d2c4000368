"""What the decorators write on a method, and which labels a return annotation declares."""

from enum import Enum
from typing import Annotated, Literal, Optional, Union

import pytest

from flows import human_feedback, listen, or_, persist, router, start
from flows.errors import DuplicateConditionError
from flows.graph.conditions import On
from flows.graph.decorators import labels_of_return
from flows.graph.spec import FeedbackSpec, MethodSpec, PersistSpec, spec_of


class Colour(Enum):
    RED = "red"
    BLUE = 2


def method(self):
    pass


def annotated(annotation):
    def choose(self):
        pass

    choose.__annotations__["return"] = annotation
    return choose


@pytest.fixture
def make():
    """A new plain method."""

    def make_method():
        def step(self):
            pass

        return step

    return make_method


@pytest.mark.parametrize(
    ("decorate", "spec"),
    [
        pytest.param(start(), MethodSpec(start=True), id="start"),
        pytest.param(start("a"), MethodSpec(start=True, start_waits=True, condition=On("a")), id="start that waits"),
        pytest.param(listen("a"), MethodSpec(listens=True, condition=On("a")), id="listen"),
        pytest.param(router(), MethodSpec(router=True), id="router"),
        pytest.param(router("a"), MethodSpec(router=True, condition=On("a")), id="router with a trigger"),
        pytest.param(router(emit=["x", "y"]), MethodSpec(router=True, emits=("x", "y")), id="router with labels"),
        pytest.param(router(emit=[]), MethodSpec(router=True), id="router with an empty list"),
        pytest.param(human_feedback("?"), MethodSpec(feedback=FeedbackSpec(message="?")), id="human_feedback"),
        pytest.param(persist(), MethodSpec(persist=PersistSpec()), id="persist"),
    ],
)
def test_a_decorator_writes_what_it_was_told_and_nothing_else(decorate, spec, make):
    step = make()

    assert decorate(step) is step
    assert spec_of(step) == spec


def test_decorators_add_up(make):
    step = listen("a")(router(emit=["x"])(start()(make())))

    assert spec_of(step) == MethodSpec(start=True, listens=True, router=True, condition=On("a"), emits=("x",))


@pytest.mark.parametrize("outer", [listen("a"), router("a"), start("a")], ids=["listen", "router", "start"])
def test_the_same_trigger_twice_is_one_trigger(outer, make):
    assert spec_of(outer(listen("a")(make()))).condition == On("a")


@pytest.mark.parametrize("outer", [listen, router, start], ids=["listen", "router", "start"])
def test_two_triggers_are_refused_in_the_order_they_were_read(outer, make):
    step = listen(or_("a", "b"))(make())

    with pytest.raises(DuplicateConditionError) as caught:
        outer("c")(step)

    assert (caught.value.method, caught.value.first, caught.value.second) == ("step", "or_('a', 'b')", "'c'")


def test_what_decorators_did_not_say_has_these_values():
    assert MethodSpec() == MethodSpec(
        start=False,
        start_waits=False,
        condition=None,
        listens=False,
        router=False,
        emits=None,
        feedback=None,
        persist=None,
    )
    assert PersistSpec() == PersistSpec(persistence=None, verbose=False, enabled=True)
    assert FeedbackSpec(message="?") == FeedbackSpec(
        message="?",
        emit=None,
        llm=None,
        default_outcome=None,
        metadata=None,
        provider=None,
        learn=False,
        learn_limit=5,
        learn_source="hitl",
        learn_strict=False,
    )


def test_a_plain_method_has_no_spec():
    assert spec_of(method) is None


def test_another_attribute_of_the_same_name_is_no_spec(make):
    step = make()
    step.__flow_spec__ = "not ours"

    assert spec_of(step) is None


@pytest.mark.parametrize(
    ("spec", "is_step", "routes"),
    [
        pytest.param(MethodSpec(), False, False, id="plain"),
        pytest.param(MethodSpec(start=True), True, False, id="start"),
        pytest.param(MethodSpec(listens=True), True, False, id="listener"),
        pytest.param(MethodSpec(router=True), True, True, id="router"),
        pytest.param(MethodSpec(feedback=FeedbackSpec(message="?")), False, False, id="review"),
        pytest.param(MethodSpec(feedback=FeedbackSpec(message="?", emit=("a",))), False, True, id="review with labels"),
    ],
)
def test_a_spec_says_whether_it_is_a_step_and_whether_it_routes(spec, is_step, routes):
    assert (spec.is_step, spec.routes) == (is_step, routes)


@pytest.mark.parametrize(
    ("annotation", "labels"),
    [
        pytest.param(Literal["a", "b", "a"], ("a", "b"), id="literal"),
        pytest.param(Literal["a", None, 5, Colour.RED, Colour.BLUE], ("a", "5", "red", "2"), id="mixed literal"),
        pytest.param(Colour, ("red", "2"), id="enum"),
        pytest.param(Optional[Literal["a"]], ("a",), id="optional"),  # noqa: UP045 - the old spelling is the case
        pytest.param(Union[Literal["a"], Colour], ("a", "red", "2"), id="union"),  # noqa: UP007 - as above
        pytest.param(Literal["b"] | Literal["a"], ("b", "a"), id="bar of literals"),
        pytest.param(Colour | None, ("red", "2"), id="bar of classes"),
        pytest.param(Annotated[Literal["a"], "b"], ("a",), id="annotated"),
        pytest.param(list[Literal["a"]], None, id="container"),
        pytest.param(None, None, id="none"),
        pytest.param("Literal['a']", ("a",), id="text"),
        pytest.param("Unknown['a']", None, id="unknown name"),
        pytest.param("Colour.GREEN", None, id="unknown member"),
        pytest.param("Colour()", None, id="nonsense"),
        pytest.param("left or right", None, id="words"),
        pytest.param("left, or: right", None, id="no expression"),
    ],
)
def test_labels_of_a_return_annotation(annotation, labels):
    assert labels_of_return(annotated(annotation)) == labels


def test_a_method_without_annotation_declares_nothing():
    assert labels_of_return(method) is None


def test_declared_labels_win_over_the_annotation():
    step = router(emit=["x"])(annotated(Literal["a"]))

    assert spec_of(step).emits == ("x",)
