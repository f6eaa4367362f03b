"""A way to a server that can be cut and restored: what a laptop sees when the network goes."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Relay:
    """Listens on a port of its own and passes everything on, while it is open."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._port = 0
        self._listening: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listening], daemon=True).start()

    def close(self) -> None:
        if self._listening is not None:
            self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            self._listening = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:  # closed
                return
            threading.Thread(target=_pass_on, args=[near, self._target], daemon=True).start()


def _pass_on(near: socket.socket, target: tuple[str, int]) -> None:
    """Both ways, until one of the two has said all."""
    with near, socket.create_connection(target) as far, contextlib.suppress(OSError):
        other = {near: far, far: near}
        while True:
            for source in select.select([near, far], [], [])[0]:
                data = source.recv(65_536)
                if not data:
                    return
                other[source].sendall(data)
