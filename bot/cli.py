"""The command line: `placet run`, `placet sandbox`, and what operators ask and move from a terminal."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot import cli_audit, cli_policy, cli_reviews
from bot.errors import BotError

CANNOT_START = 78
"""The exit code of a start that cannot work as configured: sysexits' EX_CONFIG, which no traceback gives."""

app = typer.Typer(
    name="placet",
    help="Flow reviews in Slack: flows ask, people decide, the record stays.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """What the command `placet` runs."""
    try:
        app()
    except BotError as error:
        typer.secho(str(error), err=True, fg=typer.colors.RED)
        sys.exit(CANNOT_START)


app.add_typer(cli_audit.app, name="audit")
app.add_typer(cli_policy.app, name="policy")
app.add_typer(cli_reviews.app, name="reviews")
app.command()(cli_reviews.pause)
app.command("continue")(cli_reviews.go_on)


@app.command()
def run() -> None:
    """Serve a Slack workspace over Socket Mode until stopped. Settings come from the environment and .env."""
    from bot import catalog, log, serve, settings

    loaded, flows = settings.load_with(lambda flows_app: catalog.load(flows_app, folder=Path.cwd()))
    log.configure(loaded.log_level)
    asyncio.run(serve.until_stopped(loaded, flows))


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(help="The page's port on 127.0.0.1; 0 takes a free one.")] = 0,
    db: Annotated[Path | None, typer.Option(help="The bot's database; a file of its own by default.")] = None,
    no_bot: Annotated[bool, typer.Option("--no-bot", help="Only the stand-in for Slack; point any app at it.")] = False,
) -> None:
    """A small Slack on this machine, with the bot in it. No workspace and no token are needed."""
    from bot import sandboxed

    sys.exit(asyncio.run(sandboxed.until_stopped(port=port, database=db, with_bot=not no_bot)))
