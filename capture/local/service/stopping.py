"""Stops a process on a signal: it finishes its current work, and its wait ends at once."""

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
    """Whether the process must stop. `request` may be called by a signal handler at any moment."""

    def __init__(self) -> None:
        self._requested = False
        # A handler must not use a lock that the interrupted code may hold, such as that of a threading.Event.
        self._receiver, self._sender = socket.socketpair()
        self._sender.setblocking(False)

    def request(self) -> None:
        """Tell the process to stop."""
        if not self._requested:
            self._requested = True
            self._sender.send(b"!")

    def requested(self) -> bool:
        """Return whether the process must stop."""
        return self._requested

    def wait(self, seconds: float) -> bool:
        """Wait for `seconds` or until the process must stop; return whether it must."""
        until = time.monotonic() + seconds
        while not self._requested and (left := until - time.monotonic()) > 0:
            select.select([self._receiver], [], [], left)
        return self._requested

    def close(self) -> None:
        """Close the sockets."""
        self._receiver.close()
        self._sender.close()


@contextmanager
def stop_by_signals() -> Iterator[Stop]:
    """Return a Stop that SIGTERM, SIGINT and SIGHUP request during the block. Only for the main thread."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        stop.request()

    previous = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        stop.close()
