"""Who may talk to the sandbox: this machine, and the sandbox's own page."""

import pytest

from bot.sandbox import NotLoopbackError, Sandbox
from bot.sandbox.guard import is_loopback

ROUTES = ("/sandbox/state", "/api/auth.test", "/", "/ui/ws", "/socket")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("127.0.0.1.example.test", False),
        ("localhost.example.test", False),
        ("", False),
    ],
)
def test_only_this_machine_is_loopback(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "example.test", "::"])
def test_an_address_that_others_can_reach_is_refused_before_it_is_bound(host):
    with pytest.raises(NotLoopbackError) as refused:
        Sandbox(host=host)

    assert refused.value.host == host


async def test_a_taken_port_is_an_error_and_leaves_nothing_behind(sandbox):
    port = int(sandbox.url.rsplit(":", 1)[1])

    with pytest.raises(OSError, match="address"):
        await Sandbox(port=port).start()


async def test_a_port_that_was_given_is_the_port_that_is_bound():
    async with Sandbox() as first:
        port = int(first.url.rsplit(":", 1)[1])

    async with Sandbox(port=port) as second:
        assert (second.url, second.api_url) == (f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port}/api/")


@pytest.mark.parametrize("path", ROUTES)
async def test_a_name_rebound_to_loopback_is_refused_everywhere(http, sandbox, path):
    async with http.get(sandbox.url + path, headers={"Host": "evil.example.test"}) as response:
        assert response.status == 403


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("origin", ["https://evil.example.test", "null", "http://127.0.0.1:1"])
async def test_a_page_of_another_site_is_refused_everywhere(http, sandbox, path, origin):
    async with http.get(sandbox.url + path, headers={"Origin": origin}) as response:
        assert response.status == 403


async def test_a_page_of_another_site_cannot_act(http, sandbox, control):
    body = {"user": "Ana", "channel": "general", "text": "forged"}
    headers = {"Origin": "https://evil.example.test", "Content-Type": "text/plain"}

    async with http.post(f"{sandbox.url}/sandbox/messages", json=body, headers=headers) as response:
        assert response.status == 403

    assert await control.messages("general") == []


async def test_a_request_without_origin_from_another_site_is_refused(http, sandbox):
    async with http.get(f"{sandbox.url}/sandbox/state", headers={"Sec-Fetch-Site": "cross-site"}) as response:
        assert response.status == 403


async def test_the_own_page_is_served(http, sandbox):
    async with http.get(f"{sandbox.url}/sandbox/state", headers={"Origin": sandbox.url}) as response:
        assert response.status == 200


@pytest.mark.parametrize("path", ["/", "/sandbox/state", "/ui/nothing.js", "/api/auth.test"])
async def test_every_answer_carries_the_headers(http, sandbox, path):
    async with http.get(sandbox.url + path) as response:
        headers = response.headers

    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
