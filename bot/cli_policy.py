"""The command line of the policy: `placet policy explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The policy: who is asked, for how long, and what happens then.", no_args_is_help=True)


@app.callback()
def policy() -> None:
    """The policy: who is asked, for how long, and what happens then."""


@app.command()
def explain(
    file: Annotated[
        Path | None, typer.Option("--file", help="A policy file to try; POLICY_FILE by default.", dir_okay=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit code 1 when a cell is empty.")] = False,
) -> None:
    """Say for every gate, and for everything else that waits for a person, what holds and where it comes from.

    Names are shown as they are written: no workspace is asked who they are.
    """
    # The command line must start fast: flows and their engine are loaded by the commands that need them.
    from bot import asking, catalog, settings
    from bot.render import policy as render
    from bot.reviews import policy_file
    from bot.reviews.explain import explain as explained

    loaded = settings.Settings()
    flows = catalog.load(loaded.flows_app, folder=Path.cwd())
    policies = policy_file.load(
        file or loaded.policy_file,
        flows.gates(),
        flows=[entry.name for entry in flows],
        hosts=settings.outgoing_hosts(loaded),
    )
    explanation = explained(policies, asking=asking.asking_steps(flows))
    if as_json:
        typer.echo(json.dumps(render.as_json(explanation), ensure_ascii=False, indent=2))
    else:
        typer.echo(render.table(explanation, settings.language_of(loaded)))
    if check and explanation.empty:
        raise typer.Exit(1)
