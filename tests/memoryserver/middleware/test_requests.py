"""Each request has an id and the address of its client; of a refused one, the rest of the body is read."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
import structlog
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.middleware import requests
from memoryserver.middleware.requests import ClientAddressMiddleware, UnreadBodyMiddleware, discard, is_address

Api = Callable[[User | None], Client]


def test_every_response_has_an_id_of_its_own() -> None:
    ids = {Client().get("/healthz").headers["X-Request-ID"] for _ in range(2)}

    assert [len(request_id) for request_id in ids] == [32, 32]


@pytest.mark.parametrize(
    ("sent", "accepted"),
    [("build-1234_abcd", True), ("short", False), ("x" * 65, False), ("a b c d e f g", False), ("<script>1", False)],
)
def test_id_of_the_caller_is_used_if_it_has_the_form_of_one(sent: str, accepted: bool) -> None:
    answer = Client().get("/healthz", headers={"x-request-id": sent})

    assert (answer.headers["X-Request-ID"] == sent) is accepted


def test_failure_names_the_request_as_the_log_does(
    api: Api, alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logged: list[str] = []

    def fail(*args: object, **kwargs: object) -> None:
        logged.append(structlog.contextvars.get_contextvars()["request_id"])
        raise RuntimeError("inside")

    client = api(alice)
    monkeypatch.setattr("memoryserver.accounts.api.WhoAmI", fail)
    answer = client.get("/api/v1/whoami", headers={"x-request-id": "request-of-the-test"})

    assert (answer.status_code, answer.json()["request_id"]) == (500, "request-of-the-test")
    assert [record.msg for record in caplog.records if record.name == "memoryserver.problems"] == ["request failed"]
    assert logged == ["request-of-the-test"]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "192.0.2.1", "10.0.0.1"),
        (1, "192.0.2.1", "192.0.2.1"),
        (1, "6.6.6.6, 192.0.2.1", "192.0.2.1"),
        (2, "6.6.6.6, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        (2, "192.0.2.1", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "192.0.2.1:443", "10.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
    ],
    ids=["none trusted", "one", "forged", "two", "too few", "no header", "with a port", "IPv6"],
)
def test_address_is_the_one_that_the_outermost_trusted_proxy_saw(
    proxies: int, forwarded: str, address: str, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = proxies

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.META["REMOTE_ADDR"])

    request = RequestFactory().get("/", headers={"x-forwarded-for": forwarded}, REMOTE_ADDR="10.0.0.1")
    assert ClientAddressMiddleware(view)(request).content.decode() == address


@pytest.mark.parametrize(("text", "expected"), [("192.0.2.1", True), ("::1", True), ("localhost", False), ("", False)])
def test_address_is_told_from_other_texts(text: str, expected: bool) -> None:
    assert is_address(text) is expected


def request_with(body: bytes) -> HttpRequest:
    return RequestFactory().post("/api/v1/observations", body, content_type="application/json")


@pytest.mark.parametrize(("status", "left"), [(413, 0), (401, 0), (200, 100_000)])
def test_body_of_a_refused_request_is_read_to_its_end(status: int, left: int) -> None:
    request = request_with(b" " * 100_000)

    response = UnreadBodyMiddleware(lambda _: HttpResponse(status=status))(request)

    assert (response.status_code, len(request.read())) == (status, left)


def test_body_that_was_read_is_no_error() -> None:
    request = request_with(b" " * 100_000)

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=422 if len(request.body) == 100_000 else 500)

    assert UnreadBodyMiddleware(view)(request).status_code == 422


def test_more_than_the_bound_is_left() -> None:
    request = request_with(b" " * 300_000)

    assert discard(request, 100_000, lambda: False) == 131_072  # two blocks
    assert len(request.read()) == 300_000 - 131_072


def test_client_that_stops_sending_is_waited_for_so_long_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "REFUSED_BODY_SECONDS", 0.2)
    client, server = socket.socketpair()
    server.settimeout(60)
    with client, server, server.makefile("rb") as stream:
        client.sendall(b" " * 1000)
        request = RequestFactory().generic("POST", "/", b"")
        request.META["gunicorn.socket"] = server
        request._stream = stream  # as WSGIRequest keeps it
        began = time.monotonic()

        response = UnreadBodyMiddleware(lambda _: HttpResponse(status=413))(request)

        assert response.status_code == 413
        assert 0.2 <= time.monotonic() - began < 30
        assert server.gettimeout() == 60


def test_client_that_has_gone_is_no_error() -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ConnectionResetError

    request = RequestFactory().generic("POST", "/", b"")
    request._stream = Broken()  # as WSGIRequest keeps it

    assert discard(request, 1000, lambda: False) == 0
