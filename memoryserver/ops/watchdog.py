"""Signs of life: how a part of the server tells its supervisor that it makes progress.

The supervisor is either `ops.supervisor`, which passes the end of a pipe, or systemd, whose protocol is
https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html.
"""

from __future__ import annotations

import contextlib
import os
import socket

PIPE_VARIABLE = "MEMORYSERVER_WATCHDOG_PIPE"
"""Names the descriptor of the pipe's end that the part writes to."""


class SupervisorGoneError(Exception):
    """Nobody reads the signs of life any more; the part should end."""


class Watchdog:
    """Sends signs of life to whatever supervises this process, if anything does."""

    def __init__(self) -> None:
        pipe = os.environ.pop(PIPE_VARIABLE, "")
        self._pipe = int(pipe) if pipe else None
        if self._pipe is not None:
            os.set_inheritable(self._pipe, False)
            os.set_blocking(self._pipe, False)

    def alive(self) -> None:
        """Send one sign of life. Raises SupervisorGoneError if the supervisor has died."""
        if self._pipe is not None:
            try:
                os.write(self._pipe, b".")
            except BlockingIOError:
                pass  # the pipe is full of earlier ones: the supervisor is busy
            except BrokenPipeError as error:
                raise SupervisorGoneError from error
        notify_systemd("WATCHDOG=1")


def notify_systemd(state: str) -> None:
    """Send `state`, such as "READY=1", to systemd; no effect in a process that systemd does not supervise."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, contextlib.suppress(OSError):  # restarted later
        sender.sendto(state.encode(), address.replace("@", "\0", 1) if address.startswith("@") else address)
