"""Waiting that ends at once when the process is told to end, and what is in hand finished before that."""

from __future__ import annotations

import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class Stop:
    """Whether the work shall end. `request` may be called by a signal handler at any moment."""

    def __init__(self) -> None:
        self._requested = False
        # A handler must not touch a lock that the interrupted code may hold, as that of a threading.Event.
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)

    def request(self) -> None:
        """The work shall end."""
        if not self._requested:
            self._requested = True
            self._mouth.send(b"!")

    def requested(self) -> bool:
        """Whether it shall."""
        return self._requested

    def wait(self, seconds: float) -> bool:
        """Rest for `seconds`, or until the work shall end; whether it shall."""
        until = time.monotonic() + seconds
        while not self._requested and (left := until - time.monotonic()) > 0:
            select.select([self._ear], [], [], left)
        return self._requested

    def close(self) -> None:
        """Give back what it holds."""
        self._ear.close()
        self._mouth.close()


@contextmanager
def stop_by_signals() -> Iterator[Stop]:
    """A Stop that SIGTERM, SIGINT and SIGHUP request, for the length of the block. For the main thread alone."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        stop.request()

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.close()
