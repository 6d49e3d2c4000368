"""Runs told step by step: when an alternative fires again, and what a started call counts."""

import json

import pytest

from flows import Flow, and_, listen, or_, router, start
from flows.graph.definition import build_graph
from flows.graph.progress import Call, Phase, Progress, begin, finish, mark_started, take_back
from flows.graph.progress_record import to_dict


class Looping(Flow):
    """The router loops before any listener runs, and ends with another label."""

    @start()
    def begin(self):
        pass

    @router(or_("begin", "again"), emit=["again", "done"])
    def choose(self):
        pass

    @listen(or_("begin", "done"))
    def either(self):
        pass


class Labelled(Flow):
    """Two starts answer labels of one alternative."""

    @start()
    @router(emit=["x"])
    def first(self):
        pass

    @start()
    @router(emit=["y"])
    def second(self):
        pass

    @listen(or_("x", "y"))
    def either(self):
        pass


class Joining(Flow):
    """A join whose second part is a join."""

    @start()
    def first(self):
        pass

    @start()
    def second(self):
        pass

    @start()
    @router(emit=["x"])
    def third(self):
        pass

    @listen(and_("never", and_("first", "second")))
    def joins(self):
        pass

    @listen("x")
    def hears(self):
        pass


class Later(Flow):
    """The step's name is told first, to a listener that another one hears; then the router's label."""

    @start()
    def begin(self):
        pass

    @router("begin", emit=["x"])
    def choose(self):
        pass

    @listen("begin")
    def first(self):
        pass

    @listen("first")
    def second(self):
        pass

    @listen("x")
    def third(self):
        pass


class Routed(Flow):
    """Only routers hear what is raised."""

    @start()
    def begin(self):
        pass

    @router(or_("begin", "again"), emit=["again"])
    def choose(self):
        pass


def run(flow, answers=()):
    """All calls in order, depth first; answers are the routers' labels by call."""
    graph, progress, labels = build_graph(flow), Progress(), dict(answers)
    waiting = begin(graph, progress)[::-1]
    done = []
    while waiting:
        call = waiting.pop().call
        done.append(call)
        waiting += finish(graph, progress, call, labels.get(call))[::-1]
    return done


def under_way(flow, *ended):
    """The stored record after these calls have ended, each with its label."""
    graph, progress = build_graph(flow), Progress()
    begin(graph, progress)
    for call, label in ended:
        finish(graph, progress, call, label)
    return json.loads(json.dumps(to_dict(progress)))


def test_an_alternative_told_of_a_step_is_not_told_anew_of_the_label_a_loop_ends_with():
    answers = {Call("choose", 1): "again", Call("choose", 2): "done"}

    assert run(Looping, answers.items()) == [("begin", 1), ("choose", 1), ("choose", 2), ("either", 1)]


def test_an_alternative_fires_again_for_the_label_of_another_start():
    answers = {Call("first", 1): "x", Call("second", 1): "y"}

    assert run(Labelled, answers.items()) == [("first", 1), ("either", 1), ("second", 1), ("either", 2)]


def test_a_label_is_told_after_all_that_the_steps_name_set_in_motion():
    done = [call.method for call in run(Later, [(Call("choose", 1), "x")])]

    assert done == ["begin", "choose", "first", "second", "third"]


@pytest.mark.parametrize(
    ("ended", "heard"),
    [
        pytest.param(["first"], {".1": [0]}, id="a part of the inner join"),
        pytest.param(["first", "second"], {"": [1]}, id="the whole inner join"),
    ],
)
def test_a_join_keeps_of_its_inner_join_no_more_than_it_needs(ended, heard):
    record = under_way(Joining, *((Call(method, 1), None) for method in ended))

    assert record["heard"] == {"joins": heard}


def test_a_label_of_a_start_is_told_in_a_wave_with_nothing_after_it():
    (wave,) = under_way(Joining, (Call("third", 1), "x"))["waves"]

    assert (wave["events"], wave["after"], wave["after_joins_parent"]) == (
        [["x", ["third", 1], True, False]],
        None,
        False,
    )


def test_what_only_routers_hear_is_gone_when_they_have_heard_it():
    (wave,) = under_way(Routed, (Call("begin", 1), None), (Call("choose", 1), "again"))["waves"]

    assert (wave["events"], wave["at"]) == ([["again", ["choose", 1], True, False]], 0)


def test_a_started_call_counts_its_attempt_once():
    graph, progress = build_graph(Joining), Progress()
    actives = begin(graph, progress)

    assert mark_started(actives[:1]) == actives[:1]
    assert mark_started(actives) == actives[1:]
    assert [(active.phase, active.attempt) for active in actives] == [(Phase.RUNNING, 1)] * 3


def test_a_call_that_was_never_run_is_as_if_it_had_not_been_started():
    graph, progress = build_graph(Joining), Progress()
    actives = begin(graph, progress)
    mark_started(actives)
    take_back(actives)

    assert [(active.phase, active.attempt) for active in actives] == [(Phase.READY, 0)] * 3
    assert mark_started(actives) == actives
