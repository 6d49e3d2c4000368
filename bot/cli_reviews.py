"""The command line of reviews: `placet reviews …`, `placet pause` and `placet continue`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

if TYPE_CHECKING:
    from bot.desk import Desk
    from bot.reviews.model import Review

app = typer.Typer(help="Reviews: what waits, what happened, and moving one without deciding it.", no_args_is_help=True)
T = TypeVar("T")

_Name = Annotated[str, typer.Argument(help="The review, such as R-7.")]
_Db = Annotated[Path | None, typer.Option("--db", help="The database; DATABASE by default. It may be in use.")]
_Team = Annotated[str | None, typer.Option(help="The workspace, T…; needed where a database has several.")]
_Json = Annotated[bool, typer.Option("--json", help="For machines.")]


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    db: _Db = None,
    team: _Team = None,
    as_json: _Json = False,
) -> None:
    """What waits for somebody, oldest first."""

    async def rows(desk: Desk) -> list[dict[str, Any]]:
        from bot.desk import row_of

        store = desk.reviews.store
        found = await store.newest(desk.team) if everything else await store.pending(desk.team)
        return [row_of(review) for review in found]

    _show(_at(rows, db, team), as_json, ("review", "state", "gate", "tier", "asked", "expires_at"), "Nothing waits.")


@app.command()
def show(name: _Name, db: _Db = None, team: _Team = None, as_json: _Json = False) -> None:
    """One review: where it stands, who is asked, until when."""

    async def row(desk: Desk) -> dict[str, Any]:
        from bot.desk import row_of

        return row_of(await desk.find(name))

    found = _at(row, db, team)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        for key, value in found.items():
            typer.echo(f"{key:12} {_cell(value)}")


@app.command()
def history(name: _Name, db: _Db = None, team: _Team = None, as_json: _Json = False) -> None:
    """The whole record of one review, oldest first."""

    async def lines(desk: Desk) -> list[dict[str, Any]]:
        from bot.desk import line_of

        return [line_of(entry) for entry in await desk.history(name)]

    shown = ("at", "kind", "actor", "from", "to", "outcome", "reason_code", "detail")
    _show(_at(lines, db, team), as_json, shown, "There is no record.")


@app.command()
def remind(name: _Name, db: _Db = None, team: _Team = None) -> None:
    """Remind those who are asked, now."""
    _moved(lambda desk: desk.remind(name), db, team, "{0} will be reminded of R-{1}.")


@app.command()
def escalate(name: _Name, db: _Db = None, team: _Team = None) -> None:
    """Move a review one rung up its ladder, now."""
    _moved(lambda desk: desk.escalate(name), db, team, "R-{1} is for {0} now.")


@app.command()
def reassign(
    name: _Name,
    to: Annotated[str, typer.Argument(help="A person U…, a user group S… or a channel C….")],
    db: _Db = None,
    team: _Team = None,
) -> None:
    """Ask somebody else instead. The time that is left stays what it is."""
    _moved(lambda desk: desk.reassign(name, to), db, team, "R-{1} is for {0} now.")


@app.command()
def cancel(name: _Name, db: _Db = None, team: _Team = None) -> None:
    """End a review without a decision; its flow does not go on."""
    _moved(lambda desk: desk.cancel(name), db, team, "R-{1} is cancelled.")


@app.command()
def lift(name: _Name, db: _Db = None, team: _Team = None) -> None:
    """Open the gate again that was shut when nobody answered this review."""
    _moved(lambda desk: desk.lift(name), db, team, "The block since R-{1} is lifted.")


@app.command()
def stats(db: _Db = None, team: _Team = None, as_json: _Json = False) -> None:
    """Why reviews were rejected, by gate, the most frequent reason first."""

    async def rows(desk: Desk) -> list[dict[str, Any]]:
        found = await desk.reviews.store.reasons(desk.team)
        return [{"gate": f"{flow}.{method}", "reason": code, "times": times} for flow, method, code, times in found]

    _show(_at(rows, db, team), as_json, ("gate", "reason", "times"), "Nothing has been rejected yet.")


def pause(db: _Db = None, team: _Team = None) -> None:
    """Pause everything: no flow starts or goes on. Decisions are taken all the same."""
    changed = _at(lambda desk: desk.reviews.halt(desk.team, desk.by, halted=True), db, team)
    typer.echo("Everything is paused. Go on with: placet continue" if changed else "Everything is paused already.")


def go_on(db: _Db = None, team: _Team = None) -> None:
    """Let flows go on."""
    changed = _at(lambda desk: desk.reviews.halt(desk.team, desk.by, halted=False), db, team)
    typer.echo("Flows go on." if changed else "Nothing is paused.")


def _at(act: Callable[[Desk], Awaitable[T]], db: Path | None, team: str | None) -> T:
    # The command line must start fast: what reads and signs is loaded by the commands that need it.
    from bot import desk, settings

    async def run() -> T:
        async with desk.opened(settings.Settings(), database=db, team=team) as opened:
            return await act(opened)

    return asyncio.run(run())


def _moved(act: Callable[[Desk], Awaitable[Review]], db: Path | None, team: str | None, said: str) -> None:
    review = _at(act, db, team)
    asked = "Everybody in the channel" if review.asked is None else ", ".join(who.name for who in review.asked)
    typer.echo(said.format(asked, review.n))


def _show(rows: Sequence[dict[str, Any]], as_json: bool, columns: Sequence[str], nothing: str) -> None:
    if as_json:
        typer.echo(json.dumps(list(rows), ensure_ascii=False))
        return
    if not rows:
        typer.echo(nothing)
        return
    table = [
        [column.replace("_", " ") for column in columns],
        *([_cell(row[name]) for name in columns] for row in rows),
    ]
    widths = [max(len(line[at]) for line in table) for at in range(len(columns))]
    for line in table:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    match value:
        case None | "":
            return "-"
        case list():
            return ", ".join(str(each) for each in cast("list[Any]", value))
        case dict():
            return json.dumps(value, ensure_ascii=False, separators=(", ", ": ")) if value else "-"
        case _:
            return str(value)
