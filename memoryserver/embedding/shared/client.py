"""Embedding by the embedding process of this machine."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from memoryserver.embedding import passes
from memoryserver.embedding.base import (
    EmbeddingInterruptedError,
    EmbeddingModelError,
    EmbeddingUnavailableError,
    Vector,
)
from memoryserver.embedding.services import RequestingService
from memoryserver.embedding.shared import wire
from memoryserver.embedding.shared.scheduler import FEW

ATTEMPTS = 3
RESTART = 15.0
"""Seconds that a batch waits for a process that ended while it embedded to be there again."""

_PAUSE = 0.1
_TIMEOUT_FEW, _TIMEOUT_MANY = 10.0, 120.0  # seconds
_PROBE_TIMEOUT = 2.0


class SharedService(RequestingService):
    """The model EMBEDDING_MODEL in the embedding process at EMBEDDING_SOCKET.

    Where the process does not run or still loads the model, EmbeddingUnavailableError is raised at once. Where it ends
    during a request, a batch is sent again, up to three times, after waiting for it to be restarted; then
    EmbeddingInterruptedError is raised, since the texts may be the cause.
    """

    def __init__(self, model_name: str | None = None, path: str | None = None) -> None:
        super().__init__(model_name)
        self._path = Path(path or settings.EMBEDDING_SOCKET)
        self._idle: deque[_Connection] = deque()

    def load(self) -> None:
        """Check that the process has loaded the model."""
        self.embed("dimension")

    def fault(self) -> str | None:
        """Return why nothing can be embedded now, or None; waits at most two seconds."""
        return None if responds(self._path) else "the embedding process does not respond"

    def begin(self, texts: Sequence[str]) -> Request:
        """Send 1 to FEW `texts`; meanwhile the caller can do something else. Raises EmbeddingUnavailableError."""
        body = self._body(texts, tokens=True)
        try:
            return Request(self._sent(body), len(texts), self._idle.append)
        except _LostError:
            raise _interrupted(len(texts)) from None

    def _request(self, texts: Sequence[str]) -> list[Vector]:
        if len(texts) <= FEW:
            try:
                return self.begin(texts).vectors(_TIMEOUT_FEW)
            except TimeoutError:
                raise _interrupted(len(texts)) from None
        body = self._body(texts, tokens=False)
        for attempt in range(ATTEMPTS):
            if attempt:
                self._wait_for_restart()
            try:
                connection = self._sent(body)
                answer = connection.answer(_TIMEOUT_MANY)
            except _LostError:
                continue
            except EmbeddingUnavailableError:
                if not attempt:
                    raise
                continue
            self._idle.append(connection)
            return _vectors(*answer, len(texts))
        raise _interrupted(len(texts))

    def _body(self, texts: Sequence[str], *, tokens: bool) -> bytes:
        request = {"model": self._model_name, "input": list(texts), "encoding_format": wire.ENCODING}
        return json.dumps(request | {wire.TOKENS: tokens}).encode()

    def _wait_for_restart(self) -> None:
        """Wait until the process has loaded the model again, at most RESTART seconds."""
        deadline = time.monotonic() + RESTART
        while time.monotonic() < deadline:
            try:
                self.load()
            except EmbeddingUnavailableError:
                time.sleep(_PAUSE)
            else:
                return

    def _sent(self, body: bytes) -> _Connection:
        """Return the connection by which the request was sent. Raises _LostError, and EmbeddingUnavailableError."""
        connection = self._connected()
        try:
            connection.sock.settimeout(_TIMEOUT_FEW)
            connection.request("POST", "/v1/embeddings", body, {"Content-Type": "application/json"})
        except OSError as error:
            connection.close()
            raise _LostError from error
        return connection

    def _connected(self) -> _Connection:
        """Return a connection that nobody uses. Raises EmbeddingUnavailableError."""
        with contextlib.suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if not connection.is_closed():
                    return connection
        connection = _Connection(self._path)
        try:
            connection.connect()
        except OSError as error:
            raise EmbeddingUnavailableError(f"the embedding process does not run ({error.strerror})") from error
        return connection


class Request:
    """Texts that were sent to the process. One that is dropped closes its connection."""

    def __init__(self, connection: _Connection, count: int, give_back: Callable[[_Connection], None]) -> None:
        self._connection, self._count, self._give_back = connection, count, give_back

    def vectors(self, timeout: float) -> list[Vector]:
        """Return the vectors, once. Raises EmbeddingModelError, and TimeoutError after `timeout` seconds."""
        try:
            answer = self._connection.answer(timeout)
        except _LostError as error:
            if isinstance(error.__cause__, TimeoutError):
                raise TimeoutError from None
            raise _interrupted(self._count) from None
        self._give_back(self._connection)
        return _vectors(*answer, self._count)


def _interrupted(count: int) -> EmbeddingInterruptedError:
    return EmbeddingInterruptedError(f"the embedding process ended, or hung, while it embedded {count} texts")


class _LostError(Exception):
    """The process ended or hung after a request was sent."""


class _Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        """Connect. Raises OSError if no process listens."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_PROBE_TIMEOUT)
        try:
            self.sock.connect(str(self._path))
        except OSError:
            self.close()
            raise

    def answer(self, timeout: float) -> tuple[int, Any]:
        """Return status and content of the answer to what was sent. Raises _LostError if there is none in time."""
        try:
            self.sock.settimeout(timeout)
            response = self.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise _LostError from error

    def __del__(self) -> None:
        """Close a connection that nobody uses any more."""
        self.close()

    def is_closed(self) -> bool:
        """Return whether the other side has closed the connection since the last answer."""
        if self.sock is None:
            return True
        try:
            self.sock.setblocking(False)
            return bool(self.sock.recv(1, socket.MSG_PEEK) is not None)
        except BlockingIOError:
            return False
        except OSError:
            return True


def _vectors(status: int, answer: Any, count: int) -> list[Vector]:
    message = str(answer["error"]["message"]) if status != http.client.OK else ""
    if status == http.client.SERVICE_UNAVAILABLE:
        raise EmbeddingUnavailableError(message)
    if message:
        raise EmbeddingModelError(message)
    vectors = [wire.embedding(row) for row in answer["data"]]
    if len(vectors) != count:
        raise EmbeddingModelError(f"the embedding process returned {len(vectors)} vectors for {count} texts")
    passes.add(float(answer.get(wire.SECONDS, 0.0)))
    return vectors


def responds(path: Path, timeout: float = _PROBE_TIMEOUT) -> bool:
    """Return whether a process answers at the socket `path` within `timeout` seconds and says that it is well."""
    connection = _Connection(path)
    try:
        connection.connect()
        connection.sock.settimeout(timeout)
        connection.request("GET", "/health")
        response = connection.getresponse()
        response.read()
        return response.status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
