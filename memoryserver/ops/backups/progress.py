"""How far a long command has come, for people who watch it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_INTERVAL = 0.2  # seconds between two lines
_UNITS = ("bytes", "KB", "MB", "GB", "TB")


class Progress:
    """Called with the bytes that are done, it shows them on one line of a terminal; elsewhere it prints nothing.

    `total` is the number of all bytes, 0 if that is not known.
    """

    def __init__(self, word: str, total: int = 0, *, stream: TextIO | None = None) -> None:
        self._word, self._total = word, total
        self._stream = stream or sys.stderr
        self._shown = False
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def __call__(self, done: int) -> None:
        """Show that `done` bytes are done."""
        if not self._stream.isatty() or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        share = f" of {in_words(self._total)} ({done * 100 // self._total} %)" if self._total else ""
        self._stream.write(f"\r\033[K{self._word}: {in_words(done)}{share}")
        self._stream.flush()
        self._shown = True


def in_words(size: float) -> str:
    """Return a number of bytes with its unit, such as "3.2 MB"."""
    for unit in _UNITS[:-1]:
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} {_UNITS[-1]}"
