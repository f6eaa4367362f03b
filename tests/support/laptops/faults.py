"""Lets the n-th file operation of this process fail, or end the process, in the midst of a journal's call.

Every operation that changes a file goes through `os`; `install` replaces those functions, before anything
else has taken hold of them, by ones that pass a *moment* first: one before each operation, and a second one
for a write, when half of it is on disk. An audit hook proves that nothing writes past them.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import Any

PATH_OPERATIONS = ("open", "replace", "rename", "unlink", "remove", "mkdir", "rmdir", "link", "symlink", "truncate")
DESCRIPTOR_OPERATIONS = ("write", "pwrite", "writev", "fsync", "fdatasync", "ftruncate", "sendfile")
EXIT_STATUS = 86

_originals = {name: getattr(os, name) for name in (*PATH_OPERATIONS, *DESCRIPTOR_OPERATIONS)}


class Faults:
    """The moments passed since `arm`, by name, and what happens at the one that is chosen."""

    def __init__(self) -> None:
        self.moments: list[str] = []
        self.unseen: list[str] = []
        self._armed = False
        self._at: int | None = None
        self._strike: Callable[[], None] = lambda: None
        self._read_only: str | None = None

    def arm(self, at: int | None = None, strike: Callable[[], None] | None = None) -> None:
        """Count moments from here on; at number `at` (from 0) do `strike`."""
        self.moments, self._armed, self._at = [], True, at
        self._strike = strike or end_process

    def disarm(self) -> None:
        """Count no more."""
        self._armed = False

    def resume(self) -> None:
        """Count on after `disarm`."""
        self._armed = True

    def make_read_only(self, folder: str) -> None:
        """From here on everything below `folder` is on a read-only file system."""
        self._read_only = folder

    def pass_moment(self, name: str, *args: Any) -> None:
        """Note the moment; strike if it is the one."""
        self._refuse_read_only(name, args)
        if not self._armed:
            return
        number = len(self.moments)
        shown = os.path.basename(args[0]) if args and isinstance(args[0], str | os.PathLike) else ""
        self.moments.append(f"{name} {shown}".strip())
        if number == self._at:
            self._strike()

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Note a file that is opened for writing by anything but `os.open`."""
        if self._armed and event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
            self.unseen.append(f"open {args[0]} {args[1]}")

    def _refuse_read_only(self, name: str, args: tuple[Any, ...]) -> None:
        if self._read_only is None or name not in PATH_OPERATIONS:
            return
        changes = name != "open" or args[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if changes and os.fspath(args[0]).startswith(self._read_only):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(args[0]))


def end_process() -> None:
    """What a kill does: no handler, no flush, no `finally`."""
    os._exit(EXIT_STATUS)


def fail_full() -> None:
    """What a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def install() -> Faults:
    """Put the moments into `os` for the rest of this process."""
    faults = Faults()
    for name, original in _originals.items():
        setattr(os, name, _write(faults, original) if name == "write" else _guarded(faults, name, original))
    sys.addaudithook(faults.audit)
    return faults


def _guarded(faults: Faults, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def operation(*args: Any, **kwargs: Any) -> Any:
        faults.pass_moment(name, *args)
        return original(*args, **kwargs)

    return operation


def _write(faults: Faults, original: Callable[..., int]) -> Callable[..., int]:
    def operation(descriptor: int, data: Any) -> int:
        faults.pass_moment("write")
        half = bytes(data)[: len(data) // 2]
        original(descriptor, half)
        faults.pass_moment("half-written")
        return len(half) + original(descriptor, bytes(data)[len(half) :])

    return operation
