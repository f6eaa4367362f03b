"""The line that says how far the preparation of the database has come."""

from __future__ import annotations

import os

from django.core.management.base import OutputWrapper

_TEXT = "Preparing the database"


class PreparationLine:
    """One line of `stream`. On a terminal it counts the migrations; elsewhere only `begin` writes it."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._counts = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._is_open = False

    def begin(self) -> None:
        """Say that the preparation begins."""
        self._write(f"{_TEXT} …", "" if self._counts else "\n")

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` migrations are applied."""
        if self._counts:
            self._write(f"\r{_TEXT}: {done} of {total}", "")

    def end(self) -> None:
        """End the line, if it is not, so that what is written next has a line of its own."""
        if self._is_open:
            self._write("", "\n")

    def _write(self, text: str, ending: str) -> None:
        self._stream.write(text, ending=ending)
        self._stream.flush()
        self._is_open = not ending
