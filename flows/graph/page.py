"""A structure as one web page that needs nothing beside it: a drawing in SVG, a style and a script."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from flows.graph.structure import Edge, FlowStructure

WIDTH, HEIGHT = 190, 46
COLUMN, ROW = 270, 86
MARGIN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The text of a picture, and what it is made of."""

    html: str
    """The whole page, style and script included."""
    css: str
    js: str


@dataclass(frozen=True, slots=True)
class _Spot:
    x: int
    y: int


def page(structure: FlowStructure) -> Page:
    """The page of one flow. Routers and reviews show the labels that they declare."""
    spots = _layout(structure)
    width = max((spot.x for spot in spots.values()), default=0) + WIDTH + MARGIN
    height = max((spot.y for spot in spots.values()), default=0) + HEIGHT + 2 * MARGIN
    edges = "\n".join(_edge(edge, spots) for edge in structure["edges"])
    nodes = "\n".join(_node(structure, name, spot) for name, spot in spots.items())
    title = escape(structure["name"])
    html = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{_CSS}</style>
</head>
<body>
<h1>{title}</h1>
<svg role="img" aria-label="{title}" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z"/></marker></defs>
{edges}
{nodes}
</svg>
<p class="legend"><span class="start">start</span> <span class="router">router or review, with its labels</span>
<span class="listen">listener</span> A dashed arrow waits for all of its parts.</p>
<script>
{_JS}</script>
</body>
</html>
"""
    return Page(html=html, css=_CSS, js=_JS)


def _layout(structure: FlowStructure) -> dict[str, _Spot]:
    """A place for each step: its column is its distance from a start, its row the order within the column."""
    columns = dict.fromkeys(structure["start_methods"], 0)
    waiting = list(columns)
    while waiting:
        source = waiting.pop(0)
        for edge in structure["edges"]:
            if edge["source"] == source and edge["target"] not in columns:
                columns[edge["target"]] = columns[source] + 1
                waiting.append(edge["target"])
    # What no start leads to is drawn after the rest, so that it is seen.
    last = max(columns.values(), default=0) + 1
    rows: dict[int, int] = {}
    spots: dict[str, _Spot] = {}
    for name in structure["nodes"]:
        column = columns.get(name, last)
        row = rows.get(column, 0)
        rows[column] = row + 1
        spots[name] = _Spot(MARGIN + column * COLUMN, MARGIN + row * ROW)
    return spots


def _node(structure: FlowStructure, name: str, spot: _Spot) -> str:
    node = structure["nodes"][name]
    about = escape(node["description"] or name)
    outcomes = " · ".join(node["router_events"])
    labels = f'<text class="outcomes" x="{WIDTH // 2}" y="{HEIGHT + 14}">{escape(outcomes)}</text>' if outcomes else ""
    return (
        f'<g class="node {node["type"]}" data-name="{escape(name)}" transform="translate({spot.x} {spot.y})">'
        f'<title>{about}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="9"/>'
        f'<text x="{WIDTH // 2}" y="{HEIGHT // 2 + 5}">{escape(_shortened(name))}</text>{labels}</g>'
    )


def _edge(edge: Edge, spots: dict[str, _Spot]) -> str:
    source, target = spots[edge["source"]], spots[edge["target"]]
    start_x, start_y = source.x + WIDTH, source.y + HEIGHT // 2
    end_x, end_y = target.x, target.y + HEIGHT // 2
    if end_x > start_x:
        bend = (end_x - start_x) // 2
        curve = f"M{start_x} {start_y} C{start_x + bend} {start_y} {end_x - bend} {end_y} {end_x} {end_y}"
        label_x, label_y = (start_x + end_x) // 2, (start_y + end_y) // 2 - 6
    else:
        # A way back runs below the steps.
        low = max(source.y, target.y) + HEIGHT + 26
        start_x, end_x = source.x + WIDTH // 2, target.x + WIDTH // 2
        start_y, end_y = source.y + HEIGHT, target.y + HEIGHT
        curve = f"M{start_x} {start_y} C{start_x} {low} {end_x} {low} {end_x} {end_y}"
        label_x, label_y = (start_x + end_x) // 2, low - 4
    kind = "edge and" if edge["condition_type"] == "AND" else "edge"
    label = edge["router_event"]
    text = f'<text class="label" x="{label_x}" y="{label_y}">{escape(label)}</text>' if label else ""
    names = f'data-source="{escape(edge["source"])}" data-target="{escape(edge["target"])}"'
    return f'<g class="{kind}" {names}><path d="{curve}" marker-end="url(#tip)"/>{text}</g>'


def _shortened(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


_CSS = """:root {
  color-scheme: light dark;
  --ink: #1d1c1d; --soft: #6b6a6b; --start: #007a5a; --router: #b45309; --listen: #1264a3;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --soft: #a0a0a0; --start: #2bac76; --router: #e0a030; --listen: #4aa3df; }
}
body { font: 15px/1.4 system-ui, sans-serif; margin: 24px; color: var(--ink); background: Canvas; }
svg { max-width: 100%; height: auto; }
.node rect { fill: Canvas; stroke-width: 2; }
.node text { text-anchor: middle; fill: var(--ink); font-size: 14px; }
.node .outcomes { fill: var(--soft); font-size: 11px; }
.node.start rect { stroke: var(--start); }
.node.router rect { stroke: var(--router); stroke-dasharray: 7 3; }
.node.listen rect { stroke: var(--listen); }
.edge path { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.edge.and path { stroke-dasharray: 4 4; }
.edge text { text-anchor: middle; fill: var(--soft); font-size: 12px; }
.edge text { paint-order: stroke; stroke: Canvas; stroke-width: 4px; }
#tip path { fill: var(--soft); }
.faded { opacity: .2; }
.legend { color: var(--soft); }
.legend .start { color: var(--start); }
.legend .router { color: var(--router); }
.legend .listen { color: var(--listen); }
"""

_JS = """// Pointing at a step fades everything that does not touch it.
for (const node of document.querySelectorAll(".node")) {
  const name = node.dataset.name;
  const touches = (item) => item.dataset.source === name || item.dataset.target === name;
  node.addEventListener("mouseenter", () => {
    const near = new Set([name]);
    for (const edge of document.querySelectorAll(".edge")) {
      if (touches(edge)) { near.add(edge.dataset.source); near.add(edge.dataset.target); }
      else { edge.classList.add("faded"); }
    }
    for (const other of document.querySelectorAll(".node")) {
      if (!near.has(other.dataset.name)) { other.classList.add("faded"); }
    }
  });
  node.addEventListener("mouseleave", () => {
    for (const item of document.querySelectorAll(".faded")) { item.classList.remove("faded"); }
  });
}
"""
