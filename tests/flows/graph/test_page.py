"""A flow's page: where the steps and the arrows lie, and the texts around them."""

import re
from xml.etree import ElementTree

import pytest

from flows import Flow, and_, build_flow_structure, listen, or_, router, start
from flows.graph.page import page

LONGEST = "a" * 24


class Looping(Flow):
    """Columns: begin; choose and beside; later. The label "again" leads back, and nothing leads to lost."""

    @start()
    def begin(self):
        """Begins <it> all."""

    @router(or_(begin, "again"), emit=["on"])
    def choose(self):
        return "on"

    @listen(begin)
    def beside(self):
        pass

    @router("on", emit=["again", "<b>"])
    def later(self):
        return "again"

    @listen("nothing raises this")
    def lost(self):
        pass


def drawn(flow):
    return page(build_flow_structure(flow))


def drawing(flow):
    html = drawn(flow).html
    return ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])


def groups(flow, attribute):
    return [item for item in drawing(flow).findall("g") if item.get(attribute)]


def test_the_page_is_whole():
    class One(Flow):
        @start()
        def begin(self):
            """Begins <it> all."""

        @listen(begin)
        def end(self):
            pass

    picture = drawn(One)

    assert picture.html.replace(picture.css, "(style)\n").replace(picture.js, "(script)\n") == (
        """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>One</title>
<style>
(style)
</style>
</head>
<body>
<h1>One</h1>
<svg role="img" aria-label="One" viewBox="0 0 540 166" width="540" height="166">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<g class="edge" data-source="begin" data-target="end">"""
        """<path d="M230 63 C270 63 270 63 310 63" marker-end="url(#tip)"/></g>
<g class="node start" data-name="begin" transform="translate(40 40)"><title>Begins &lt;it&gt; all.</title>"""
        """<rect width="190" height="46" rx="9"/><text x="95" y="28">begin</text></g>
<g class="node listen" data-name="end" transform="translate(310 40)"><title>end</title>"""
        """<rect width="190" height="46" rx="9"/><text x="95" y="28">end</text></g>
</svg>
<p class="legend"><span class="start">start</span> <span class="router">router or review, with its labels</span>
<span class="listen">listener</span> A dashed arrow waits for all of its parts.</p>
<script>
(script)
</script>
</body>
</html>
"""
    )


def test_nothing_stands_between_the_parts_of_a_drawing():
    svg = drawing(Looping)

    assert {item.tail for item in svg} == {"\n"}
    assert {part.tail for item in svg.findall("g") for part in item} == {None}


def test_an_arrow_that_waits_for_all_of_its_parts_is_marked():
    class Joining(Flow):
        @start()
        def first(self):
            pass

        @start()
        def second(self):
            pass

        @listen(first)
        def hears(self):
            pass

        @listen(and_(first, second))
        def joins(self):
            pass

    kinds = [(item.get("data-target"), item.get("class")) for item in groups(Joining, "data-source")]

    assert kinds == [("hears", "edge"), ("joins", "edge and"), ("joins", "edge and")]


def test_without_a_start_all_steps_stand_in_the_second_column():
    class Headless(Flow):
        @listen("nothing raises this")
        def lost(self):
            pass

    assert [item.get("transform") for item in groups(Headless, "data-name")] == ["translate(310 40)"]


def test_a_step_stands_in_the_column_of_its_distance_and_what_is_not_reached_stands_last():
    places = {item.get("data-name"): item.get("transform") for item in groups(Looping, "data-name")}

    assert places == {
        "begin": "translate(40 40)",
        "choose": "translate(310 40)",
        "beside": "translate(310 126)",
        "later": "translate(580 40)",
        "lost": "translate(850 40)",
    }


def test_the_drawing_has_room_for_all_steps():
    svg = drawing(Looping)

    assert (svg.get("viewBox"), svg.get("width"), svg.get("height")) == ("0 0 1080 252", "1080", "252")


def test_an_arrow_runs_from_side_to_side_and_a_way_back_runs_below():
    paths = {
        (item.get("data-source"), item.get("data-target")): item.find("path").get("d")
        for item in groups(Looping, "data-source")
    }

    assert paths == {
        ("begin", "choose"): "M230 63 C270 63 270 63 310 63",
        ("begin", "beside"): "M230 63 C270 63 270 149 310 149",
        ("choose", "later"): "M500 63 C540 63 540 63 580 63",
        ("later", "choose"): "M675 86 C675 112 405 112 405 86",
    }


def test_a_label_stands_at_the_middle_of_its_arrow():
    labels = [
        (text.text, text.get("class"), text.get("x"), text.get("y"))
        for item in groups(Looping, "data-source")
        for text in item.findall("text")
    ]

    assert labels == [("on", "label", "540", "57"), ("again", "label", "540", "108")]


def test_a_routers_labels_stand_below_the_middle_of_its_box():
    labels = [
        (item.get("data-name"), text.text, text.get("x"), text.get("y"))
        for item in groups(Looping, "data-name")
        for text in item.findall("text[@class='outcomes']")
    ]

    assert labels == [("choose", "on", "95", "60"), ("later", "again · <b>", "95", "60")]


@pytest.mark.parametrize(
    ("name", "shown"), [(LONGEST, LONGEST), (f"{LONGEST}b", f"{LONGEST[:23]}…")], ids=["longest", "too long"]
)
def test_a_long_name_is_shortened_where_it_is_drawn_and_nowhere_else(name, shown):
    flow = type("Named", (Flow,), {name: start()(lambda self: None)})
    (group,) = groups(flow, "data-name")

    assert (group.get("data-name"), group.find("title").text, group.find("text").text) == (name, name, shown)


def test_a_flow_without_steps_is_an_empty_drawing():
    class Empty(Flow):
        pass

    svg = drawing(Empty)

    assert svg.get("viewBox") == "0 0 230 126"
    assert svg.findall("g") == []


def test_the_style_is_made_of_rules_and_nothing_else():
    rule = r"[^{}]+\{[^{}]*\}\s*"

    assert re.fullmatch(rf"({rule}|@media [^{{}}]+\{{\s*({rule})+\}}\s*)+", drawn(Looping).css)


def test_the_script_is_statements_and_nothing_else():
    script = drawn(Looping).js

    assert script.startswith("// Pointing at a step fades everything that does not touch it.\n")
    assert script.endswith("\n}\n")


def test_a_router_shows_its_labels():
    (node,) = [group for group in groups(Looping, "data-name") if group.get("data-name") == "later"]

    assert [text.text for text in node.findall("text")] == ["later", "again · <b>"]
