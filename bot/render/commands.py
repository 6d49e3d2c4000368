"""Answers to commands: help, the list of flows, what is running."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.render import blocks
from bot.render.mrkdwn import (
    NOTHING,
    Mrkdwn,
    bold,
    clamp,
    code,
    escape,
    fill,
    join,
    link,
    mention,
    moment,
    one_line,
    say,
    truncate,
)
from bot.render.runs import flow_title
from bot.reviews.model import Review
from bot.types import Language, Message, Run, UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One flow in the list."""

    description: str
    inputs: tuple[str, ...]
    start: Mrkdwn
    """The command that starts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """One run with its reviews, and the addresses of what can be opened."""

    run: Run
    requester_name: str
    reviews: Sequence[Review]
    url: str | None


def note(text: Mrkdwn) -> Message:
    """One paragraph."""
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=(blocks.section(text),))


def help_text(bot_user: UserId, prefix: Mrkdwn, language: Language) -> Message:
    """What can be said here."""
    commands = say("help.commands", language, p=prefix)
    threads = say("help.threads", language, mention=mention(bot_user))
    return Message(
        text=commands,
        blocks=(
            blocks.section(bold(say("help.title", language))),
            blocks.section(commands),
            blocks.context(threads),
        ),
    )


def flow_list(flows: Iterable[Listed], language: Language) -> Message:
    """The flows that can be started, each with the line that starts it."""
    lines = [_listed(flow, language) for flow in flows]
    if not lines:
        return note(say("list.empty", language))
    title = say("list.title", language)
    return Message(text=title, blocks=(blocks.section(title), *(blocks.section(line) for line in lines[:40])))


def status_list(runs: Sequence[RunStatus], language: Language) -> Message:
    """Several runs, one line each with its reviews."""
    if not runs:
        return note(say("status.none", language))
    title = say("status.title", language)
    lines = [blocks.section(_run(status, language)) for status in runs[:40]]
    return Message(text=title, blocks=(blocks.section(title), *lines))


def status_one(status: RunStatus, language: Language) -> Message:
    """One run with all its reviews."""
    text = _run(status, language)
    return Message(text=clamp(text, blocks.FALLBACK_TEXT), blocks=(blocks.section(text),))


def _listed(flow: Listed, language: Language) -> Mrkdwn:
    names = join([code(each) for each in flow.inputs[:8]], ", ")
    inputs = say("list.inputs", language, names=names) if names else NOTHING
    return join([join([fill("`{}`", flow.start), inputs]), escape(truncate(flow.description, 200))], "\n")


def _run(status: RunStatus, language: Language) -> Mrkdwn:
    run = status.run
    head = say(
        "status.run",
        language,
        id=fill("F-{}", run.n),
        flow=bold(flow_title(run.flow_name)),
        state=say(f"run.{run.state}", language),
        person=one_line(status.requester_name),
        time=moment(run.created_at, "{date_short_pretty} {time}"),
    )
    if status.url is not None:
        head = join([head, link(status.url, say("link.open", language))])
    lines = [
        say(
            "status.review",
            language,
            id=fill("R-{}", review.n),
            round=review.round,
            state=say(f"state.{review.state}", language),
        )
        for review in status.reviews
    ]
    return join([head, *(fill("    {}", line) for line in lines)], "\n")
