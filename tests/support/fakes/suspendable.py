"""A way to a Postgres that can be suspended: connections stay, new ones are taken, and nothing is answered."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

_NAME = ".s.PGSQL.5432"


class SuspendableWay:
    """Listens on a socket in `folder`, a short path, and passes everything on to the socket in `target`."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder = folder
        self._target = str(target / _NAME)
        self._open = threading.Event()
        self._open.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / _NAME))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def suspend(self) -> None:
        self._open.clear()

    def resume(self) -> None:
        self._open.set()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._open.set()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._pass_on, args=[near], daemon=True).start()

    def _pass_on(self, near: socket.socket) -> None:
        """Both ways, until one of the two has said all."""
        self._open.wait()
        with near, socket.socket(socket.AF_UNIX) as far, contextlib.suppress(OSError):
            far.connect(self._target)
            other = {near: far, far: near}
            while True:
                for source in select.select([near, far], [], [])[0]:
                    self._open.wait()
                    data = source.recv(65_536)
                    if not data:
                        return
                    other[source].sendall(data)


@contextlib.contextmanager
def suspendable_way(folder: Path, target: Path) -> Iterator[SuspendableWay]:
    way = SuspendableWay(folder, target)
    try:
        yield way
    finally:
        way.close()
