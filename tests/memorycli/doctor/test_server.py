"""What can be wrong on the way to the server, with real servers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate

import pytest

from memorycli.delivery import connection
from memorycli.doctor import checks
from tests.support.api_server import HttpServer
from tests.support.laptop import Laptop


def server_wrong() -> dict[str, list[tuple[str, str]]]:
    return {name: [(one.what, one.mend) for one in found] for name, found in checks.examine().items() if found}


def test_laptop_that_never_logged_in_is_found(memory: Laptop) -> None:
    assert server_wrong() == {"login": [("not logged in; run: memory login URL", "memory login URL")]}


def test_damaged_login_is_found(memory: Laptop) -> None:
    connection.credentials_path().write_text("{")
    connection.credentials_path().chmod(0o600)

    assert "is damaged" in server_wrong()["login"][0][0]


def test_token_that_others_can_read_is_found_and_mended(memory: Laptop, server: HttpServer) -> None:
    connection.credentials_path().chmod(0o644)
    [(_, mend)] = server_wrong()["login"]

    subprocess.run(mend.split(), check=True)
    assert server_wrong() == {}


def test_server_that_cannot_be_reached_is_found(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")

    found = server_wrong()

    assert list(found) == ["server"]
    assert "Connection refused; nothing is lost" in found["server"][0][0]


def test_something_else_at_the_address_is_found(memory: Laptop, server: HttpServer) -> None:
    server.answer = lambda *_: (200, {"hotel": "sign in"})

    assert "does not answer like a memoryserver" in server_wrong()["server"][0][0]


def test_refused_token_is_found(memory: Laptop, server: HttpServer) -> None:
    connection.store(server.url, "old")

    assert server_wrong() == {
        "token": [(f"the token is refused: {server.url} refused (401): Unauthorized", f"memory login {server.url}")]
    }


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("9.0.0", "this client is"),
        ("0.0.9", "may be refused"),
        ("", "does not say its version"),
        ("x", "may be refused"),
    ],
)
def test_old_client_and_old_server_are_told_apart(version: str, said: str, memory: Laptop, server: HttpServer) -> None:
    server.version = version

    [(what, _)] = server_wrong()["versions"]

    assert said in what


@contextmanager
def telling_the_time(server: HttpServer, seconds: float) -> Iterator[None]:
    server.date = formatdate(time.time() + seconds, usegmt=True)
    yield


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-7300, "2 hours ahead of the server's"),
        (600, "10 minutes behind the server's"),
        (-100, "seconds ahead of the server's"),
    ],
)
def test_clock_that_is_off_is_found(seconds: float, said: str, memory: Laptop, server: HttpServer) -> None:
    with telling_the_time(server, seconds):
        [(what, _)] = server_wrong()["clock"]

    assert said in what


def test_clock_within_a_minute_is_well(memory: Laptop, server: HttpServer) -> None:
    with telling_the_time(server, 20):
        assert server_wrong() == {}
