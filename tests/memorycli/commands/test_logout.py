"""`memory logout` against a real HTTP server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memorycli.delivery import connection
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def server(memory: Laptop) -> Iterator[HttpServer]:
    with serving() as running:
        connection.store(running.url, "secret-token")
        yield running


def test_token_is_revoked_on_the_server_and_forgotten_here(memory: Laptop, server: HttpServer) -> None:
    server.answer = lambda *_: (204, b"")
    said = memory("logout")

    assert (said.status, said.out) == (0, f"logged out of {server.url}; the token is revoked\n")
    assert server.requests == [("DELETE", "/api/v1/tokens/current", "Bearer secret-token")]
    assert connection.stored() == ("", "")


def test_token_that_the_server_does_not_accept_is_forgotten_too(memory: Laptop, server: HttpServer) -> None:
    server.answer = lambda *_: (401, {"detail": "unknown"})
    said = memory("logout")

    assert said.out == f"logged out of {server.url}; the server did not accept the token any more\n"
    assert connection.stored() == ("", "")


def test_token_is_kept_if_the_server_cannot_revoke_it_now(memory: Laptop, server: HttpServer) -> None:
    server.answer = lambda *_: (503, {"detail": "busy"})
    said = memory("logout")

    hint = "still logged in (memory logout --local forgets the token here alone)"
    assert (said.status, said.err) == (1, f"memory: {server.url} could not answer (503): busy; {hint}\n")
    assert connection.stored() == (server.url, "secret-token")


def test_local_logout_asks_no_server(memory: Laptop, server: HttpServer) -> None:
    said = memory("logout", "--local")

    assert said.out == f"logged out here; the token stays valid until it is revoked on {server.url}\n"
    assert (server.requests, connection.stored()) == ([], ("", ""))


def test_laptop_that_is_not_logged_in_says_so(memory: Laptop) -> None:
    said = memory("logout")

    assert (said.status, said.out) == (0, "not logged in\n")
