"""What a flow's class says about each of its steps, and what it is warned of."""

import logging

import pytest

from flows import Flow, and_, human_feedback, listen, or_, persist, router, start
from flows.errors import SelfListeningError
from flows.graph.conditions import On
from flows.graph.definition import Step, build_graph
from flows.graph.spec import FeedbackSpec, PersistSpec


def step_of(*decorators, function=None):
    """The one step of a flow whose method has these decorators, outermost first."""

    def step(self):
        pass

    method = function or step
    for decorate in reversed(decorators):
        method = decorate(method)
    return build_graph(type("One", (Flow,), {"step": method})).steps["step"]


def messages(caplog):
    return [(record.levelno, record.getMessage()) for record in caplog.records]


def test_a_plain_start_is_nothing_else():
    assert step_of(start()) == Step(
        name="step",
        is_start=True,
        is_conditional=False,
        is_router=False,
        condition=None,
        once=False,
        takes="nothing",
        takes_payload=False,
        emits=None,
        feedback=None,
        persist=None,
        doc="",
    )


def test_a_step_holds_all_that_its_decorators_say():
    step = step_of(
        persist(verbose=True), human_feedback("?", emit=["yes", "no"], default_outcome="no"), listen(or_("a", "b"))
    )

    assert step.condition == or_("a", "b")
    assert (step.is_start, step.is_conditional, step.is_router, step.once) == (False, False, True, False)
    assert step.emits == ("yes", "no")
    assert step.feedback == FeedbackSpec(message="?", emit=("yes", "no"), default_outcome="no")
    assert step.persist == PersistSpec(verbose=True)


@pytest.mark.parametrize(
    ("decorators", "is_start", "is_conditional"),
    [
        pytest.param([start()], True, False, id="start"),
        pytest.param([start("a")], True, True, id="start that waits"),
        pytest.param([listen("a"), start()], True, False, id="start that also listens"),
        pytest.param([listen("a")], False, False, id="listener"),
    ],
)
def test_a_start_waits_only_for_a_condition_of_its_own(decorators, is_start, is_conditional):
    step = step_of(*decorators)

    assert (step.is_start, step.is_conditional) == (is_start, is_conditional)


@pytest.mark.parametrize(
    ("decorators", "once"),
    [
        pytest.param([listen(or_("a", "b"))], True, id="or_"),
        pytest.param([listen(and_("a", "b"))], False, id="and_"),
        pytest.param([listen("a")], False, id="name"),
        pytest.param([router(or_("a", "b"))], False, id="router"),
        pytest.param([router(), listen(or_("a", "b"))], False, id="listener that routes"),
        pytest.param([start(or_("a", "b"))], False, id="start"),
        pytest.param([human_feedback("?"), listen(or_("a", "b"))], True, id="review"),
    ],
)
def test_only_a_plain_listener_of_alternatives_fires_once(decorators, once):
    assert step_of(*decorators).once is once


@pytest.mark.parametrize(
    ("decorators", "emits"),
    [
        pytest.param([router(emit=["a"])], ("a",), id="router"),
        pytest.param([human_feedback("?"), router(emit=["a"])], ("a",), id="review without labels"),
        pytest.param([human_feedback("?", emit=["b"]), router(emit=["a"])], ("b",), id="review with labels"),
        pytest.param([human_feedback("?"), start()], None, id="none"),
    ],
)
def test_a_reviews_labels_come_before_the_routers(decorators, emits):
    assert step_of(*decorators).emits == emits


def bare(self):
    """First line.

    More.
    """


def payload_only(self, crewai_trigger_payload=None):
    """

    After empty lines.
    """


def value_only(self, value):
    pass


def both(self, crewai_trigger_payload, value=None):
    pass


def anything(self, *values):
    pass


anything.__doc__ = "Ends in spaces.  "


@pytest.mark.parametrize(
    ("function", "takes", "takes_payload", "doc"),
    [
        pytest.param(bare, "nothing", False, "First line.", id="nothing"),
        pytest.param(payload_only, "nothing", True, "After empty lines.", id="payload"),
        pytest.param(value_only, "one", False, "", id="value"),
        pytest.param(both, "one", True, "", id="payload and value"),
        pytest.param(anything, "one", False, "Ends in spaces.", id="any number"),
    ],
)
def test_a_step_takes_what_its_signature_says(function, takes, takes_payload, doc):
    def method(*args):
        return function(*args)

    method.__wrapped__, method.__doc__ = function, function.__doc__
    step = step_of(start(), function=method)

    assert (step.takes, step.takes_payload, step.doc) == (takes, takes_payload, doc)


@pytest.mark.parametrize(
    ("function", "takes"),
    [pytest.param(lambda: None, "nothing", id="nothing"), pytest.param(lambda value: value, "one", id="value")],
)
def test_a_static_step_takes_all_of_its_parameters(function, takes):
    assert step_of(listen("a"), staticmethod, function=function).takes == takes


