"""Section 15 of the engine's rules: a flow as nodes, edges and a page."""

from typing import Literal
from xml.etree import ElementTree

import pytest

from flows import Flow, and_, build_flow_structure, human_feedback, listen, or_, router, start
from flows.plot import mermaid_of


class Some(Flow):
    @start()
    def begin(self):
        """Begins <it> all."""

    @router(begin)
    def choose(self) -> Literal["left", "right"]:
        return "left"

    @listen("left")
    def on_left(self):
        pass

    @listen(or_("right", on_left))
    def either(self):
        pass

    @listen(and_("right", begin))
    def both(self):
        pass

    @listen(either)
    @human_feedback(message="?", emit=["left", "done"], default_outcome="done")
    def review(self):
        pass


def test_v1_nodes_say_what_each_step_is():
    nodes = build_flow_structure(Some)["nodes"]

    assert {name: node["type"] for name, node in nodes.items()} == {
        "begin": "start",
        "choose": "router",
        "on_left": "listen",
        "either": "listen",
        "both": "listen",
        "review": "router",
    }
    assert {name: node["condition_type"] for name, node in nodes.items()} == {
        "begin": None,
        "choose": "IF",
        "on_left": "OR",
        "either": "OR",
        "both": "AND",
        "review": "IF",
    }
    assert nodes["choose"]["router_events"] == ["left", "right"]
    assert nodes["either"]["trigger_methods"] == ["right", "on_left"]
    assert nodes["begin"]["class_name"] == "Some"


def test_v1_edges_say_what_leads_where():
    edges = [
        (edge["source"], edge["router_event"] or edge["condition_type"], edge["target"])
        for edge in build_flow_structure(Some())["edges"]
    ]

    assert edges == [
        ("begin", "OR", "choose"),
        ("on_left", "OR", "either"),
        ("begin", "AND", "both"),
        ("either", "OR", "review"),
        ("choose", "left", "on_left"),
        ("choose", "right", "either"),
        ("review", "left", "on_left"),
    ]


def test_v1_starts_and_routers_are_listed():
    structure = build_flow_structure(Some)

    assert (structure["start_methods"], structure["router_methods"]) == (["begin"], ["choose", "review"])


def test_v1_a_router_never_leads_to_itself():
    class Loop(Flow):
        @start()
        def begin(self):
            pass

        @router(or_("begin", "again"), emit=["again"])
        def loop(self):
            pass

    assert [edge["source"] for edge in build_flow_structure(Loop)["edges"]] == ["begin"]


def test_v1_what_cannot_be_drawn_is_warned_of(caplog):
    class Unclear(Flow):
        @start()
        def begin(self):
            pass

        @router(begin)
        def choose(self):
            pass

        @listen("begn")
        def hears(self):
            pass

    build_flow_structure(Unclear)

    assert "Unclear.choose declares no labels" in caplog.text
    assert "Did you mean 'begin'?" in caplog.text


@pytest.mark.parametrize("suffix", ["", ".html"], ids=["without suffix", "with suffix"])
def test_v2_the_page_is_written_where_it_was_asked_for(tmp_path, suffix):
    path = Some().plot(filename=str(tmp_path / "pictures" / f"mine{suffix}"), show=False)

    folder = tmp_path / "pictures"
    assert path == str(folder / "mine.html")
    assert sorted(item.name for item in folder.iterdir()) == ["mine.html", "mine.mmd"]
    assert (folder / "mine.mmd").read_text() == mermaid_of(Some)


def test_v2_the_page_draws_every_step_and_every_edge(tmp_path):
    page = (tmp_path / "mine.html").resolve()
    Some().plot(filename=str(page), show=False)
    text = page.read_text()

    drawing = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    groups = drawing.findall("g")
    assert [item.get("data-name") for item in groups if item.get("data-name")] == [
        "begin",
        "choose",
        "on_left",
        "either",
        "both",
        "review",
    ]
    assert len([item for item in groups if item.get("data-source")]) == 7
    assert "Begins &lt;it&gt; all." in text
    assert "href=" not in text
    assert "src=" not in text


def test_v2_steps_do_not_lie_on_each_other(tmp_path):
    Some().plot(filename=str(tmp_path / "mine"), show=False)
    text = (tmp_path / "mine.html").read_text()
    places = [part.split('"')[0] for part in text.split('transform="')[1:]]

    assert len(places) == len(set(places)) == 6


def test_v2_a_picture_is_an_event(tmp_path):
    events = []
    Some(on_event=events.append).plot(filename=str(tmp_path / "mine"), show=False)

    assert [event.type for event in events] == ["flow_created", "flow_plot"]


def test_a_flow_is_a_mermaid_flowchart_too():
    assert mermaid_of(Some).splitlines()[:3] == ["flowchart LR", '    begin(["begin"])', '    choose{"choose"}']
    assert '    choose -->|"left"| on_left' in mermaid_of(Some).splitlines()
    assert "    begin -.-> both" in mermaid_of(Some).splitlines()
