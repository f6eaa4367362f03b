"""Functions that child processes run between fork and exec."""

from __future__ import annotations

import ctypes
import sys
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
