"""Which modals a person has open and what their Home shows; how a view is stacked, changed and closed.

Pure. A view is Slack's own JSON object; the stack of a person is a list, the visible view last.
"""

from collections.abc import Mapping
from typing import Any, Final

from bot.sandbox.stored_blocks import as_stored
from bot.sandbox.vocabulary import Payload, UserId, objects_in
from bot.sandbox.workspace import Workspace, next_id, next_ts

STACK_LIMIT: Final = 3
"""Source: Slack's reference, "Modals": up to three views on a stack."""

_UNTITLED: Final[Payload] = {"type": "plain_text", "text": "View Title", "emoji": True}


def make_view(workspace: Workspace, given: Mapping[str, Any], now: float, *, over: Payload | None = None) -> Payload:
    """A new view as Slack stores it; `over` is the view it is pushed upon."""
    view_id = next_id(workspace, "V")
    return _completed(
        workspace,
        given,
        now,
        view_id=view_id,
        root_view_id=view_id if over is None else over["root_view_id"],
        previous_view_id=None if over is None else over["id"],
    )


def changed_view(workspace: Workspace, old: Payload, given: Mapping[str, Any], now: float) -> Payload:
    """The view with new content under its old id, and with a new hash."""
    return _completed(
        workspace,
        given,
        now,
        view_id=old["id"],
        root_view_id=old["root_view_id"],
        previous_view_id=old["previous_view_id"],
    )


def stack_of(workspace: Workspace, user: UserId) -> list[Payload]:
    """The person's open modals, the visible one last."""
    return workspace.modals.setdefault(user, [])


def find_view(workspace: Workspace, view_id: str) -> tuple[UserId, Payload] | None:
    """Who looks at this view, and the view: an open modal or a Home."""
    return next((found for found in _all_views(workspace) if found[1]["id"] == view_id), None)


def find_external(workspace: Workspace, external_id: str) -> tuple[UserId, Payload] | None:
    """The view that carries this external_id, and who looks at it; most views carry none."""
    if not external_id:
        return None
    return next((found for found in _all_views(workspace) if found[1]["external_id"] == external_id), None)


def push_modal(workspace: Workspace, user: UserId, view: Payload) -> None:
    """Lay a modal on top of the person's stack."""
    stack_of(workspace, user).append(view)


def replace_view(workspace: Workspace, user: UserId, view: Payload) -> None:
    """Put a changed view in the place of the one with its id."""
    if view["type"] == "home":
        workspace.homes[user] = view
        return
    workspace.modals[user] = [view if one["id"] == view["id"] else one for one in stack_of(workspace, user)]


def close_view(workspace: Workspace, user: UserId, view_id: str) -> list[Payload]:
    """The views that went: the one named and all above it, topmost first."""
    stack = stack_of(workspace, user)
    at = next((place for place, one in enumerate(stack) if one["id"] == view_id), len(stack))
    return _shorten(workspace, user, at)


def close_all(workspace: Workspace, user: UserId) -> list[Payload]:
    """The views that went: the person's whole stack, topmost first."""
    return _shorten(workspace, user, 0)


def _shorten(workspace: Workspace, user: UserId, length: int) -> list[Payload]:
    stack = stack_of(workspace, user)
    gone = stack[length:][::-1]
    workspace.modals[user] = stack[:length]
    for view in gone:
        workspace.typed.pop((user, view["id"]), None)
    return gone


def _all_views(workspace: Workspace) -> list[tuple[UserId, Payload]]:
    modals = [(user, view) for user, stack in workspace.modals.items() for view in stack]
    return [*modals, *workspace.homes.items()]


def _completed(
    workspace: Workspace,
    given: Mapping[str, Any],
    now: float,
    *,
    view_id: str,
    root_view_id: str,
    previous_view_id: str | None,
) -> Payload:
    return {
        "id": view_id,
        "team_id": workspace.team.id,
        "type": given["type"],
        "blocks": as_stored(workspace, objects_in(given.get("blocks"))),
        "private_metadata": given.get("private_metadata") or "",
        "callback_id": given.get("callback_id") or "",
        "state": {"values": {}},
        "hash": f"{int(now)}.{next_ts(workspace, now)[-6:]}{workspace.serial:04d}",
        "title": _title(given.get("title")) or _UNTITLED,
        "clear_on_close": bool(given.get("clear_on_close")),
        "notify_on_close": bool(given.get("notify_on_close")),
        "close": _title(given.get("close")),
        "submit": _title(given.get("submit")),
        "previous_view_id": previous_view_id,
        "root_view_id": root_view_id,
        "app_id": workspace.app.id,
        "external_id": given.get("external_id") or "",
        "app_installed_team_id": workspace.team.id,
        "bot_id": workspace.app.bot_id,
    }


def _title(text: Payload | None) -> Payload | None:
    return None if text is None else {"emoji": True, **text}
