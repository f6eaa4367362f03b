"""Ids of learnings, as people and agents copy them."""

from __future__ import annotations

import re

from memoryserver.common.text import one_line, printable, shorten

_ID = re.compile(r"(?:(?:https?://\S*/)?learnings/)?([1-9]\d{0,17})/?|\[([1-9]\d{0,17})\]", re.ASCII)


def document_id(word: str) -> str:
    """Return the id of a learning for its number, as a context has it behind the line; any other word as it is."""
    number = word.strip().removeprefix("[").removesuffix("]")
    return f"learnings/{number}" if number.isascii() and number.isdecimal() else word


def key_of(word: str) -> int:
    """Return the number in `12`, `[12]`, `learnings/12` or a page's address. Raises ValueError for anything else."""
    match = _ID.fullmatch(word.strip())
    if match is None:
        shown = shorten(one_line(printable(word)), 60)
        raise ValueError(f"{shown!r} is not the id of a learning; `memory search` shows ids such as learnings/12")
    return int(match[1] or match[2])
