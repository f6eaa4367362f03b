"""A server that takes connections and does not answer: suspended, stuck, or behind a network that drops everything.

Nothing closes such a connection, and a statement would wait for ever. So after ANSWER_WITHIN seconds without an
answer the server is asked on a second connection, without any of its tables, whether it is there. A slow statement
goes on; one of a silent server fails, and for PAUSE seconds so does, at once, all else that needs the server.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")

ANSWER_WITHIN = 4.0
"""Seconds after which a statement that has no answer has the server asked; again after as many."""
ASK_TIMEOUT = 4.0
"""Seconds that the server has to answer when it is asked."""
PAUSE = 5.0
"""Seconds between two attempts to connect to a server that was silent."""

_SSL_REQUEST = struct.pack("!ii", 8, 80877103)  # what a connection may begin with; the answer is one byte


class Silence:
    """Whether one server was silent when this process last needed it; for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_attempt: float | None = None

    def begin(self) -> None:
        """Note that the server does not answer."""
        self._next_attempt = time.monotonic() + PAUSE

    def end(self) -> None:
        """Note that the server answers."""
        self._next_attempt = None

    def is_noticed(self) -> bool:
        """Return whether the server did not answer when it was last needed."""
        return self._next_attempt is not None

    def check(self) -> None:
        """Raise psycopg.OperationalError in a silence, except for one caller in PAUSE seconds, who is to try again."""
        with self._lock:
            if self._next_attempt is None:
                return
            now = time.monotonic()
            if now < self._next_attempt:
                raise psycopg.OperationalError("the server does not answer")
            self._next_attempt = now + PAUSE


silences: defaultdict[str, Silence] = defaultdict(Silence)
"""The silence of each server, by the alias of its database."""


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose statements fail when the server is silent, by psycopg.OperationalError."""

    silence = Silence()
    """The silence of its server; set when the connection is made."""
    asked: tuple[str, int] | None = None
    """The folder or address, and the port, of the server to ask instead: the one behind a pool."""

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Wait for the end of `gen`, of which psycopg makes each statement, commit and rollback."""
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        ask_at = time.monotonic() + ANSWER_WITHIN
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > ask_at:  # psycopg looks in ten times a second
                    self._ask()
                    ask_at = time.monotonic() + ANSWER_WITHIN
                wanted = gen.send(ready)
        except StopIteration as end:
            self.silence.end()
            result: T = end.value
            return result

    def _ask(self) -> None:
        info = self.info
        if answers(*(self.asked or (info.hostaddr or info.host, info.port))):
            return
        self.silence.begin()
        self.close()
        raise psycopg.OperationalError(f"the server has not answered for {ANSWER_WITHIN + ASK_TIMEOUT:.0f} s")


def answers(host: str, port: int) -> bool:
    """Return whether a Postgres server, or its pool, answers at `host`, an address or the folder of a socket."""
    try:
        with _connected(host, port) as connection:
            connection.sendall(_SSL_REQUEST)
            return bool(connection.recv(1))
    except OSError:
        return False


def _connected(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port), timeout=ASK_TIMEOUT)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(ASK_TIMEOUT)
    try:
        connection.connect(f"{host}/.s.PGSQL.{port}")
    except OSError:
        connection.close()
        raise
    return connection
