"""Servers that receive alerts, each in a thread of the test."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class MailServer(socketserver.ThreadingTCPServer):
    """Receives mail as a mail server does; `messages` has the text of each."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SmtpSession)
        self.messages: list[str] = []


class _SmtpSession(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._reply("220 ready")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            command = line[:4].upper()
            if command == "DATA":
                self._reply("354 go on")
                body = []
                while (part := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    body.append(part)
                self.server.messages.append("\n".join(body))
            self._reply("221 bye" if command == "QUIT" else "250 ok")
            if command == "QUIT":
                return

    def _reply(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Webhook(ThreadingHTTPServer):
    """Receives JSON by POST; `bodies` has each. Answers with the next of `statuses`, 204 when there is none left."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _WebhookRequest)
        self.bodies: list[dict[str, Any]] = []
        self.statuses: list[int] = []


class _WebhookRequest(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def running(server: socketserver.BaseServer) -> Iterator[None]:
    """Serve in a thread for the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
