"""Reads a line of many megabytes without holding it: keeps only the starts of its long strings (pictures, files)."""

from __future__ import annotations

import re
from typing import BinaryIO

MAX_STRING_BYTES = 32 * 1024
MAX_BYTES = 16 * 1024 * 1024  # bytes of one line
_CHUNK = 256 * 1024
_LONGEST_ESCAPE = 6

_WHOLE = re.compile(rb'(?:[^"\\]++|\\(?:u[0-9a-fA-F]{4}|[^u]))*+', re.DOTALL)  # of a string, escapes not torn
_CUT_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def shortened(file: BinaryIO, start: int, end: int) -> bytes | None:
    """Return the bytes `start` to `end`, one JSON value, with each string cut to `MAX_STRING_BYTES` bytes.

    None if more than `MAX_BYTES` bytes are left even then, or the file ends before `end`. Raises OSError.
    """
    cutter = _Cutter()
    file.seek(start)
    while start < end:
        chunk = file.read(min(_CHUNK, end - start))
        start += len(chunk)
        if not chunk or not cutter.add(chunk):
            return None
    return cutter.content()


class _Cutter:
    """Shortens the strings of a JSON text that is added chunk by chunk."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._torn = b""  # an escape whose end is in the next chunk
        self._inside = False
        self._room = 0  # bytes that may still be kept of the current string

    def add(self, chunk: bytes) -> bool:
        """Add the next chunk; return whether the shortened text is still within `MAX_BYTES`."""
        chunk = self._torn + chunk
        self._torn = b""
        at = 0
        while at < len(chunk):
            at = self._within(chunk, at) if self._inside else self._between(chunk, at)
        return self._size <= MAX_BYTES

    def content(self) -> bytes:
        """Return the shortened text."""
        return b"".join([*self._pieces, self._torn])

    def _append(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def _between(self, chunk: bytes, at: int) -> int:
        quote = chunk.find(b'"', at)
        end = len(chunk) if quote < 0 else quote + 1
        self._append(chunk[at:end])
        self._inside, self._room = quote >= 0, MAX_STRING_BYTES
        return end

    def _within(self, chunk: bytes, at: int) -> int:
        matched = _WHOLE.match(chunk, at)
        end = matched.end() if matched else at
        if end > at and self._room:
            piece = chunk[at : min(end, at + self._room)]
            self._room -= len(piece)
            self._append(_untorn(piece) if len(piece) < end - at else piece)
        if end == len(chunk):
            return end
        if chunk[end] == ord('"'):
            self._append(b'"')
            self._inside = False
            return end + 1
        if len(chunk) - end < _LONGEST_ESCAPE:
            self._torn = chunk[end:]
            return len(chunk)
        self._append(chunk[end : end + 1])  # an invalid escape, which decoding the line will report
        return end + 1


def _untorn(piece: bytes) -> bytes:
    """Return `piece`, whose end was cut off, without an incomplete escape there."""
    cut = _CUT_ESCAPE.search(piece)
    if cut is None:
        return piece
    before = piece[: cut.start()]
    backslashes = len(before) - len(before.rstrip(b"\\"))
    return piece if backslashes % 2 else before
