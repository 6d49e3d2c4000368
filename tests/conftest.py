"""What every test keeps to: loopback only, and no model."""

from __future__ import annotations

import ipaddress
import os
import socket

import pytest

_connect = socket.socket.connect


def _guarded(self: socket.socket, address: object) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        host = str(address[0]) if isinstance(address, tuple) else str(address)
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise AssertionError(f"a test tried to reach {address}; tests stay on loopback")
    _connect(self, address)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _guarded)
    for name in list(os.environ):
        if name.startswith(("SLACK_", "FLOWS_")) or name in ("DATABASE", "BOT_LANGUAGE", "LOG_LEVEL"):
            monkeypatch.delenv(name)
