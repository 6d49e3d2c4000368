"""Keeping other sites and other machines out: only loopback hosts, only our own page, nothing kept in a cache.

A web page elsewhere can send requests to loopback. It cannot forge `Origin`, and a name it rebinds to 127.0.0.1
shows in `Host`; so both are looked at, on every route.
"""

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether a host name, without its port, can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse strangers with 403; add the headers to every other answer."""
    host = urlsplit(f"//{request.host}")
    if not is_loopback(host.hostname or ""):
        raise web.HTTPForbidden(text="Only loopback hosts are served.")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        raise web.HTTPForbidden(text="Only the sandbox's own page is served.")
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise web.HTTPForbidden(text="Only the sandbox's own page is served.")
    return await handler(request)


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Put the headers on an answer that is about to be sent, errors too."""
    response.headers.update(HEADERS)