class Base(Flow):
    @start()
    def begin(self):
        pass

    @router(begin, emit=["left", "right"])
    def choose(self):
        pass

    @listen(or_("left", begin))
    def hears(self):
        pass

    @listen("right")
    @human_feedback("?", emit=["yes"], default_outcome="yes")
    def review(self):
        pass


def test_a_graph_knows_who_hears_what():
    graph = build_graph(Base)

    assert graph.flow_name == "Base"
    assert list(graph.steps) == ["begin", "choose", "hears", "review"]
    assert {event: list(methods) for event, methods in graph.routers_hearing.items()} == {
        "begin": ["choose"],
        "right": ["review"],
    }
    assert {event: list(methods) for event, methods in graph.listeners_hearing.items()} == {
        "left": ["hears"],
        "begin": ["hears"],
    }
    assert graph.labels == {"left", "right", "yes"}


@pytest.mark.parametrize(
    ("event", "is_heard"),
    [("begin", True), ("left", True), ("right", True), ("yes", False), ("hears", False)],
    ids=["by both", "by a listener", "by a router", "label", "name"],
)
def test_a_graph_says_whether_anybody_hears_an_event(event, is_heard):
    assert build_graph(Base).hears(event) is is_heard


def test_a_start_that_waits_is_begun_with_only_when_no_other_start_is_there():
    class Waiting(Flow):
        @start("a")
        def first(self):
            pass

        @start("b")
        def second(self):
            pass

        @listen("first")
        def third(self):
            pass

    class Both(Waiting):
        @start()
        def begin(self):
            pass

    assert (build_graph(Waiting).starts, build_graph(Both).starts) == (("first", "second"), ("begin",))


def test_a_child_comes_after_its_parents_and_overrides_in_their_place():
    class Child(Base):
        @listen("hears")
        def more(self):
            pass

        @listen("yes")
        def hears(self, value):
            pass

        def review(self, value):
            """Another body."""

    steps = build_graph(Child).steps

    assert list(steps) == ["begin", "choose", "hears", "review", "more"]
    assert (steps["hears"].condition, steps["hears"].takes) == (On("yes"), "one")
    assert (steps["review"].condition, steps["review"].takes) == (On("right"), "one")
    assert (steps["review"].emits, steps["review"].doc) == (("yes",), "Another body.")


def test_a_child_removes_a_step_by_a_value_that_cannot_be_called():
    class Without(Base):
        hears = None

    class Again(Without):
        def hears(self):
            pass

    assert list(build_graph(Without).steps) == list(build_graph(Again).steps) == ["begin", "choose", "review"]


def test_a_step_in_place_of_a_parents_plain_value_stands_where_it_was_decorated():
    class Holding(Flow):
        late = None

    class Child(Holding):
        @start()
        def begin(self):
            pass

        @listen(begin)
        def late(self):
            pass

    assert list(build_graph(Child).steps) == ["begin", "late"]


def test_what_is_no_decorated_method_is_no_step():
    class Some(Flow):
        number = 5

        @start()
        def begin(self):
            pass

        @listen(begin)
        def _hidden(self):
            pass

        @persist()
        def saved(self):
            pass

        def plain(self):
            pass

        @start()
        def after(self):
            pass

    assert list(build_graph(Some).steps) == ["begin", "after"]


def test_a_step_that_waits_for_itself_is_refused_with_its_condition():
    with pytest.raises(SelfListeningError) as caught:
        step_of(listen(or_("a", "step")))

    error = caught.value
    assert (error.flow, error.method, error.condition) == ("One", "step", "or_('a', 'step')")


def test_a_graph_that_is_whole_is_built_without_a_word(caplog):
    build_graph(Base)

    assert caplog.records == []


def test_each_label_that_nothing_raises_is_warned_of_once_for_each_step(caplog):
    class Some(Base):
        @listen(or_("rigth", and_("yes", "rigth"), "something else"))
        def lost(self):
            pass

    build_graph(Some)

    assert messages(caplog) == [
        (
            logging.WARNING,
            "Some.lost waits for 'rigth', which no method and no declared label raises. Did you mean 'right'?",
        ),
        (logging.WARNING, "Some.lost waits for 'something else', which no method and no declared label raises."),
    ]


def test_a_review_that_is_no_step_is_warned_of_in_its_own_class_only(caplog):
    class Some(Base):
        @human_feedback("?")
        def idle(self):
            pass

    class Child(Some):
        pass

    build_graph(Some)
    build_graph(Child)

    assert messages(caplog) == [
        (logging.WARNING, "Some.idle has @human_feedback but neither @start nor @listen, so it never runs.")
    ]


def test_a_saved_method_that_is_no_step_is_nobodys_review(caplog):
    class Some(Base):
        @persist()
        def saved(self):
            pass

    build_graph(Some)

    assert caplog.records == []
