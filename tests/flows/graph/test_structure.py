"""A flow's structure as drawing tools read it, and what cannot be drawn."""

import pytest

from flows import Flow, and_, build_flow_structure, listen, or_, router, start


class Some(Flow):
    @start()
    def begin(self):
        """Begins all.

        And more.
        """

    @router(begin, emit=["left", "right"])
    def choose(self):
        return "left"

    @listen(or_("left", "left", choose))
    def hears(self):
        pass

    @listen(or_("right", and_("left", hears)))
    def joins(self):
        pass


def node(kind, *, waits_for=(), labels=(), condition_type=None, description=""):
    return {
        "type": kind,
        "is_router": kind == "router",
        "router_events": list(labels),
        "trigger_methods": list(waits_for),
        "condition_type": condition_type,
        "class_name": "Some",
        "description": description,
    }


def named(source, target, condition_type="OR"):
    return {
        "source": source,
        "target": target,
        "condition_type": condition_type,
        "is_router_event": False,
        "router_event": None,
    }


def labelled(source, label, target):
    return {
        "source": source,
        "target": target,
        "condition_type": None,
        "is_router_event": True,
        "router_event": label,
    }


@pytest.mark.parametrize("flow", [Some, Some()], ids=["class", "instance"])
def test_a_structure_is_all_that_a_drawing_needs(flow):
    assert build_flow_structure(flow) == {
        "name": "Some",
        "nodes": {
            "begin": node("start", description="Begins all."),
            "choose": node("router", waits_for=["begin"], labels=["left", "right"], condition_type="IF"),
            "hears": node("listen", waits_for=["left", "choose"], condition_type="OR"),
            "joins": node("listen", waits_for=["right", "left", "hears"], condition_type="OR"),
        },
        "edges": [
            named("begin", "choose"),
            named("choose", "hears"),
            named("hears", "joins"),
            labelled("choose", "left", "hears"),
            labelled("choose", "right", "joins"),
        ],
        "start_methods": ["begin"],
        "router_methods": ["choose"],
    }


def test_a_start_that_routes_is_drawn_as_a_router_and_listed_as_both():
    class Both(Flow):
        @start()
        @router(emit=["go"])
        def choose(self):
            return "go"

    structure = build_flow_structure(Both)

    assert structure["nodes"]["choose"]["type"] == "router"
    assert (structure["start_methods"], structure["router_methods"]) == (["choose"], ["choose"])


def test_a_class_whose_graph_is_whole_is_drawn_without_a_word(caplog):
    build_flow_structure(Some)

    assert caplog.records == []


def test_each_thing_that_cannot_be_drawn_is_said(caplog):
    class Unclear(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            pass

        @listen(or_("begn", "something else"))
        def hears(self):
            pass

    build_flow_structure(Unclear)

    assert [record.getMessage() for record in caplog.records] == [
        "Unclear.choose declares no labels, so the picture cannot show where it leads.",
        "Unclear.hears waits for 'begn', which no router declares. Did you mean 'begin'?",
        "Unclear.hears waits for 'something else', which no router declares.",
    ]
