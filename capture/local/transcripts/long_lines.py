"""Reads a line of many megabytes without holding it: of its long strings (pictures, files) only the starts are kept."""

from __future__ import annotations

import re
from typing import BinaryIO

KEPT_OF_STRING = 32 * 1024
MOST_KEPT = 16 * 1024 * 1024  # bytes of one line
_CHUNK = 256 * 1024
_LONGEST_ESCAPE = 6

_WHOLE = re.compile(rb'(?:[^"\\]++|\\(?:u[0-9a-fA-F]{4}|[^u]))*+', re.DOTALL)  # of a string, escapes not torn
_CUT_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def shortened(file: BinaryIO, start: int, end: int) -> bytes | None:
    """The bytes `start` to `end`, one JSON value, with each string cut to `KEPT_OF_STRING` bytes.

    None where even so more than `MOST_KEPT` bytes are left, or the file ends before `end`. Raises OSError.
    """
    cutter = _Cutter()
    file.seek(start)
    while start < end:
        chunk = file.read(min(_CHUNK, end - start))
        start += len(chunk)
        if not chunk or not cutter.take(chunk):
            return None
    return cutter.rest()


class _Cutter:
    """Takes a JSON text chunk by chunk."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._size = 0
        self._torn = b""  # an escape whose end is in the next chunk
        self._inside = False
        self._room = 0  # bytes that may still be kept of the string in hand

    def take(self, chunk: bytes) -> bool:
        """The next chunk; whether what is kept is still within bounds."""
        chunk = self._torn + chunk
        self._torn = b""
        at = 0
        while at < len(chunk):
            at = self._within(chunk, at) if self._inside else self._between(chunk, at)
        return self._size <= MOST_KEPT

    def rest(self) -> bytes:
        """All that is kept."""
        return b"".join([*self._kept, self._torn])

    def _keep(self, piece: bytes) -> None:
        self._kept.append(piece)
        self._size += len(piece)

    def _between(self, chunk: bytes, at: int) -> int:
        quote = chunk.find(b'"', at)
        end = len(chunk) if quote < 0 else quote + 1
        self._keep(chunk[at:end])
        self._inside, self._room = quote >= 0, KEPT_OF_STRING
        return end

    def _within(self, chunk: bytes, at: int) -> int:
        matched = _WHOLE.match(chunk, at)
        end = matched.end() if matched else at
        if end > at and self._room:
            piece = chunk[at : min(end, at + self._room)]
            self._room -= len(piece)
            self._keep(_untorn(piece) if len(piece) < end - at else piece)
        if end == len(chunk):
            return end
        if chunk[end] == ord('"'):
            self._keep(b'"')
            self._inside = False
            return end + 1
        if len(chunk) - end < _LONGEST_ESCAPE:
            self._torn = chunk[end:]
            return len(chunk)
        self._keep(chunk[end : end + 1])  # no escape of JSON's: whoever decodes the line will find out
        return end + 1


def _untorn(piece: bytes) -> bytes:
    """`piece`, whose end was cut off, without half an escape there."""
    cut = _CUT_ESCAPE.search(piece)
    if cut is None:
        return piece
    before = piece[: cut.start()]
    backslashes = len(before) - len(before.rstrip(b"\\"))
    return piece if backslashes % 2 else before
