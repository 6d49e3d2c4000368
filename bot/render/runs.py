"""A run as people see it: the thread's root, its end, its failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.render import blocks
from bot.render.mrkdwn import (
    NOTHING,
    Mrkdwn,
    bold,
    channel_link,
    clamp,
    escape,
    fill,
    from_markdown,
    join,
    one_line,
    quote,
    say,
    truncate,
)
from bot.reviews.content import readable
from bot.types import ChannelId, Language, Message, RunState


def root(
    flow_name: str,
    person: str,
    inputs: Mapping[str, Any],
    language: Language,
    state: RunState | None = None,
) -> Message:
    """The first message of a run's thread."""
    title = say("run.root", language, flow=bold(flow_title(flow_name)), person=one_line(person))
    given = join(fill("{}: {}", one_line(name), one_line(truncate(str(value), 120))) for name, value in inputs.items())
    shown = say(f"run.{state}", language) if state is not None else NOTHING
    text = join([title, shown])
    lines = [blocks.section(text)]
    if given:
        lines.append(blocks.context(given))
    return Message(text=text, blocks=tuple(lines))


def ended(flow_name: str, output: str, language: Language) -> Message:
    """A run that ended without a review: its output is the answer."""
    if not output:
        text = say("run.ended", language, flow=flow_title(flow_name))
        return Message(text=text, blocks=(blocks.section(text),))
    text = from_markdown(truncate(output, 2_500))
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=(blocks.section(text, expand=True),))


def broke(flow_name: str, state: RunState, reference: str, language: Language) -> Message:
    """A run that failed or was interrupted. It names a reference code, never the exception."""
    key = "run.broke_off" if state is RunState.INTERRUPTED else "run.broke"
    text = say(key, language, flow=flow_title(flow_name), reference=escape(reference))
    return Message(text=text, blocks=(blocks.section(fill("⚠️ {}", text)),))


def not_here(channel: ChannelId, flow_name: str, language: Language) -> Message:
    """To whoever started a flow where the bot cannot post."""
    text = say("start.not_here", language, channel=channel_link(channel), flow=flow_title(flow_name))
    return Message(text=text, blocks=(blocks.section(text),))


def not_shown(reference: str, language: Language) -> Message:
    """Something that could not be shown, with the code under which the log explains it."""
    text = say("run.not_shown", language, reference=escape(reference))
    return Message(text=text, blocks=(blocks.context(fill("⚠️ {}", text)),))


def stuck(flow_name: str, reference: str, language: Language) -> Message:
    """A run that cannot go on by a fault of ours or of its catalog."""
    text = say("run.stuck", language, flow=flow_title(flow_name), reference=escape(reference))
    return Message(text=text, blocks=(blocks.context(fill("⚠️ {}", text)),))


def blocked(channel: Mrkdwn, language: Language) -> Message:
    """A review's card that cannot be posted where its flow wants it."""
    text = say("card.blocked", language, channel=channel)
    return Message(text=text, blocks=(blocks.section(fill("⚠️ {}", text)),))


def late_end(flow_name: str, output: str, language: Language) -> Message:
    """The end of a run that took its time after the decision."""
    words = say("run.ended", language, flow=flow_title(flow_name))
    text = join([words, quote(escape(truncate(output, 500)))], "\n") if output else words
    return Message(text=text, blocks=(blocks.section(text),))


def flow_title(name: str) -> Mrkdwn:
    """A flow's name for people."""
    return one_line(truncate(readable(name), 80))
