"""A server that accepts each connection and never answers, as a hanging proxy or a suspended machine does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_SECONDS = 90.0


class SilentServer:
    """`url` is its address; with `trickles` each request gets the beginning of an answer, then a byte a second."""

    def __init__(self, listener: socket.socket, *, trickles: bool) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._listener = listener
        self._trickles = trickles
        self._requests = threading.Semaphore(0)
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def wait_for_request(self) -> None:
        """Wait until one more request than in the calls before has arrived; raises AssertionError if none does."""
        assert self._requests.acquire(timeout=LONGEST_SECONDS), "no request arrived"

    def close(self) -> None:
        self._closed.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed meanwhile
                return
            self._threads.append(threading.Thread(target=self._hold, args=[connection]))
            self._threads[-1].start()

    def _hold(self, connection: socket.socket) -> None:
        with connection:
            if not connection.recv(1):
                return
            self._requests.release()
            try:
                if self._trickles:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Padding: ")
                while not self._closed.wait(1.0):
                    if self._trickles:
                        connection.sendall(b".")
            except OSError:  # the client has ended
                return


@contextmanager
def silent_server(*, trickles: bool = False) -> Iterator[SilentServer]:
    """The server, listening until the block ends."""
    server = SilentServer(socket.create_server(("127.0.0.1", 0)), trickles=trickles)
    try:
        yield server
    finally:
        server.close()
