"""Normalises results and errors so that they can be compared: their text without what changes at every run.

Of a result, times, durations and ids are left out; of an error message also lines and folders. Any other number
stays, because "3 failed" and "2 failed" differ by progress.

Most texts hold nothing to leave out, so each pattern is compiled when a cheap look first finds that it may match.
"""

from __future__ import annotations

import re
from functools import cache

from memoryserver.common.digest import digest

_END = 6000  # characters read at each end of a long text; of the middle every letter counts
_MAX_ERROR = 500
_MAX_REFUSAL = 4000
_FILE = r"(?:[\w.~@:-]*[/\\])+[\w.~@-]+"
_QUOTATION = r"(?s)`[^`]*`|(?<=\n)String: .*"
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_UNITS = ("9ms", "9 ms", "9us", "9 us", "9ns", "9 ns", "9s", "9 s", "9min", "9 min")

# What a text holds if a pattern matches in it, the pattern, and its replacement. Each digit of the text is
# looked at as 9, and once more each hexadecimal digit as h.
_Rule = tuple[tuple[str, ...], str, str]
_UUID = r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}\b"
_RESULT: tuple[_Rule, ...] = (
    (("0x", "hhhhhhhh-hhhh-"), _UUID, "<id>"),
    (
        ("9999-99-99", "9:99:99", *(f" {month}" for month in _MONTH.split("|"))),
        (
            r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?[\w.:+-]*)?"
            rf"|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:{_MONTH})[a-z]* +\d+"
            r"|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?(?: ?[ap]m)?\b"
        ),
        "<time>",
    ),
    (_UNITS, r"\b\d+(?:[.,]\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|minutes?)\b", "<duration>"),
    (("pid", "process", "thread"), r"\b(pid|process|thread)([ =:#]+)\d+", r"\1\2<n>"),
    (("/tmp/", "/var/folders/"), r"(/tmp/|/var/folders/)[\w./-]+", r"\1<path>"),  # noqa: S108 - only read
)
_ERROR: tuple[_Rule, ...] = (
    (("0x", "hhhhhhhh-hhhh-", "h" * 12), _UUID + r"|\b[0-9a-f]{12,}\b", "<id>"),
    (
        ("9999-99-99", "99:99:99"),
        r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[\w.:+-]*|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
    ),
    (_UNITS, r"\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|minutes?)\b", "<duration>"),
    (("line 9", "column 9", "col 9", "pid 9", "process 9"), r"\b(line|column|col|pid|process) \d+", r"\1 <n>"),
    ((":9",), r"(?<=[\w)]):\d+(?::\d+)?\b", ":<n>"),
    (("/",), r"(?:[a-z]:)?(?:[\w.~@-]*/)+(?=[\w.-])", ""),  # the folders of a path
)
_DIGITS = str.maketrans("0123456789", "9" * 10)
_HEXADECIMAL = str.maketrans("0123456789abcdef", "h" * 16)


def of_result(text: str) -> str:
    """Return `text` in lower case with times, durations and ids replaced, at its first and last 6,000 characters."""
    if len(text) <= 2 * _END:
        return _replaced(text, _RESULT)
    return _replaced(text[:_END], _RESULT) + text[_END:-_END] + _replaced(text[-_END:], _RESULT)


def of_error(message: str) -> str:
    """Return an error message without lines, folders, ids, times and durations.

    Other numbers stay: "3 failed" and "2 failed" are different errors, and their difference is progress. Read are the
    first 500 characters.
    """
    return " ".join(_replaced(message[:_MAX_ERROR], _ERROR).split())


def error_key(message: str) -> str:
    """Return a hash that two messages about the same error share, "" for an empty message."""
    normalised = of_error(message)
    return digest(normalised.encode("utf-8", "replace"), 8) if normalised else ""


def refusal_key(message: str) -> str:
    """Return a hash that two refusals of an edit for the same reason share, whatever text and file they name."""
    reason = _compiled(_QUOTATION).sub("<text>", message[:_MAX_REFUSAL])
    reason = _compiled(_FILE).sub("<file>", reason)
    return error_key(reason)


def _replaced(text: str, rules: tuple[_Rule, ...]) -> str:
    text = text.lower()
    for hints, pattern, replacement in rules:
        if _may_match(text, hints):
            text = _compiled(pattern).sub(replacement, text)
    return text


def _may_match(text: str, hints: tuple[str, ...]) -> bool:
    if not text.isascii():  # other scripts have digits of their own
        return True
    shape = f"{text}\n{text.translate(_DIGITS)}\n{text.translate(_HEXADECIMAL)}"
    return any(hint in shape for hint in hints)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
