"""What the server's answers mean for a queue file, over a real connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from capture.local.queue.sink import HttpsSink, Receipt, SinkRefusedError, SinkUnavailableError
from memoryserver.client.http import Client

CONTENT = {"capture_id": "c1", "learnings": []}


class Answering(BaseHTTPRequestHandler):
    """Answers with its server's `status` and `answer`, and records the request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing."""


class Server(HTTPServer):
    status = 200
    answer = b'{"capture_id": "c1", "stored": 2, "known": 1, "duplicate": false}'

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.asked: list[tuple[str, str | None, Any]] = []


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def sink(server: Server) -> HttpsSink:
    return HttpsSink(Client(f"http://127.0.0.1:{server.server_port}", "secret"))


def test_a_file_is_posted_as_it_is_and_the_receipt_is_the_servers(server: Server):
    assert sink(server).store(CONTENT) == Receipt("c1", 2, 1, duplicate=False)
    assert server.asked == [("/api/v1/capture/queue-files", "Bearer secret", CONTENT)]


@pytest.mark.parametrize("status", [413, 422])
def test_what_the_server_refuses_is_never_storable(server: Server, status: int):
    server.status, server.answer = status, b'{"detail": "type: must be one of"}'
    with pytest.raises(SinkRefusedError, match="type: must be one of"):
        sink(server).store(CONTENT)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 408, 409, 429, 500, 502, 503, 302])
def test_any_other_trouble_is_for_later(server: Server, status: int):
    server.status, server.answer = status, b"{}"
    with pytest.raises(SinkUnavailableError):
        sink(server).store(CONTENT)


@pytest.mark.parametrize("answer", [b"{}", b"[]", b"<html>", b"", b'{"capture_id": 1}'])
def test_an_answer_that_confirms_nothing_is_for_later(server: Server, answer: bytes):
    server.answer = answer
    with pytest.raises(SinkUnavailableError):
        sink(server).store(CONTENT)


def test_nobody_listening_is_for_later(server: Server):
    free = sink(server)
    server.server_close()
    with pytest.raises(SinkUnavailableError, match="cannot be reached"):
        free.store(CONTENT)
