"""The control API: every route of it, and how wrong input is answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from aiohttp import web

from bot.sandbox import control_acts, control_looks, control_workspace
from bot.sandbox.control_input import ControlError, body_of, only_known
from bot.sandbox.inputs import ChoiceError
from bot.sandbox.vocabulary import Payload
from bot.sandbox.world import World

Handler: TypeAlias = Callable[[World, web.Request, Payload], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row: where, by whom it is answered, and the fields it takes (in the body of a POST, in a GET's query)."""

    method: str
    path: str
    handler: Handler
    fields: tuple[str, ...]


async def answer_control(world: World, route: Route, request: web.Request) -> web.Response:
    """The handler's answer; what cannot be read comes back as 400 or 404 with the field and how to mend it."""
    try:
        if route.method == "GET":
            return await route.handler(world, request, dict(request.query))
        body = await body_of(request)
        only_known(body, route.fields)
        return await route.handler(world, request, body)
    except ControlError as error:
        return web.json_response(error.answer(), status=error.status)
    except ChoiceError as error:
        told = ControlError(field="value", expected=error.expected, known=error.known)
        return web.json_response(told.answer(), status=told.status)


def _route(where: str, handler: Handler, fields: str = "") -> Route:
    method, path = where.split()
    return Route(method=method, path=path, handler=handler, fields=tuple(fields.split()))


ROUTES: Final = (
    _route("GET /sandbox/ready", control_looks.ready),
    _route("GET /sandbox/state", control_looks.state),
    _route("POST /sandbox/messages", control_acts.say, "user channel text thread_ts reply_broadcast as_bot bot_kind"),
    _route("POST /sandbox/messages/edit", control_acts.edit, "user channel ts text"),
    _route("POST /sandbox/messages/delete", control_acts.delete, "user channel ts"),
    _route("POST /sandbox/commands", control_acts.command, "user channel command text thread_ts"),
    _route("POST /sandbox/actions", control_acts.press, "user channel message_ts action_id block_id value"),
    _route("GET /sandbox/views", control_looks.views, "user"),
    _route("POST /sandbox/views/{view_id}/submit", control_acts.submit, "user values"),
    _route("POST /sandbox/views/{view_id}/close", control_acts.close, "user clear"),
    _route("POST /sandbox/views/{view_id}/actions", control_acts.press_in_view, "user action_id block_id value"),
    _route("POST /sandbox/home", control_acts.open_home, "user tab"),
    _route(
        "POST /sandbox/people",
        control_workspace.change_a_person,
        "user deleted is_restricted is_ultra_restricted is_stranger title locale email",
    ),
    _route("POST /sandbox/usergroups", control_workspace.put_a_group, "handle members name is_disabled"),
    _route(
        "POST /sandbox/channels",
        control_workspace.put_a_channel,
        "name members is_private is_archived is_ext_shared user",
    ),
    _route("POST /sandbox/clock", control_workspace.move_clock, "advance_s reset"),
    _route("GET /sandbox/channels/{channel}/messages", control_looks.messages, "user"),
    _route("GET /sandbox/channels/{channel}/threads/{ts}", control_looks.thread, "user"),
    _route("GET /sandbox/calls", control_looks.calls, "method after wait_s"),
    _route("GET /sandbox/deliveries", control_looks.deliveries, "type acked after wait_s"),
    _route(
        "POST /sandbox/faults",
        control_workspace.faults,
        "method times fault retry_after delivery seconds only switch on clear",
    ),
    _route("POST /sandbox/reset", control_workspace.start_over),
    _route("POST /sandbox/private_notes/dismiss", control_acts.dismiss, "user channel ts"),
)
