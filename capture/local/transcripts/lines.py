"""Reads a growing JSONL file from a byte offset, in binary, and recovers what it can of damaged lines.

A line ends only at b"\\n". The bytes after the last one may be an incomplete record: they are left for the next
reading, unless the file is at rest and they are a whole one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from capture.local.transcripts.long_lines import shortened
from memoryserver.common.text import clean_json, decode

LONGEST_LINE = 64 * 1024 * 1024  # bytes; longer ones are skipped and not held in memory
_LONG_LINE = 1024 * 1024  # longer lines have their long strings cut while they are read
_CHUNK = 256 * 1024
_MAX_TRIES = 64

_RECORD_START = re.compile(
    r'\{\s*"(?:parentUuid|logicalParentUuid|type|isSidechain|uuid|sessionId|message|timestamp|operation|payload)"'
)
_DECODER = json.JSONDecoder(strict=False)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]  # in C
_UNSAFE_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89abAB])")  # a NUL or half a surrogate pair; whole pairs too
# A whole number of more than some thousand digits is refused by int(); no field we need is a number.
_LENIENT = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 1000 else 0)


class Line:
    """One whole line: its byte range (the line break included) and its bytes, None if it was too long to hold."""

    __slots__ = ("content", "end", "start")

    def __init__(self, start: int, end: int, content: bytes | None) -> None:
        self.start = start
        self.end = end
        self.content = content


def lines_from(file: BinaryIO, offset: int, *, limit: int, at_rest: bool = False) -> Iterator[Line]:
    """Yield the whole lines of `file` from the byte `offset` on, until `limit` bytes are read or none is left.

    `offset` is the start of a line. Yields at least one line, of any length, if there is one. With `at_rest`,
    for a file that has not been written to for a while, the last line needs no line break if it is a whole record.
    """
    start = offset
    while start - offset < limit:
        file.seek(start)
        block = file.read(_CHUNK)
        position = 0
        while (line_break := block.find(b"\n", position)) >= 0 and start + position - offset < limit:
            yield Line(start + position, start + line_break + 1, block[position : line_break + 1])
            position = line_break + 1
        if position == 0:
            line = _long_line(file, start) or (_last_line(file, start) if at_rest else None)
            if line is None:
                return
            yield line
            position = line.end - start
        start += position


def _long_line(file: BinaryIO, start: int) -> Line | None:
    """Return the line at `start` that is longer than a block, read at its exact length or cut while it is read."""
    end = _line_end(file, start)
    if end is None:
        return None
    if end - start > LONGEST_LINE:
        return Line(start, end, None)
    if end - start > _LONG_LINE:
        return Line(start, end, shortened(file, start, end))
    file.seek(start)
    content = file.read(end - start)
    # The file was truncated after its end was found: the next reading detects that.
    return Line(start, end, content) if len(content) == end - start else None


def _last_line(file: BinaryIO, start: int) -> Line | None:
    """Return the rest of the file from `start` on, which has no line break, if it is one whole record."""
    file.seek(start)
    content = file.read(LONGEST_LINE + 1)
    if not content or len(content) > LONGEST_LINE:
        return None
    _, whole = records_of(content)
    return Line(start, start + len(content), content) if whole else None


def _line_end(file: BinaryIO, start: int) -> int | None:
    """Return the offset after the line break of the line that starts at `start`; None if there is none yet."""
    file.seek(start)
    position = start
    while chunk := file.read(_CHUNK):
        line_break = chunk.find(b"\n")
        if line_break >= 0:
            return position + line_break + 1
        position += len(chunk)
    return None


def records_of(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Return the records (JSON objects) on a line, and whether nothing of it was lost.

    A blank line has none. NUL padding and a byte order mark are removed; two records without a line break
    between them, and a whole record behind one that was cut off, are separated. JSON that is not an object
    counts as lost. NUL and lone surrogates in texts are U+FFFD. Never raises.
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
    return _parse_damaged(content)


def _cleaned(content: bytes, record: dict[str, Any]) -> dict[str, Any]:
    """Return `record` with safe texts: only escapes can have brought in unsafe characters."""
    if _UNSAFE_ESCAPE.search(content):  # in 60 % of the time in which b"\\u" is looked for
        safe = clean_json(record)
        assert isinstance(safe, dict)
        return safe
    return record


def _parse_damaged(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Parse a line that is damaged or written in an unusual form."""
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
    """Return whole records from a line of invalid JSON: adjacent ones, or one after the start of a torn one."""
    records: list[dict[str, Any]] = []
    lost = False
    position, tries = 0, 0
    while position < len(text) and tries < _MAX_TRIES:
        tries += 1
        record, end = _decode_at(text, position)
        if record is None:
            lost = True
            following = _RECORD_START.search(text, position + 1)
            if following is None:
                break
            position = following.start()
            continue
        records.append(record)
        position = end
        while position < len(text) and text[position] in "\ufffd \t\r\n":
            position += 1
    return records, not lost and position >= len(text)


def _decode_at(text: str, position: int) -> tuple[dict[str, Any] | None, int]:
    """Return the record that starts at `position`, and its end; None for a part of a torn record."""
    if text[position] != "{":
        return None, position
    try:
        value, end = _LENIENT.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, position
    rest = text[end:].lstrip("\ufffd \t\r\n")[:1]
    alone = position == 0 and not rest
    whole = isinstance(value, dict) and (alone or ("type" in value and rest in ("", "{")))
    return (value, end) if whole else (None, position)
