"""The lines of the journal's JSONL files, each parsed separately."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ghap.local.entry import GHAPEntry
from ghap.local.errors import InvalidEntryError
from ghap.local.layout import DamagedError, read

_TAIL = 16 * 1024  # bytes; nearly every last line fits


@dataclass(frozen=True)
class Line:
    """One line of a JSONL file, with the entry in it, or the reason why it holds none."""

    raw: bytes
    entry: GHAPEntry | None
    fault: str = ""


def latest(lines: list[Line]) -> list[Line]:
    """Return the last line of each entry, and all lines that hold no entry, in their order."""
    last = {line.entry.id: line for line in lines if line.entry}
    result: list[Line] = []
    for line in lines:
        if line.entry is None:
            result.append(line)
        elif line.entry.id in last:
            result.append(last.pop(line.entry.id))
    return result


def read_lines(path: Path) -> list[Line]:
    """Return the lines of the JSONL file `path`, each parsed separately; none where it is missing or a folder."""
    try:
        content = read(path)
    except DamagedError:
        return []
    return [_parse(raw) for raw in (content or b"").split(b"\n") if raw.strip()]


def _parse(raw: bytes) -> Line:
    try:
        return Line(raw, GHAPEntry.from_json(raw))
    except InvalidEntryError as error:
        return Line(raw, None, str(error))


def last_id(path: Path) -> str | None:
    """Return the id in the last line of `path`, read from its end so that the cost does not grow with the file."""
    try:
        with path.open("rb") as file:
            tail = _last_line(file.fileno())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    line = _parse(tail) if tail else None
    return line.entry.id if line and line.entry else None


def _last_line(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    length = _TAIL
    while True:
        start = max(size - length, 0)
        os.lseek(descriptor, start, os.SEEK_SET)
        content = os.read(descriptor, size - start).rstrip(b"\n")
        if b"\n" in content or start == 0:
            return content.rpartition(b"\n")[2]
        length *= 4
