"""A line on standard error that shows how far something long has come; on terminals alone, and gone at the end."""

from __future__ import annotations

import os
import sys
import time
from typing import Self, TextIO

from memorycli.rendering import terminal
from memoryserver.common.columns import columns_of, fitting

_DELAY = 0.5  # seconds: what is done before shows nothing
_PAUSE = 0.1  # seconds between two pictures
_BAR = 20  # columns


class Progress:
    """Use it as a context manager; `update` may be called as often as one likes."""

    def __init__(self, label: str, stream: TextIO | None = None, *, delay: float = _DELAY) -> None:
        self._label = label
        self._stream = sys.stderr if stream is None else stream
        self._due = time.monotonic() + delay
        self._shown = 0  # columns of the picture on the screen
        self._is_on = terminal.is_terminal(self._stream) and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Show that `done` of `total` are done, with `note` behind."""
        now = time.monotonic()
        if not self._is_on or now < self._due:
            return
        self._due = now + _PAUSE
        self._show(picture(self._label, done, total, note, terminal.width(self._stream) - 1))

    def clear(self) -> None:
        """Remove the line, so that what is printed next has a line of its own."""
        if self._shown:
            self._show("")

    def _show(self, line: str) -> None:
        columns = columns_of(line)
        self._stream.write(f"\r{line}{' ' * (self._shown - columns)}\r{line}")
        self._stream.flush()
        self._shown = columns


def picture(label: str, done: int, total: int, note: str, width: int) -> str:
    """Return the line of at most `width` columns: the label, a bar if it has room, the numbers, the note."""
    part = min(max(done / total, 0.0), 1.0) if total > 0 else 0.0
    numbers = f"{done}/{total}" + (f", {note}" if note else "")
    full = round(part * _BAR)
    whole = f"{label} [{'#' * full}{'.' * (_BAR - full)}] {numbers}"
    return whole if columns_of(whole) <= width else fitting(f"{label} {numbers}", width)
