"""A structure as a mermaid text."""

from __future__ import annotations

from flows.graph.structure import Edge, FlowStructure, Node

_SHAPES = {"start": ('(["', '"])'), "router": ('{"', '"}'), "listen": ('["', '"]')}


def mermaid(structure: FlowStructure) -> str:
    """A left-to-right flowchart; starts are rounded, routers are diamonds, labels stand on their arrows."""
    lines = ["flowchart LR"]
    lines += [f"    {_node(name, node)}" for name, node in structure["nodes"].items()]
    lines += [f"    {_edge(edge)}" for edge in structure["edges"]]
    return "\n".join(lines) + "\n"


def _node(name: str, node: Node) -> str:
    opening, closing = _SHAPES[node["type"]]
    return f"{name}{opening}{name}{closing}"


def _edge(edge: Edge) -> str:
    if edge["router_event"] is not None:
        label = edge["router_event"].replace('"', "'").replace("|", "/")
        return f'{edge["source"]} -->|"{label}"| {edge["target"]}'
    return f"{edge['source']} {'-.->' if edge['condition_type'] == 'AND' else '-->'} {edge['target']}"
