"""What one question to a real HTTP server tells about it."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import pytest

from memorycli.delivery import connection
from memorycli.delivery.probe import Probe, clock_difference, older, probe
from memoryserver import __version__
from tests.support.fakes.api_server import HttpServer


@pytest.fixture
def logged_in(server: HttpServer) -> HttpServer:
    connection.store(server.url, server.token)
    return server


def test_laptop_without_a_server_has_only_an_error() -> None:
    assert probe() == Probe(error=connection.NOT_LOGGED_IN)


def test_server_that_takes_the_token_names_the_user_and_its_version(logged_in: HttpServer) -> None:
    logged_in.version = "7.1.2"

    result = probe()

    assert (result.url, result.error, result.answers, result.takes_token) == (logged_in.url, "", True, True)
    assert (result.user, result.version) == ("alice", "7.1.2")


@pytest.mark.parametrize("seconds", [-3600, 0, 3600])
def test_difference_of_the_clocks_is_measured(seconds: int, logged_in: HttpServer) -> None:
    logged_in.date = formatdate(time.time() - seconds, usegmt=True)

    ahead = probe().ahead

    assert ahead is not None
    assert abs(ahead - seconds) < 30


def test_date_that_cannot_be_read_leaves_the_clocks_uncompared(logged_in: HttpServer) -> None:
    logged_in.date = "yesterday"

    assert (probe().ahead, probe().takes_token) == (None, True)


def test_refused_token_is_an_answer_with_an_error(server: HttpServer) -> None:
    connection.store(server.url, "old")

    result = probe()

    assert (result.answers, result.takes_token, result.user) == (True, False, "")
    assert "401" in result.error


def test_server_that_cannot_be_reached_does_not_answer() -> None:
    connection.store("http://127.0.0.1:1", "t")

    result = probe()

    assert (result.url, result.answers, result.takes_token) == ("http://127.0.0.1:1", False, False)
    assert "cannot be reached" in result.error


@pytest.mark.parametrize("content", [{}, [], {"user": ""}, {"user": None}])
def test_answer_without_a_user_is_not_a_memoryserver(content: Any, logged_in: HttpServer) -> None:
    logged_in.answer = lambda *_: (200, content)

    result = probe()

    assert (result.answers, result.takes_token) == (False, False)
    assert result.error == f"{logged_in.url} does not answer like a memoryserver"


def test_user_is_one_printable_line(logged_in: HttpServer) -> None:
    logged_in.answer = lambda *_: (200, {"user": "al\nice\x1b[31m"})

    user = probe().user
    assert ("\n" in user, "\x1b" in user, user.startswith("al ice")) == (False, False, True)


@pytest.mark.parametrize(
    ("version", "side"),
    [(__version__, ""), ("0.0.9", "server"), ("", "server"), ("x.y", "server"), ("9999.0.0", "client")],
)
def test_older_side_is_found_by_the_first_two_numbers(version: str, side: str) -> None:
    assert older(version) == side


def test_patch_releases_are_of_one_age() -> None:
    major, minor = __version__.split(".")[:2]

    assert older(f"{major}.{minor}.9999") == ""


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (None, ""),
        (60, ""),
        (-60, ""),
        (61, "61 seconds ahead of the server's"),
        (-7300, "2 hours behind the server's"),
    ],
)
def test_difference_of_more_than_a_minute_is_said(ahead: float | None, said: str) -> None:
    assert clock_difference(ahead) == said
