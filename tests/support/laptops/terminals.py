"""The `memory` command on a terminal of a chosen size: a pseudo-terminal, whose output is returned as it came."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

from memoryserver.common.columns import columns_of

ROOT = Path(__file__).parents[3]
_PAINT = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Screen:
    """How the command ended, and what it wrote to the terminal; `bare` is that without colours."""

    status: int
    screen: str

    @property
    def bare(self) -> str:
        return _PAINT.sub("", self.screen)

    def widest(self) -> int:
        """The columns of the longest line."""
        return max(columns_of(line) for line in self.bare.splitlines())


def on_terminal(*words: str, columns: int = 80, program: str = "", **environment: str) -> Screen:
    """Run `memory` with `words`, or the Python `program`, on a terminal of so many columns."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    command = ["-c", program] if program else ["-m", "memorycli", *words]
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=inherited | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONUTF8": "1"} | environment,
    )
    os.close(terminal)
    parts = []
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(controller)
    return Screen(process.wait(), b"".join(parts).decode().replace("\r\n", "\n"))
