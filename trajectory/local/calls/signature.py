"""When two error messages are about the same thing: equal but for places, times and passing numbers."""

from __future__ import annotations

import re

from memoryserver.common.digest import digest

_VOLATILE = (
    (re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}\b|\b[0-9a-f]{12,}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[\w.:+-]*|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|minutes?)\b"), "<duration>"),
    (re.compile(r"\b(line|column|col|pid|process) \d+"), r"\1 <n>"),
    (re.compile(r"(?<=[\w)]):\d+(?::\d+)?\b"), ":<n>"),
    (re.compile(r"(?:[a-z]:)?(?:[\w.~@-]*/)+(?=[\w.-])"), ""),  # the folders of a path
)
_MAX_SIGNED = 500


def of_error(message: str) -> str:
    """What stays of an error message when lines, folders, ids, times and durations are left out.

    Other numbers stay: "3 failed" and "2 failed" are different errors, and their difference is progress.
    """
    signed = message[:_MAX_SIGNED].lower()
    for pattern, replacement in _VOLATILE:
        signed = pattern.sub(replacement, signed)
    return " ".join(signed.split())


def key_of(message: str) -> str:
    """The signature as a hash, "" for an empty message."""
    signed = of_error(message)
    return digest(signed.encode("utf-8", "replace"), 8) if signed else ""
