"""The server of the embedding process: HTTP over a Unix socket."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any

from memoryserver.embedding import memory, passes
from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService, EmbeddingUnavailableError
from memoryserver.embedding.shared import wire
from memoryserver.embedding.shared.scheduler import Scheduler

logger = logging.getLogger(__name__)

LARGEST_REQUEST = 64 * 1024 * 1024  # bytes
STUCK_AFTER = 60.0  # seconds of one forward pass

Models = Callable[[str], EmbeddingService]
"""Returns the service of a model by its name; raises EmbeddingUnavailableError while it is not loaded."""


class EmbeddingServer(ThreadingMixIn, UnixStreamServer):
    """Answers POST /v1/embeddings and GET /health on a socket that only this user can open.

    The caller must know that no other server uses the socket: a file that is left there is replaced.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: Path, models: Models) -> None:
        self._models = models
        self._scheduler = Scheduler()
        self._busy = 0
        self._idle = threading.Condition()
        path.unlink(missing_ok=True)
        previous = os.umask(0o177)
        try:
            super().__init__(str(path), _Handler)
        finally:
            os.umask(previous)

    def finish(self, seconds: float) -> None:
        """Stop accepting connections, wait until the requests that run are answered, and remove the socket."""
        self.shutdown()
        deadline = time.monotonic() + seconds
        with self._idle:
            self._idle.wait_for(lambda: self._busy == 0, max(deadline - time.monotonic(), 0))
        self.server_close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(str(self.server_address))

    def rest(self) -> None:
        """Release memory if texts were embedded since the last call, unless some are being embedded. Call it often."""
        if self._scheduler.has_rested():
            memory.release()

    def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of the answer to a request for vectors."""
        try:
            request = json.loads(body)
            model, texts, encoding = request["model"], request["input"], request.get("encoding_format", "float")
            texts, tokens = [texts] if isinstance(texts, str) else texts, request.get(wire.TOKENS) is True
            if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
                raise TypeError("input must be a text or a list of texts")  # noqa: TRY301
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return 400, _error(f"the request cannot be read: {error!r}")
        with self._counted():
            try:
                with passes.measured() as spent:
                    vectors = self._scheduler.embed(self._models(model), texts)
            except EmbeddingUnavailableError as error:
                return 503, _error(str(error))
            except EmbeddingModelError as error:
                return 422, _error(str(error))
        pack = wire.packed if encoding == wire.ENCODING else list
        rows = [
            {"object": "embedding", "index": at, "embedding": pack(vector), **wire.of_tokens(vector, tokens=tokens)}
            for at, vector in enumerate(vectors)
        ]
        return 200, {"object": "list", "model": model, "data": rows, wire.SECONDS: spent.seconds}

    def health(self) -> tuple[int, dict[str, Any]]:
        """Return 200, or 503 if a forward pass does not end."""
        seconds = self._scheduler.longest_running()
        if seconds > STUCK_AFTER:
            return 503, _error(f"a forward pass has been running for {seconds:.0f} s")
        return 200, {"status": "ok"}

    @contextlib.contextmanager
    def _counted(self) -> Any:
        with self._idle:
            self._busy += 1
        try:
            yield
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log why a connection ended; that its client has gone is nothing to log."""
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            logger.error("connection of a client ended", exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer
    protocol_version = "HTTP/1.1"  # connections stay open
    wbufsize = -1  # status line, headers and body go out in one

    def do_POST(self) -> None:
        """Answer a request for vectors."""
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 < length <= LARGEST_REQUEST:
            self.close_connection = True
            self._send(400, _error(f"a request has a body of at most {LARGEST_REQUEST:,} bytes"))
            return
        body = self.rfile.read(length)
        is_known = self.path == "/v1/embeddings"
        self._send(*(self.server.answer(body) if is_known else (404, _error("there is only /v1/embeddings"))))

    def do_GET(self) -> None:
        """Answer GET /health."""
        self._send(*(self.server.health() if self.path == "/health" else (404, _error("there is only /health"))))

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        """Return a name for the other side, which has no address."""
        return "client"

    def log_message(self, *args: Any) -> None:
        """Log nothing for each request."""


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}
