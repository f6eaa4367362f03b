"""Text in columns of a terminal, of which a Chinese character takes two and a combining mark none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from memoryserver.common import text


def wrapped(value: str, room: int) -> Iterator[str]:
    """Yield the printable `value` in lines of at most `room` columns; its line breaks stay.

    A line that fits stays as it is, with its indentation, as code and the output of tests need it.
    """
    for paragraph in text.printable(value).strip().split("\n"):
        as_it_is = paragraph.expandtabs(4).rstrip()
        if columns_of(as_it_is) <= room:
            yield as_it_is
            continue
        line = ""
        for word in paragraph.split():
            if line and columns_of(line) + 1 + columns_of(word) <= room:
                line += " " + word
                continue
            if line:
                yield line
            *full, line = _pieces(word, room)
            yield from full
        yield line


def fitting(value: str, room: int) -> str:
    """Return `value` in at most `room` columns; what was cut is shown by a last character `…`."""
    if columns_of(value) <= room:
        return value
    return next(_pieces(value, room - 1)) + "…"


def _pieces(word: str, room: int) -> Iterator[str]:
    """Yield `word` cut into pieces of at most `room` columns."""
    piece, used = "", 0
    for character in word:
        columns = _width(character)
        if used + columns > room:
            yield piece
            piece, used = "", 0
        piece += character
        used += columns
    yield piece


def columns_of(line: str) -> int:
    """Return how many columns of a terminal `line` takes."""
    if line.isascii():
        return len(line)
    return sum(_width(character) for character in line)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
