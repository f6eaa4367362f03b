"""Reads a growing JSONL file from a byte offset, in binary, and makes the best of damaged lines.

A line ends at b"\\n" and nowhere else. What follows the last one may be half a record: it is left for the
next time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from capture.local.transcripts.long_lines import shortened
from memoryserver.common.text import clean_json, decode

LONGEST_LINE = 64 * 1024 * 1024  # bytes; longer ones are passed over without being held in memory
_LONG_LINE = 1024 * 1024  # from here on a line's long strings are cut while it is read
_CHUNK = 256 * 1024
_MOST_TRIES = 64

_RECORD_START = re.compile(
    r'\{\s*"(?:parentUuid|logicalParentUuid|type|isSidechain|uuid|sessionId|message|timestamp|operation|payload)"'
)
_DECODER = json.JSONDecoder(strict=False)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]  # in C
_UNSAFE_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89abAB])")  # a NUL or half a surrogate pair; whole pairs too
# A whole number of more than some thousand digits is refused by int(); no field we need is a number.
_FORGIVING = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 1000 else 0)


class Line:
    """One whole line: its byte range (the line break included) and its bytes, None if it was too long to hold."""

    __slots__ = ("content", "end", "start")

    def __init__(self, start: int, end: int, content: bytes | None) -> None:
        self.start = start
        self.end = end
        self.content = content


def lines_from(file: BinaryIO, offset: int, *, limit: int) -> Iterator[Line]:
    """The whole lines of `file` from the byte `offset` on, until `limit` bytes are read or none is left.

    `offset` is the start of a line. At least one line is given, however long, if there is one.
    """
    start = offset
    while start - offset < limit:
        file.seek(start)
        block = file.read(_CHUNK)
        position = 0
        while (found := block.find(b"\n", position)) >= 0 and start + position - offset < limit:
            yield Line(start + position, start + found + 1, block[position : found + 1])
            position = found + 1
        if position == 0:
            line = _long_line(file, start)
            if line is None:
                return
            yield line
            position = line.end - start
        start += position


def _long_line(file: BinaryIO, start: int) -> Line | None:
    """The line at `start` that no block holds whole; read at its exact length, or cut while it is read."""
    end = _line_end(file, start)
    if end is None:
        return None
    if end - start > LONGEST_LINE:
        return Line(start, end, None)
    if end - start > _LONG_LINE:
        return Line(start, end, shortened(file, start, end))
    file.seek(start)
    content = file.read(end - start)
    # Cut off since its end was found: the next reading finds out that the file is another.
    return Line(start, end, content) if len(content) == end - start else None


def _line_end(file: BinaryIO, start: int) -> int | None:
    """The offset after the line break of the line that starts at `start`; None if there is none yet."""
    file.seek(start)
    position = start
    while chunk := file.read(_CHUNK):
        found = chunk.find(b"\n")
        if found >= 0:
            return position + found + 1
        position += len(chunk)
    return None


def records_of(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """The records (JSON objects) on a line, and whether nothing of it was lost.

    A blank line has none. NUL padding and a byte order mark are taken off; two records without a line break
    between them, and a whole record behind one that was cut off, are told apart. JSON that is no object is
    a loss. NUL and lone surrogates in texts are U+FFFD. Never raises.
    """
    if b"\x00" not in content:
        try:
            text = content.decode()
            value, end = _SCAN(text, 0)
        except (ValueError, RecursionError, StopIteration):
            pass
        else:
            if isinstance(value, dict) and text[end:] in ("\n", "\r\n", ""):
                return [_cleaned(content, value)], True
    return _carefully(content)


def _cleaned(content: bytes, record: dict[str, Any]) -> dict[str, Any]:
    """`record` with safe texts: what is unsafe can only have come in by an escape."""
    if b"\\u" in content and _UNSAFE_ESCAPE.search(content):
        safe = clean_json(record)
        assert isinstance(safe, dict)
        return safe
    return record


def _carefully(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """A line that is damaged or not written as usual."""
    text = decode(content.strip(b"\x00 \t\r\n"))
    if not text:
        return [], True
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        records, whole = _recover(text)
    else:
        records, whole = ([value], True) if isinstance(value, dict) else ([], False)
    return [_cleaned(content, record) for record in records], whole


def _recover(text: str) -> tuple[list[dict[str, Any]], bool]:
    """Whole records from a line that is no JSON: one after the other, or behind the torn front of another."""
    found: list[dict[str, Any]] = []
    lost = False
    position, tries = 0, 0
    while position < len(text) and tries < _MOST_TRIES:
        tries += 1
        record, end = _decode_at(text, position)
        if record is None:
            lost = True
            following = _RECORD_START.search(text, position + 1)
            if following is None:
                break
            position = following.start()
            continue
        found.append(record)
        position = end
        while position < len(text) and text[position] in "\ufffd \t\r\n":
            position += 1
    return found, not lost and position >= len(text)


def _decode_at(text: str, position: int) -> tuple[dict[str, Any] | None, int]:
    """The record that starts at `position` and its end; a part of a torn record is not taken for a whole one."""
    if text[position] != "{":
        return None, position
    try:
        value, end = _FORGIVING.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, position
    rest = text[end:].lstrip("\ufffd \t\r\n")[:1]
    alone = position == 0 and not rest
    whole = isinstance(value, dict) and (alone or ("type" in value and rest in ("", "{")))
    return (value, end) if whole else (None, position)
