"""The door of the Web API: one call from its request to its answer, with faults, limits and a record of it.

Source: Slack's reference, "Using the Web API" (arguments, tokens, errors) and "Rate limits".
"""

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from bot.sandbox.faults import MethodFault, take_method_fault
from bot.sandbox.methods import METHODS
from bot.sandbox.methods.method import Method, Tier, read_args
from bot.sandbox.refusals import RefusedError
from bot.sandbox.vocabulary import Payload, as_object
from bot.sandbox.world import APP_TOKEN, BOT_TOKEN, World

CALLS_A_MINUTE: Final[Mapping[Tier, int]] = {
    Tier.ONE: 1,
    Tier.TWO: 20,
    Tier.THREE: 50,
    Tier.FOUR: 100,
    Tier.SPECIAL: 60,
}
_MINUTE: Final = 60.0
_SILENCE_SECONDS: Final = 60.0
"""How long a call that is to time out is kept waiting before the line is cut."""


async def answer_call(world: World, request: web.Request) -> web.StreamResponse:
    """Answer `/api/{method}`, asked by GET or POST, with arguments in the query, a form or JSON."""
    name = request.match_info["method"]
    try:
        raw = await _raw_args(request)
    except RefusedError as refused:
        return _finish(world, name, {}, refused.answer())
    token = _token(request, raw)
    shown = _shown_args(name, raw)
    try:
        method = _admitted(name, token)
    except RefusedError as refused:
        return _finish(world, name, shown, refused.answer())
    fault = take_method_fault(world.faults, name)
    if fault is not None and not fault.fault.endswith("_after_write"):
        return await _faulty(world, request, name, shown, fault)
    wait = _seconds_to_wait(world, method, raw)
    if wait:
        return _rate_limited(world, name, shown, wait)
    try:
        _check_scope(world, method)
        answer = method.handler(world, read_args(method.args, raw))
    except RefusedError as refused:
        answer = refused.answer()
    if fault is not None:
        return await _faulty(world, request, name, shown, fault)
    return _finish(world, name, shown, answer)


async def _raw_args(request: web.Request) -> Payload:
    args: Payload = dict(request.query)
    if request.content_type == "application/json":
        body = await request.text()
        try:
            args |= as_object(json.loads(body or "{}")) or {}
        except ValueError as error:
            raise RefusedError("invalid_json") from error
    elif request.method == "POST":
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    return args


def _token(request: web.Request, raw: Payload) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    in_body = raw.pop("token", None)
    if scheme.lower() == "bearer" and token:
        return token
    return in_body if isinstance(in_body, str) and in_body else None


def _shown_args(name: str, raw: Payload) -> Payload:
    """The arguments as the record shows them: read where they can be read, and never with a token."""
    method = METHODS.get(name)
    if method is None:
        return raw
    readable: Payload = {}
    for argument in method.args:
        if argument.name in raw:
            try:
                readable |= read_args((argument,), raw)
            except RefusedError:
                readable[argument.name] = raw[argument.name]
    return {**raw, **readable}


def _admitted(name: str, token: str | None) -> Method:
    method = METHODS.get(name)
    if method is None:
        raise RefusedError("unknown_method", req_method=name)
    if token is None:
        raise RefusedError("not_authed")
    if token not in (BOT_TOKEN, APP_TOKEN):
        raise RefusedError("invalid_auth")
    if method.takes_app_token != (token == APP_TOKEN):
        raise RefusedError("not_allowed_token_type")
    return method


def _check_scope(world: World, method: Method) -> None:
    granted = world.manifest.scopes
    if method.scopes and not granted.intersection(method.scopes):
        raise RefusedError("missing_scope", needed=",".join(method.scopes), provided=",".join(sorted(granted)))


def _seconds_to_wait(world: World, method: Method, raw: Payload) -> int:
    """0 when the call may go on; else the seconds after which one more fits into the minute."""
    if "rate_limits" not in world.faults.switches:
        return 0
    key = method.name
    if method.tier is Tier.SPECIAL and "channel" in raw:
        key += f" {raw['channel']}"
    now = world.clock.now()
    recent = world.recent_calls.setdefault(key, deque())
    while recent and recent[0] <= now - _MINUTE:
        recent.popleft()
    if len(recent) >= CALLS_A_MINUTE[method.tier]:
        return max(1, int(recent[0] + _MINUTE - now + 0.999))
    recent.append(now)
    return 0


async def _faulty(
    world: World, request: web.Request, name: str, shown: Payload, fault: MethodFault
) -> web.StreamResponse:
    match fault.fault:
        case "http_500" | "http_500_after_write":
            _record(world, name, shown, error=fault.fault)
            return web.Response(status=500, text="Internal Server Error")
        case "http_503":
            _record(world, name, shown, error=fault.fault)
            return web.Response(status=503, text="Service Unavailable")
        case "ratelimited":
            return _rate_limited(world, name, shown, fault.retry_after)
        case "timeout" | "timeout_after_write":
            _record(world, name, shown, error=fault.fault)
            return await _silence(world, request)
        case code:
            return _finish(world, name, shown, {"ok": False, "error": code})


async def _silence(world: World, request: web.Request) -> web.StreamResponse:
    """Say nothing until the caller gives up, or a minute has passed; then cut the line."""
    enough = asyncio.Event()
    timer = world.clock.call_later(_SILENCE_SECONDS, enough.set)
    try:
        await enough.wait()
    finally:
        timer.cancel()
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=504)


def _rate_limited(world: World, name: str, shown: Payload, seconds: int) -> web.Response:
    _record(world, name, shown, error="ratelimited")
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": str(seconds)})


def _finish(world: World, name: str, shown: Payload, answer: Payload) -> web.Response:
    _record(world, name, shown, error=None if answer["ok"] else answer["error"])
    return web.json_response(answer, headers={"x-oauth-scopes": ",".join(sorted(world.manifest.scopes))})


def _record(world: World, name: str, shown: Mapping[str, Any], *, error: str | None) -> None:
    call = {"method": name, "args": dict(shown), "ok": error is None, "error": error, "at": world.now()}
    world.feed.send({"type": "call", "call": world.calls.add(call)})
