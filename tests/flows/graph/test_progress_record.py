"""The stored form of a run's progress: what an older run wrote must be read by a newer program."""

import json

from flows import Flow, and_, listen, or_, router, start
from flows.graph.definition import build_graph
from flows.graph.progress import Active, Call, Event, Phase, Progress, Role, Wave, begin, finish, mark_started
from flows.graph.progress_record import from_dict, to_dict

FIRST, CHOICE = Call("begin", 1), Call("choose", 2)

RECORD = Progress(
    counts={"begin": 1, "choose": 2},
    fired={"b", "a"},
    heard={"joins": {"": {1, 0}, ".1": {2}}},
    waves={
        3: Wave(
            number=3,
            parent=2,
            events=[Event("begin", FIRST, False), Event("left", CHOICE, True, True)],
            after=Event("done", FIRST, True),
            after_joins_parent=True,
            is_routing=False,
            at=1,
            queue=["more"],
            open=2,
            raised_by=["choose"],
            fired={"hears": True},
        )
    },
    active={
        CHOICE: Active(
            call=CHOICE,
            role=Role.ROUTER,
            wave=3,
            cause=Event("begin", FIRST, False),
            attempt=4,
            phase=Phase.WAITING,
        ),
        FIRST: Active(call=FIRST, role=Role.START, wave=None, cause=None),
    },
    next_wave=5,
)

STORED = {
    "counts": {"begin": 1, "choose": 2},
    "fired": ["a", "b"],
    "heard": {"joins": {"": [0, 1], ".1": [2]}},
    "next_wave": 5,
    "waves": [
        {
            "number": 3,
            "parent": 2,
            "events": [["begin", ["begin", 1], False, False], ["left", ["choose", 2], True, True]],
            "after": ["done", ["begin", 1], True, False],
            "after_joins_parent": True,
            "is_routing": False,
            "at": 1,
            "queue": ["more"],
            "open": 2,
            "raised_by": ["choose"],
            "fired": {"hears": True},
        }
    ],
    "active": [
        {
            "call": ["choose", 2],
            "role": "router",
            "wave": 3,
            "cause": ["begin", ["begin", 1], False, False],
            "attempt": 4,
            "phase": "waiting",
        },
        {"call": ["begin", 1], "role": "start", "wave": None, "cause": None, "attempt": 0, "phase": "ready"},
    ],
}


def test_a_record_is_written_in_this_form():
    assert json.loads(json.dumps(to_dict(RECORD))) == STORED


def test_this_form_is_read_back_with_every_type():
    read = from_dict(STORED)

    assert read == RECORD
    assert [type(active.phase) for active in read.active.values()] == [Phase, Phase]
    assert [type(active.role) for active in read.active.values()] == [Role, Role]
    assert [type(event) for event in read.waves[3].events] == [Event, Event]


def test_what_is_read_shares_nothing_with_what_was_stored():
    stored = json.loads(json.dumps(STORED))
    read = from_dict(stored)
    read.counts["begin"] = 9
    read.fired.clear()
    read.heard["joins"][""].clear()
    read.waves[3].queue.clear()
    read.waves[3].raised_by.clear()
    read.waves[3].fired.clear()

    assert stored == STORED


def test_a_new_run_is_nothing_yet():
    assert to_dict(Progress()) == {
        "counts": {},
        "fired": [],
        "heard": {},
        "next_wave": 1,
        "waves": [],
        "active": [],
    }


class Some(Flow):
    @start()
    def begin(self):
        pass

    @router(begin, emit=["left", "right"])
    def choose(self):
        pass

    @listen(or_("right", "begin"))
    def either(self):
        pass

    @listen(and_("begin", or_("right", and_("left", "never"))))
    def joins(self):
        pass


def test_a_run_under_way_is_written_with_its_waves_and_what_was_heard():
    graph, progress = build_graph(Some), Progress()
    (first,) = mark_started(begin(graph, progress))
    (choice,) = finish(graph, progress, first.call, None)
    (either,) = finish(graph, progress, choice.call, "left")
    after = finish(graph, progress, either.call, None)

    assert after == []
    assert json.loads(json.dumps(to_dict(progress))) == {
        "counts": {"begin": 1, "choose": 1, "either": 1},
        "fired": ["either"],
        "heard": {"joins": {"": [0], ".1.1": [0]}},
        "next_wave": 2,
        "waves": [],
        "active": [],
    }


def test_a_run_that_waits_for_its_router_is_written_with_the_wave():
    graph, progress = build_graph(Some), Progress()
    (first,) = mark_started(begin(graph, progress))
    finish(graph, progress, first.call, "right")

    assert json.loads(json.dumps(to_dict(progress)))["waves"] == [
        {
            "number": 1,
            "parent": None,
            "events": [["begin", ["begin", 1], False, False]],
            "after": ["right", ["begin", 1], True, False],
            "after_joins_parent": False,
            "is_routing": True,
            "at": 0,
            "queue": [],
            "open": 1,
            "raised_by": [],
            "fired": {},
        }
    ]


def test_roles_and_phases_are_stored_by_these_words():
    assert [role.value for role in Role] == ["start", "router", "listener"]
    assert [phase.value for phase in Phase] == ["ready", "running", "asking", "waiting"]
