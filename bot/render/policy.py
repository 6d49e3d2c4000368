"""The explanation of all policies: as a table for a terminal, as JSON, and as a message."""

from __future__ import annotations

from typing import Any

from bot.render import blocks
from bot.render.mrkdwn import Mrkdwn, bold, clamp, code, fill, join, one_line, say, unescape
from bot.reviews.explain import Cell, Explanation, Phrase, Row
from bot.reviews.policy_layers import BUILT_IN
from bot.types import Language, Message

_MOST_ROWS = 40
_MARKS = {"": " ", "empty": "!", "warning": "?"}
_COMMAND = "placet policy explain"


def phrase(said: Phrase, language: Language) -> Mrkdwn:
    """One phrase in words."""
    return say(said.key, language, **{name: one_line(value) for name, value in said.values.items()})


def table(explanation: Explanation, language: Language) -> str:
    """Every cell on a line: its mark, its name, what it says, and where that comes from.

    `!` marks a cell that nobody has filled, `?` one that leaves nobody.
    """
    lines: list[str] = []
    for row in explanation.rows:
        lines += ["", unescape(_title(row, language))]
        labels = [unescape(say(f"policy.cell.{cell.name}", language)) for cell in row.cells]
        width = max(map(len, labels))
        for label, cell in zip(labels, row.cells, strict=True):
            words = unescape(_words(cell, language))
            source = unescape(_source(cell.source, language)).strip("`")
            lines.append(f"{_MARKS[cell.mark]} {label:<{width}}  {words}  [{source}]")
    return "\n".join([*lines[1:], "", unescape(_summary(explanation, language))])


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The same for machines. mark is empty, `empty` or `warning`."""
    return {
        "digest": explanation.digest,
        "rows": [
            {
                "gate": row.gate or None,
                "tier": None if row.tier is None else row.tier.value,
                "waits": row.wait or "review",
                "cells": {
                    cell.name: {
                        "says": [unescape(phrase(said, "en")) for said in cell.says],
                        "source": cell.source,
                        "mark": cell.mark,
                    }
                    for cell in row.cells
                },
            }
            for row in explanation.rows
        ],
        "empty": len(explanation.empty),
    }


def message(explanation: Explanation, language: Language) -> Message:
    """The same for Slack: one section for each thing that waits."""
    title = say("policy.title", language)
    # What has a gap comes first, so that it is not what is cut off.
    gaps = {id(row) for row, _ in explanation.empty}
    rows = sorted(explanation.rows, key=lambda row: id(row) not in gaps)
    sections = [blocks.section(_row(row, language), expand=True) for row in rows[:_MOST_ROWS]]
    more = len(rows) - len(sections)
    if more > 0:
        sections.append(blocks.context(say("policy.more", language, count=more, command=code(_COMMAND))))
    summary = _summary(explanation, language)
    return Message(
        text=join([title, summary]), blocks=(blocks.section(bold(title)), *sections, blocks.context(summary))
    )


def _row(row: Row, language: Language) -> Mrkdwn:
    lines = [
        fill(
            "{}{}: {} ({})",
            fill("⚠️ ") if cell.mark else fill("• "),
            say(f"policy.cell.{cell.name}", language),
            _words(cell, language),
            _source(cell.source, language),
        )
        for cell in row.cells
    ]
    return clamp(join([bold(_title(row, language)), *lines], "\n"), blocks.SECTION_TEXT)


def _title(row: Row, language: Language) -> Mrkdwn:
    parts = [one_line(row.gate)]
    if row.tier is not None:
        parts.append(say(f"tier.{row.tier}", language))
    if row.wait is not None:
        parts.append(say(f"policy.wait.{row.wait}", language))
    return join(parts)


def _words(cell: Cell, language: Language) -> Mrkdwn:
    return join((phrase(said, language) for said in cell.says), " → " if cell.name == "ladder" else "; ")


def _source(source: str, language: Language) -> Mrkdwn:
    if not source:
        return say("policy.empty", language)
    if source == BUILT_IN:
        return say("policy.source.built_in", language)
    if source.startswith("tier "):
        return say("policy.source.tier", language)
    if source.startswith("step "):
        return say("policy.source.step", language)
    return code(source)


def _summary(explanation: Explanation, language: Language) -> Mrkdwn:
    count = len(explanation.empty)
    return say("policy.gaps", language, count=count) if count else say("policy.no_gaps", language)
