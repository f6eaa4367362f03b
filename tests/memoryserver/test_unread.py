"""What a refused request still sends is read and thrown away, within bounds."""

from __future__ import annotations

import socket
import time
from io import BytesIO

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from memoryserver import unread
from memoryserver.unread import UnreadBodyMiddleware, discard


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
    monkeypatch.setattr(unread, "SECONDS", 0.2)
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
