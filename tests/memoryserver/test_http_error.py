"""The reason that an error response gives."""

from __future__ import annotations

import urllib.request
from http.server import BaseHTTPRequestHandler
from urllib.error import HTTPError

import pytest

from memoryserver import http_error
from tests.support.fakes.broken_server import CUT_ERROR, broken_server
from tests.support.fakes.http_listener import listening


def error_of(url: str) -> HTTPError:
    with pytest.raises(HTTPError) as caught:
        urllib.request.urlopen(url)
    return caught.value


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "status 429"),
        (b"slow\n  down\x00", "status 429 slow down\ufffd"),
        (b"\xff", "status 429 \ufffd"),
        (b"x" * 300, f"status 429 {'x' * 199}\u2026"),
    ],
    ids=["empty", "lines", "no UTF-8", "long"],
)
def test_reason_is_the_status_and_the_beginning_of_the_body_on_a_line(body: bytes, reason: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(429)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    with listening(Handler) as url:
        error = error_of(url)
        assert (http_error.reason(error), error.closed) == (reason, True)


def test_reason_of_a_response_that_is_cut_off_is_its_status() -> None:
    with broken_server(CUT_ERROR) as port:
        assert http_error.reason(error_of(f"http://127.0.0.1:{port}/")) == "status 503"
