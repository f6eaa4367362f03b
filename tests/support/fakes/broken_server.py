"""A server whose answers are broken: killed while it answers, or none that speaks HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"
CUT_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{"
CUT_ERROR = b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nbus"
NO_HTTP = b"220 mail.example.com ESMTP\r\n"
NOTHING = b""
BROKEN = {"cut": CUT, "cut chunk": CUT_CHUNK, "cut error": CUT_ERROR, "no HTTP": NO_HTTP, "nothing": NOTHING}
"""By what is wrong with them."""


@contextmanager
def broken_server(answer: bytes) -> Iterator[int]:
    """Answer each request with `answer` and close the connection, until the block ends; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=[listener, answer])
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # shut down
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(answer)
