"""Many clients that send requests over connections that stay open, with as little work of their own as possible."""

from __future__ import annotations

import itertools
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_LAST_CHUNK = b"0\r\n\r\n"
Body = Callable[[int], bytes]


@dataclass
class Load:
    """What came of it: seconds of each request, and how many had which status."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, percent: float) -> float:
        """Return the latency, in milliseconds, that this many percent of the requests did not exceed."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


def send(
    port: int, path: str, body: Body, *, clients: int, seconds: float, headers: str = "", numbers: itertools.count[int]
) -> Load:
    """POST `body(number)`, each with another number, from `clients` threads for `seconds`."""
    load, lock = Load(), threading.Lock()
    until = time.perf_counter() + seconds

    def client() -> None:
        mine: list[tuple[float, int]] = []
        with _Connection(port) as connection:
            while time.perf_counter() < until:
                content = body(next(numbers))
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{headers}"
                started = time.perf_counter()
                status = connection.exchange(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
                mine.append((time.perf_counter() - started, status))
        with lock:
            load.latencies += [latency for latency, _ in mine]
            load.statuses.update(status for _, status in mine)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.seconds = time.perf_counter() - began
    return load


class _Connection:
    """One connection, opened again where the server closes it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def exchange(self, request: bytes) -> int:
        """Send the request and return the status of its response."""
        try:
            self._socket.sendall(request)
            answer = self._answer()
        except ConnectionError:
            answer = b""
        if not answer:  # the server closes a connection that was idle
            self._socket.close()
            self._open()
            self._socket.sendall(request)
            answer = self._answer()
        if b"connection: close" in answer[:2000].lower():
            self._socket.close()
            self._open()
        return int(answer[9:12])

    def _answer(self) -> bytes:
        received = b""
        while True:
            part = self._socket.recv(65536)
            if not part:
                return b""
            received += part
            head, end, content = received.partition(b"\r\n\r\n")
            if end:
                match = _LENGTH.search(head)
                if len(content) >= int(match[1]) if match else content.endswith(_LAST_CHUNK):
                    return received

    def _open(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
