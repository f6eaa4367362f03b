"""A server of the test's own for `memory login` and `memory sync`: real HTTP, answers that a test chooses."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.fakes.http_listener import listening
from tests.support.fakes.journal_server import Server

Answer = Callable[[str, str, Any], tuple[int, Any]]


class HttpServer:
    """`entries` keeps what is synced; `answer`, where set, answers everything; `requests` is what came.

    `version` is what it says of itself, nothing like one that is too old to; `date` what its clock says, if not now;
    `context_version` the version of the user's contexts.
    """

    def __init__(self) -> None:
        self.entries = Server()
        self.token = "secret-token"
        self.answer: Answer | None = None
        self.requests: list[tuple[str, str, str]] = []
        self.url = ""
        self.version = ""
        self.date = ""
        self.context_version = ""

    def respond(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        self.requests.append((method, path, token))
        if self.answer:
            return self.answer(method, path, body)
        if token != f"Bearer {self.token}":
            return 401, {"detail": "Unauthorized"}
        if (method, path) == ("GET", "/api/v1/whoami"):
            return 200, {"user": "alice", "token": "ms_abc"}
        if (method, path) == ("POST", "/api/v1/ghap/entries"):
            return 200, self.entries("/ghap/entries", body)
        return 404, {"detail": "Not Found"}


@contextmanager
def serving() -> Iterator[HttpServer]:
    """The server, listening until the block ends."""
    server = HttpServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_DELETE(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers["Content-Encoding"] == "gzip"
            self._answer(json.loads(gzip.decompress(body) if packed else body))

        def _answer(self, body: Any) -> None:
            status, content = server.respond(self.command, self.path, self.headers.get("Authorization", ""), body)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response_only(status)
            self.send_header("Date", server.date or self.date_time_string())
            if status != 204:
                self.send_header("Content-Length", str(len(data)))
            if server.version:
                self.send_header("X-Memoryserver-Version", server.version)
            if server.context_version:
                self.send_header("X-Memoryserver-Context-Version", server.context_version)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Tests read what was asked from `requests`."""

    with listening(Handler) as server.url:
        yield server
