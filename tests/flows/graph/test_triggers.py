"""What or_, and_ and the decorators make of the triggers they are given."""

import math
from functools import partial

import pytest

from flows import and_, human_feedback, listen, or_, router, start
from flows.errors import BareDecoratorError, InvalidConditionError
from flows.graph.conditions import AllOf, AnyOf, On, names_in


@start()
def begin(self):
    pass


def plain(self):
    pass


@human_feedback(message="OK?")
def reviewed(self):
    pass


@pytest.mark.parametrize("build", [or_, and_], ids=["or_", "and_"])
@pytest.mark.parametrize("triggers", [("a",), ("a", "a"), (or_("a"), and_("a"))], ids=["one", "twice", "built twice"])
def test_one_trigger_is_met_by_its_own_event(build, triggers):
    assert build(*triggers) == On("a")


@pytest.mark.parametrize(("build", "kind"), [(or_, AnyOf), (and_, AllOf)], ids=["or_", "and_"])
def test_several_triggers_stand_once_each_in_their_order(build, kind):
    assert build("b", begin, "b", "a") == kind((On("b"), On("begin"), On("a")))


def test_names_are_given_left_to_right_with_repeats():
    assert list(names_in(or_("c", and_("b", or_("a", "c"))))) == ["c", "b", "a", "c"]


def test_a_condition_is_shown_as_it_is_written():
    assert str(or_("a", and_("b", "c"))) == "or_('a', and_('b', 'c'))"


@pytest.mark.parametrize(
    ("build", "where"),
    [
        pytest.param(start, "@start()", id="start"),
        pytest.param(listen, "@listen()", id="listen"),
        pytest.param(router, "@router()", id="router"),
        pytest.param(or_, "or_()", id="or_"),
        pytest.param(and_, "and_()", id="and_"),
    ],
)
@pytest.mark.parametrize(
    "given", [5, "", math, dict, partial(plain, None)], ids=["number", "no text", "module", "class", "nameless"]
)
def test_what_is_no_trigger_is_refused_with_the_place(build, where, given):
    with pytest.raises(InvalidConditionError) as caught:
        build(given)

    assert (caught.value.where, caught.value.given) == (where, given)


@pytest.mark.parametrize(("build", "where"), [(or_, "or_()"), (and_, "and_()")], ids=["or_", "and_"])
def test_no_trigger_at_all_is_refused_with_the_place(build, where):
    with pytest.raises(InvalidConditionError) as caught:
        build()

    assert (caught.value.where, caught.value.given) == (where, ())


@pytest.mark.parametrize(
    ("build", "decorator"),
    [(start, "start"), (listen, "listen"), (router, "router"), (or_, "or_"), (and_, "and_")],
    ids=["start", "listen", "router", "or_", "and_"],
)
@pytest.mark.parametrize("function", [plain, reviewed], ids=["plain", "reviewed only"])
def test_a_function_that_is_no_step_is_refused_with_its_name(build, decorator, function):
    with pytest.raises(BareDecoratorError) as caught:
        build(function)

    assert (caught.value.decorator, caught.value.function) == (decorator, function.__name__)
