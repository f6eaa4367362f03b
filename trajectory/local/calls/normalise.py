"""Normalises results and errors so that they can be compared: their text without what changes at every run.

Of a result, times, durations and ids are left out; of a failed program's also the places in files, which move with each
edit above them; of an error message also folders. Any other number
stays, because "3 failed" and "2 failed" differ by progress.

Most texts hold nothing to leave out, so each pattern is compiled when a cheap look first finds that it may match.
"""

from __future__ import annotations

import re
from functools import cache

from memoryserver.common.digest import digest
from memoryserver.common.outcomes import exit_status

NO_MESSAGE = "failed without a message"

_END = 6000  # characters read at each end of a long text; of the middle every letter counts
_MAX_ERROR = 500
_MAX_REFUSAL = 4000
_FILE = r"(?:[\w.~@:-]*[/\\])+[\w.~@-]+"
_QUOTATION = r"(?s)`[^`]*`|(?<=\n)string: .*"
_QUOTED_WORDS = r"(?s)(?<!\w)'[^']*'(?!\w)|\"[^\"]*\""
_LEAST_WORDS = 5  # of the lines that say why an edit was refused
# A time as the names of logs have it: 2026-01-15T14_32_00_096Z, 2026-01-15-14-32-00, 20260115T143200Z, 20260115-143200.
_TIME_IN_NAME = (
    r"(?<!\d)\d{4}-\d\d-\d\d[t_-]\d\d[_.-]\d\d[_.-]\d\d(?:[_.-]\d{3,6}(?!\d))?z?"
    r"|(?<!\d)(?:19|20)\d{6}[t_-]\d{6}(?!\d)z?"
)
_COMPACT = ("99999999t999999", "99999999-999999", "99999999_999999")
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_UNITS = ("9ms", "9 ms", "9us", "9 us", "9ns", "9 ns", "9s", "9 s", "9min", "9 min")

# What a text holds if a pattern matches in it, the pattern, and its replacement. Each digit of the text is
# looked at as 9, and once more each hexadecimal digit as h.
_Rule = tuple[tuple[str, ...], str, str]
_UUID = r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}\b"
_RESULT: tuple[_Rule, ...] = (
    (("0x", "hhhhhhhh-hhhh-"), _UUID, "<id>"),
    (
        ("9999-99-99", "9:99:99", *_COMPACT, *(f" {month}" for month in _MONTH.split("|"))),
        (
            rf"{_TIME_IN_NAME}|\b\d{{4}}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?[\w.:+-]*(?:,\d+)?)?"
            rf"|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:{_MONTH})[a-z]* +\d+"
            r"|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?(?: ?[ap]m)?\b"
        ),
        "<time>",
    ),
    (_UNITS, r"\b\d+(?:[.,]\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|minutes?)\b", "<duration>"),
    (("pid", "process", "thread"), r"\b(pid|process|thread)([ =:#]+)\d+", r"\1\2<n>"),
    (("/tmp/", "/var/folders/"), r"(/tmp/|/var/folders/)[\w./-]+", r"\1<path>"),  # noqa: S108 - only read
)
# What shows that a fault is known by more than its line: code that is quoted (below a frame of Python, beside line
# numbers, above a caret), or places with columns, by compilers and linters that list all faults at once.
_MORE_THAN_LINE = (
    r"(?m)^ *file [^\n]*, line \d+[^\n]*\n +\S|^ *\d+ \| *\S|^\s*[\^~]+\s*$"
    r"|\.[a-z]\w{0,5}(?::\d+:\d+|\(\d+,\d+\))"
)
_PLACES: tuple[_Rule, ...] = (
    (("line 9", "column 9", "col 9"), r"\b(line|column|col) \d+", r"\1 <n>"),
    ((":9", "(9"), r"(\.[a-z]\w{0,5}|\wfile)(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))", r"\1:<n>"),
    (("9 |",), r"(?m)^( *)\d+ \|", r"\1<n> |"),  # the numbers beside quoted code
)
_ERROR: tuple[_Rule, ...] = (
    (("0x", "hhhhhhhh-hhhh-", "h" * 12), _UUID + r"|\b[0-9a-f]{12,}\b", "<id>"),
    (
        ("9999-99-99", "99:99:99", *_COMPACT),
        rf"{_TIME_IN_NAME}|\b\d{{4}}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[\w.:+-]*(?:,\d+)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
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


def of_failure(text: str) -> str:
    """Return what `of_result` does for the output of a failed program; also without places in files, if it tells more.

    Quoted code stays, so that another fault at the next place is another failure. Where a line is all that tells two
    faults apart, it counts.
    """
    normalised = of_result(text)
    return _replaced(normalised, _PLACES) if _compiled(_MORE_THAN_LINE).search(normalised) else normalised


def of_error(message: str) -> str:
    """Return an error message without lines, folders, ids, times and durations.

    Other numbers stay: "3 failed" and "2 failed" are different errors, and their difference is progress. Read are the
    first 500 characters.
    """
    return " ".join(_replaced(message[:_MAX_ERROR], _ERROR).split())


def error_key(message: str) -> str:
    """Return a hash that two messages about the same error share; "" for one that says no more than an exit status."""
    first, _, rest = message.strip().partition("\n")
    if not rest.strip() and (not first or exit_status(first) is not None or first == NO_MESSAGE):
        return ""
    normalised = of_error(message)
    return digest(normalised.encode("utf-8", "replace"), 8) if normalised else ""


def refusal_key(message: str) -> str:
    """Return a hash that two refusals of an edit for the same reason share, whatever text, file and place they name.

    The reason is in the first lines that have five words together; below it the text is often quoted.
    """
    reason = _compiled(_QUOTATION).sub("<text>", message[:_MAX_REFUSAL].lower())
    reason = _compiled(_QUOTED_WORDS).sub("<text>", _compiled(_FILE).sub("<file>", reason))
    words: list[str] = []
    for line in reason.split("\n"):
        words += line.split()
        if len(words) >= _LEAST_WORDS:
            break
    return error_key(_compiled(r"\d+").sub("<n>", " ".join(words)))


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
