"""Problems of the connection to the server, with real servers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate

import pytest

from memorycli.delivery import connection
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.doctor import findings
from tests.support.laptops.laptop import Laptop


def test_laptop_that_never_logged_in_is_found(memory: Laptop) -> None:
    assert findings(offline=False) == {"login": [("not logged in", "memory login URL")]}


def test_damaged_login_is_found(memory: Laptop) -> None:
    connection.credentials_path().write_text("{")
    connection.credentials_path().chmod(0o600)

    assert "is damaged" in findings(offline=False)["login"][0][0]


def test_token_that_others_can_read_is_found_and_fixed(memory: Laptop, server: HttpServer) -> None:
    connection.credentials_path().chmod(0o644)
    [(_, fix)] = findings(offline=False)["login"]

    subprocess.run(fix.split(), check=True)
    assert findings(offline=False) == {}


def test_server_that_cannot_be_reached_is_found(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")

    results = findings(offline=False)

    assert list(results) == ["server"]
    assert "Connection refused; nothing is lost" in results["server"][0][0]


def test_something_else_at_the_address_is_found(memory: Laptop, server: HttpServer) -> None:
    server.answer = lambda *_: (200, {"hotel": "sign in"})

    assert "does not answer like a memoryserver" in findings(offline=False)["server"][0][0]


def test_refused_token_is_found(memory: Laptop, server: HttpServer) -> None:
    connection.store(server.url, "old")

    assert findings(offline=False) == {
        "token": [(f"{server.url} refused the token (401)", f"memory login {server.url}")]
    }


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("9.0.0", "this client is"),
        ("0.0.9", "the server may refuse newer requests"),
        ("", "does not report its version"),
        ("x", "the server may refuse newer requests"),
    ],
)
def test_older_side_is_named(version: str, message: str, memory: Laptop, server: HttpServer) -> None:
    server.version = version

    [(what, _)] = findings(offline=False)["versions"]

    assert message in what


@contextmanager
def with_clock_offset(server: HttpServer, seconds: float) -> Iterator[None]:
    server.date = formatdate(time.time() + seconds, usegmt=True)
    yield


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (-7300, "2 hours ahead of the server's"),
        (600, "10 minutes behind the server's"),
        (-100, "seconds ahead of the server's"),
    ],
)
def test_wrong_clock_is_found(seconds: float, message: str, memory: Laptop, server: HttpServer) -> None:
    with with_clock_offset(server, seconds):
        [(what, _)] = findings(offline=False)["clock"]

    assert message in what


def test_clock_within_a_minute_is_ok(memory: Laptop, server: HttpServer) -> None:
    with with_clock_offset(server, 20):
        assert findings(offline=False) == {}
