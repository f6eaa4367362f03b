"""Polling for the token: each error of RFC 8628, servers that cannot be reached, and pages of another server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memorycli.delivery import device_login
from memorycli.delivery.device_login import NoDeviceFlowError, Request, ask, wait
from memorycli.errors import CommandError
from memoryserver.client.http import Client, RefusedError
from tests.support.fakes.api_server import HttpServer, serving

TOKEN = (200, {"access_token": "secret-token", "user": "alice"})
PENDING = (400, {"error": "authorization_pending"})


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def polled(server: HttpServer, *answers: tuple[int, Any], expires_in: int = 60) -> tuple[Any, list[float]]:
    """The result of polling a server with these answers, and the pauses between the polls."""
    pauses: list[float] = []
    waiting = iter(answers)
    server.answer = lambda *_: next(waiting)
    request = Request("BCDF-GHJK", "", "", "d" * 64, 2, expires_in)
    return wait(Client(server.url, ""), request, sleep=pauses.append), pauses


def test_polling_goes_on_while_nobody_has_decided(server: HttpServer) -> None:
    assert polled(server, PENDING, PENDING, TOKEN) == (("secret-token", "alice"), [2, 2, 2])


def test_slow_down_adds_five_seconds_to_every_further_pause(server: HttpServer) -> None:
    slow_down = (400, {"error": "slow_down"})

    assert polled(server, slow_down, PENDING, slow_down, TOKEN)[1] == [2, 7, 7, 12]


def test_server_that_cannot_answer_for_a_while_is_asked_again(server: HttpServer) -> None:
    assert polled(server, (503, {}), (429, {}), TOKEN)[0] == ("secret-token", "alice")


def test_polling_ends_when_the_code_has_expired(server: HttpServer) -> None:
    with pytest.raises(CommandError, match=r"^nobody allowed the request in time; run memory login again$"):
        polled(server, PENDING, expires_in=0)


@pytest.mark.parametrize("error", sorted(device_login._ENDINGS))
def test_error_that_ends_the_request_is_said_in_words(server: HttpServer, error: str) -> None:
    with pytest.raises(CommandError, match=f"^{device_login._ENDINGS[error]}$"):
        polled(server, (400, {"error": error}))


def test_other_refusal_is_passed_on(server: HttpServer) -> None:
    with pytest.raises(RefusedError) as caught:
        polled(server, (422, {"detail": "device_code: too long"}))

    assert caught.value.status == 422


@pytest.mark.parametrize("answer", [{}, [], {"access_token": 5}, {"access_token": ""}], ids=repr)
def test_answer_without_a_token_is_no_login(server: HttpServer, answer: Any) -> None:
    with pytest.raises(CommandError, match="does not answer like a memoryserver; nothing was stored"):
        polled(server, (200, answer))


def asked(server: HttpServer, **changes: Any) -> Request:
    page = f"{server.url}/device/"
    answer = {"device_code": "d", "user_code": "BCDF-GHJK", "verification_uri": page, "expires_in": 600, "interval": 5}
    server.answer = lambda *_: (200, {**answer, "verification_uri_complete": f"{page}?code=BCDF-GHJK", **changes})
    return ask(Client(server.url, ""))


def test_codes_are_those_of_the_server(server: HttpServer) -> None:
    page = f"{server.url}/device/"

    assert asked(server) == Request("BCDF-GHJK", page, f"{page}?code=BCDF-GHJK", "d", 5, 600)


@pytest.mark.parametrize("page", ["https://evil.example/device/", "javascript:/device/", "file:///device/"])
def test_page_of_another_server_is_never_opened(server: HttpServer, page: str) -> None:
    assert asked(server, verification_uri=page).page == f"{server.url}/device/"


@pytest.mark.parametrize(
    "changes",
    [{"expires_in": "soon"}, {"user_code": None}, {"verification_uri": 1}, {"verification_uri": "/a b"}],
    ids=["expires_in", "user_code", "verification_uri", "blank"],
)
def test_answer_of_another_form_is_one_line(server: HttpServer, changes: dict[str, Any]) -> None:
    with pytest.raises(CommandError, match="does not answer like a memoryserver; nothing was stored"):
        asked(server, **changes)


@pytest.mark.parametrize("status", [401, 404, 405])
def test_server_that_is_too_old_is_told_from_one_that_fails(server: HttpServer, status: int) -> None:
    server.answer = lambda *_: (status, {})

    with pytest.raises(NoDeviceFlowError):
        ask(Client(server.url, ""))
