"""A laptop's way to its server, which can go dead: what connects then is accepted and never answered."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

from tests.support.fakes.relay import Relay

LIMIT = 60.0  # seconds


class DeadLine:
    """Listens at a port, answers nothing, and notes the command line of every process that connects."""

    def __init__(self, port: int) -> None:
        self._callers: list[str] = []
        self._called = threading.Event()
        self._held: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    def callers(self) -> list[str]:
        """Who has connected, once somebody has."""
        assert self._called.wait(LIMIT), "nobody called"
        return list(self._callers)

    def hang_up(self) -> None:
        """Make whatever waits for an answer receive none."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for held in self._held:
            held.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                held, (_, port) = self._listening.accept()
                self._held.append(held)
                self._callers.append(_command_at(port))
                self._called.set()


def _command_at(port: int) -> str:
    """The command line of the process whose end of a connection has this port; "" if it is gone.

    The youngest processes come first: a look through all of a busy machine takes longer than a client waits.
    """
    end = f"0100007F:{port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1] == end}
    for pid in sorted((int(path.name) for path in Path("/proc").glob("[0-9]*")), reverse=True):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if any(str(descriptor.readlink()) in sockets for descriptor in Path(f"/proc/{pid}/fd").iterdir()):
                return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return ""


class Line:
    """The way to the server at `url`: alive, or dead. Its address stays the same."""

    def __init__(self, url: str) -> None:
        self._relay = Relay(url)
        self._relay.open()
        self.url = self._relay.url

    def dies(self) -> DeadLine:
        self._relay.close()
        return DeadLine(int(self.url.rpartition(":")[2]))

    def lives_again(self, dead: DeadLine) -> None:
        dead.hang_up()
        self._relay.open()

    def close(self) -> None:
        self._relay.close()
