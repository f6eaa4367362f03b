"""An OpenAI-compatible endpoint of the test's own."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint(ThreadingHTTPServer):
    """Answers with vectors of two numbers, the second being the text's length; out of order, as it may."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses: list[int] = []
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.answer: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.authorizations.append(self.headers["Authorization"])
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        rows = [{"index": number, "embedding": [1, len(text)]} for number, text in enumerate(request["input"])]
        body = {"data": rows[::-1]} if self.server.answer is None else self.server.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() if status == 200 else b"busy")

    def log_message(self, *args: object) -> None:
        pass
