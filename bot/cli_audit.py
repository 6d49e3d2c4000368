"""The command line of the record: `placet audit verify` and `placet audit export`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bot.audit_files import Report

app = typer.Typer(help="The record: is it whole, and give it to somebody who can check that.", no_args_is_help=True)

_Db = Annotated[Path | None, typer.Option(help="The database; DATABASE by default. It may be in use.")]
_Team = Annotated[str | None, typer.Option(help="The workspace, T…; needed where a database has several.")]


@app.command()
def verify(
    db: _Db = None,
    team: _Team = None,
    file: Annotated[Path | None, typer.Option(help="An exported record, instead of a database.")] = None,
    head: Annotated[
        Path | None, typer.Option(help="An earlier export: what it ends with must still be in the record.")
    ] = None,
    public_key: Annotated[
        str | None, typer.Option(help="The key to be trusted, 64 hex characters; your own where it is known.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Say whether the record is whole, or which row is the first that is wrong. Exit code 1: it is not whole."""
    # The command line must start fast: what signs and reads is loaded by the commands that need it.
    from bot import audit_files
    from bot.reviews import signing

    if file is not None and (db is not None or team is not None):
        raise typer.BadParameter("an exported record has no database and one team", param_hint="--file")
    since = None
    if head is not None:
        since = audit_files.read_export(head).head
        if since is None:
            raise audit_files.RecordUnreadable(path=head, why="it has no head")
    trusted = public_key.lower() if public_key else None
    if file is not None:
        reports = [audit_files.check_export(file, public_key=trusted, since=since)]
    else:
        path, own_key = _database(db)
        trusted = trusted or signing.known_public_key(own_key, path)
        reports = asyncio.run(audit_files.check_database(path, team=team, public_key=trusted, since=since))
    typer.echo(json.dumps([_described(each, trusted) for each in reports]) if as_json else _said(reports, trusted))
    if any(each.finding for each in reports):
        raise typer.Exit(1)


@app.command()
def export(
    db: _Db = None,
    team: _Team = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV, safe to open in a spreadsheet.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON; the default.")] = False,
    head_only: Annotated[bool, typer.Option("--head-only", help="Only the signed end, to be kept elsewhere.")] = False,
    out: Annotated[Path | None, typer.Option(help="A file, instead of the standard output.")] = None,
) -> None:
    """Write the record with its signed end and public key, so that anybody can verify it without this database."""
    from bot import audit_files

    if as_csv and as_json:
        raise typer.BadParameter("one format at a time", param_hint="--csv")
    path, _ = _database(db)
    with nullcontext(_print) if out is None else audit_files.whole_file(out) as write:
        ended = asyncio.run(
            audit_files.export_database(
                path, team=team, form="csv" if as_csv else "json", head_only=head_only, write=write
            )
        )
    if ended is None:
        typer.echo("No row of this record is sealed yet, so nothing proves it.", err=True)
    else:
        typer.echo(f"{ended.team}: exported up to row {ended.n}, signed with {ended.public_key}.", err=True)


def _database(db: Path | None) -> tuple[Path, str | None]:
    """The database and AUDIT_KEY. A start's other settings are not asked for: an auditor has no tokens."""
    from bot.settings import Settings

    settings = Settings()
    key = settings.audit_key
    return db or settings.database, None if key is None else key.get_secret_value()


def _print(text: str) -> None:
    # As bytes: a console's own line ends or letters would make another file of it.
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def _said(reports: Sequence[Report], trusted: str | None) -> str:
    return "\n".join(_line(each, trusted) for each in reports) or "There is no record yet."


def _line(report: Report, trusted: str | None) -> str:
    if report.finding is not None:
        return f"{report.team}: NOT WHOLE. {report.finding.said}"
    if report.head is None:
        return f"{report.team}: no row is sealed yet; {report.before} stand there, which nothing proves."
    notes = [
        f"{report.before} before the chain, which nothing proves" if report.before else "",
        f"{report.removed} without their words" if report.removed else "",
        f"another key before row {', '.join(map(str, report.key_changes))}" if report.key_changes else "",
        "" if trusted else "the key is the record's own word: give the one you trust with --public-key",
    ]
    end = f"{report.team}: whole. {report.rows} rows, sealed up to row {report.head.n}, key {report.head.public_key}"
    return "; ".join((end, *filter(None, notes))) + "."


def _described(report: Report, trusted: str | None) -> dict[str, Any]:
    return {**asdict(report), "whole": report.finding is None, "trusted_key": trusted}
