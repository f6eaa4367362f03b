"""Child processes that end with their parent, and Postgres as root.

The functions run between fork and exec, in a process without threads. Where there are threads, this file itself is
the program that starts the child: `python processes.py PARENT_PID COMMAND ...`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_INSIDE_ID = 1000  # any number but 0

# Loaded in the parent: nothing should be loaded between fork and exec.
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(signal_number: int) -> None:
    """Receive `signal_number` when the parent dies, even by kill -9. Linux only; no effect elsewhere."""
    if sys.platform.startswith("linux"):
        _libc.prctl(_PR_SET_PDEATHSIG, signal_number)


def leave_root() -> None:
    """Enter a user namespace in which root has another id. Raises OSError if the system does not allow it."""
    if not sys.platform.startswith("linux") or _libc.unshare(_CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "no user namespace")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{_INSIDE_ID} 0 1")
    Path("/proc/self/gid_map").write_text(f"{_INSIDE_ID} 0 1")


def with_parent(command: Sequence[str]) -> list[str]:
    """Return `command` as one that is killed when this process dies, even if suspended. It keeps its process id."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def is_suspended(pid: int) -> bool:
    """Return whether the process is stopped by a signal such as SIGSTOP. Linux only; False elsewhere."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "T"


def _main(parent: int, command: list[str]) -> None:
    die_with_parent(signal.SIGKILL)  # a suspended process receives nothing else
    if os.getppid() != parent:  # it died before the line above
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606  (the command is the supervisor's own)


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2:])
