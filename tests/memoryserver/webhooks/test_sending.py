"""Webhooks reach public addresses, and private ones that the settings allow; the address checked is the one called."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from memoryserver.webhooks import sending
from memoryserver.webhooks.sending import WebhookError
from tests.support.fakes.http_listener import listening

PRIVATE = "its host has a private address; name the host in MEMORYSERVER_WEBHOOK_HOSTS to allow that$"


@pytest.fixture
def received() -> list[tuple[str, str, bytes]]:
    return []


@pytest.fixture
def address(received: list[tuple[str, str, bytes]]) -> Iterator[str]:
    """A webhook of this machine that redirects from /moved to itself."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, self.headers["Host"], body))
            self.send_response(302 if self.path == "/moved" else 204)
            self.send_header("Location", "/")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """The tests read `received`."""

    with listening(Handler) as url:
        yield url


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.7", "192.168.1.1", "169.254.169.254", "0.0.0.0", "2130706433"]
)
def test_private_host_is_not_called(host: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = []

    with pytest.raises(WebhookError, match=PRIVATE):
        sending.post(f"http://{host}:9/", b"{}", timeout=1)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "fe80::1%eth0", "::1", "::ffff:10.0.0.1", "fd00::1", "2002:0a00:0001::", "224.0.0.1"],
)
def test_private_addresses_of_a_name_are_not_allowed(address: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["other.example"]

    assert not sending.is_allowed("hook.example", address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_public_addresses_are_allowed(address: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = []

    assert sending.is_allowed("hook.example", address)


def test_host_that_the_settings_name_is_called(
    address: str, received: list[tuple[str, str, bytes]], settings: Any
) -> None:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]

    sending.post(f"{address}/alerts?key=1", b'{"text": "full"}', timeout=5)

    assert received == [("/alerts?key=1", address.removeprefix("http://"), b'{"text": "full"}')]


def test_name_is_looked_up_once_and_that_address_is_called(
    address: str, received: list[tuple[str, str, bytes]], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(address.rpartition(":")[2])
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer `hook.example` with this machine once, and with nothing afterwards."""
        if host == "hook.example":
            looked_up.append(host)
            host = "127.0.0.1" if len(looked_up) == 1 else "192.0.2.1"
        return real(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    settings.WEBHOOK_HOSTS = ["hook.example"]

    sending.post(f"http://hook.example:{port}/", b"{}", timeout=5)

    assert looked_up == ["hook.example"]
    assert received == [("/", f"hook.example:{port}", b"{}")]


def test_name_with_a_public_and_a_private_address_is_not_called(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 80)) for each in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: entries)
    settings.WEBHOOK_HOSTS = []

    with pytest.raises(WebhookError, match=PRIVATE):
        sending.post("http://hook.example/", b"{}", timeout=1)


def test_redirect_is_not_followed(address: str, received: list[tuple[str, str, bytes]], settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]

    with pytest.raises(WebhookError, match="^the webhook responded with HTTP status 302$"):
        sending.post(f"{address}/moved", b"{}", timeout=5)

    assert [path for path, _, _ in received] == ["/moved"]


@pytest.mark.parametrize("url", ["ftp://example.org/", "http://", "http://example.org:99999/", "file:///etc/passwd"])
def test_address_that_is_none_is_an_error(url: str) -> None:
    with pytest.raises(WebhookError, match="^the webhook could not be reached: "):
        sending.post(url, b"{}", timeout=1)
