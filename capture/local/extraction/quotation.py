"""Quotations: the lines of a message that a learning was taken from, with a line before and after, for those who review
it."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryserver.common.redaction import redact
from memoryserver.common.text import printable, shorten

MAX_LINE = 300  # characters
MAX_TEXT = 200_000  # characters of a message that are looked at
_WORD = re.compile(r"\w+")
_LEAST_SHARED = 0.5  # of the words of the learning, or of a line that is shorter


def quote(text: str, content: str) -> str:
    """Return the line of the message `text` that says `content`, between its neighbours, redacted; "" if none does.

    At most three lines of MAX_LINE characters. The learning may join several lines: the best one is quoted.
    """
    lines, words = _lines_with_words(text[:MAX_TEXT])
    wanted = _words(content)
    if not lines or not wanted:
        return ""
    shared = [len(some & wanted) for some in words]
    best = max(range(len(lines)), key=lambda place: shared[place])
    if shared[best] < _LEAST_SHARED * min(len(wanted), len(words[best])) or shared[best] < 2:
        return ""
    first = max(best - 1, 0)
    return "\n".join(_cut(line, wanted) for line in lines[first : best + 2])


@lru_cache(maxsize=1)  # the learnings of one message come one after the other
def _lines_with_words(text: str) -> tuple[list[str], list[frozenset[str]]]:
    """Return the lines of `text`, redacted, and the words of each."""
    lines = [line.strip() for line in redact(printable(text)).text.splitlines() if line.strip()]
    return lines, list(map(_words, lines))


def _words(text: str) -> frozenset[str]:
    if text.isascii():  # there the case of a letter does not depend on the word around it
        return frozenset(_WORD.findall(text.lower()))
    return frozenset(map(str.lower, _WORD.findall(text)))


def _shared(line: str, wanted: frozenset[str]) -> int:
    return len(_words(line) & wanted)


def _cut(line: str, wanted: frozenset[str]) -> str:
    """Return `line` if it is short, else the part of it with most of the wanted words."""
    if len(line) <= MAX_LINE:
        return line
    starts = range(0, len(line) - MAX_LINE // 2, MAX_LINE // 4)
    start = max(starts, key=lambda place: _shared(line[place : place + MAX_LINE - 2], wanted))
    part = line[start : start + MAX_LINE - 2]
    return ("…" if start else "") + shorten(part, MAX_LINE - 2) + ("…" if start + MAX_LINE - 2 < len(line) else "")
