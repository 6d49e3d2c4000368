"""The sandbox's tables as Markdown, for its document; a test keeps the document equal to them."""

from bot.sandbox.control import ROUTES
from bot.sandbox.methods import METHODS
from bot.sandbox.refusals import REFUSALS


def methods_table() -> str:
    """Every Web API method with its tier and the scopes any one of which is enough."""
    rows = [
        (f"`{one.name}`", one.tier.value, ", ".join(f"`{scope}`" for scope in one.scopes) or "none")
        for one in METHODS.values()
    ]
    return _table(("method", "tier", "scope (one of)"), sorted(rows))


def refusals_table() -> str:
    """Every error code with its case and the page of Slack's reference that lists it."""
    return _table(("code", "when", "Slack's reference"), [(f"`{r.code}`", r.when, r.source) for r in REFUSALS.values()])


def routes_table() -> str:
    """Every route of the control API with its fields and what it does."""
    rows = [
        (f"`{one.method} {one.path}`", ", ".join(one.fields), (one.handler.__doc__ or "").splitlines()[0])
        for one in ROUTES
    ]
    return _table(("route", "fields", "what it does"), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
