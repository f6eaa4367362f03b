"""The memory of a process that holds a model. Linux with glibc only; without effect elsewhere.

glibc keeps what is freed, in a heap for each thread: of a process with a model that is a third.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_M_ARENA_MAX = -8


def share_heap() -> None:
    """Have all threads that are started from now on allocate from the same heap."""
    mallopt = _function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)


def release() -> None:
    """Give free memory back to the system; takes some milliseconds."""
    gc.collect()
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


def _function(name: str) -> ctypes._NamedFuncPointer | None:
    """Return the function of the C library; None if it has none of this name."""
    if not sys.platform.startswith("linux"):
        return None
    function: ctypes._NamedFuncPointer | None = getattr(ctypes.CDLL(None), name, None)
    return function
