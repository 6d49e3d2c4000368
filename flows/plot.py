"""A flow's picture as files: a page, and a text for mermaid."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from flows.engine.classes import graph_of
from flows.engine.run import run_of
from flows.events import FlowPlotted
from flows.graph.mermaid import mermaid
from flows.graph.page import page
from flows.graph.structure import FlowStructure, structure_of


def build_flow_structure(flow: Any) -> FlowStructure:
    """Nodes and edges of a flow class or instance. Raises GraphError for a class that describes no graph."""
    return structure_of(graph_of(flow if isinstance(flow, type) else type(flow)))


def mermaid_of(flow: Any) -> str:
    """A flow class or instance as a mermaid flowchart."""
    return mermaid(build_flow_structure(flow))


def visualize_flow_structure(structure: FlowStructure, filename: str | Path = "flow_plot", show: bool = True) -> str:
    """Writes a page that needs nothing beside it, and the mermaid text as `.mmd`; returns the page's path.

    filename may hold a directory, which is made; ".html" is added when it is missing. show opens a browser.
    """
    given = Path(filename).expanduser()
    target = given if given.suffix == ".html" else given.with_name(f"{given.name}.html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(structure).html, encoding="utf-8")
    target.with_suffix(".mmd").write_text(mermaid(structure), encoding="utf-8")
    if show:
        webbrowser.open(target.resolve().as_uri())
    return str(target)


def plot(flow: Any, filename: str | Path, *, show: bool) -> str:
    """Draws a flow instance; see `visualize_flow_structure`."""
    run = run_of(flow)
    if run.listeners:
        run.emit(FlowPlotted(flow_name=run.name, flow_id=run.flow_id))
    return visualize_flow_structure(build_flow_structure(flow), filename, show)
