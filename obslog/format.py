"""Formatting of observations as text for a model's context or a terminal."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Literal

from memoryserver.common.text import one_line, printable
from obslog.models import Observation

Mode = Literal["json", "short", "full"]

NOTHING = "No observations found."
MIN_CHARS = 200
"""Minimum of max_chars: the note about left out observations must fit."""

_NOTE_CHARS = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEAD = re.compile(r"^(?=\[\d{4}-\d\d-\d\dT[^\]]*\] \[)", re.MULTILINE)
_INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def format_observations(observations: Sequence[Observation], mode: Mode, *, left_out: int = 0) -> str:
    """Return `observations` as text in one of three modes.

    json: the data of each as a line of JSON. short: `[timestamp] [type] message` on a line. full: the same with the
    source, and the reported time if that cannot be right, then message, details and data on lines of their own; entries
    are separated by blank lines. Control and bidirectional characters are removed, or escaped in JSON, and a line of
    content that looks like the head of an entry is indented by a space, so that content cannot imitate another entry.
    If `left_out` is not 0, a last line has that number (in mode json as a JSON string).
    """
    parts = [_render(row, mode) for row in observations]
    if left_out:
        note = f"{left_out} more observations left out to stay within max_chars"
        parts.append(json.dumps(note) if mode == "json" else f"({note})")
    return _separator(mode).join(parts) if parts else NOTHING


def fitting(picked: Sequence[Observation], mode: Mode, max_chars: int) -> int:
    """Return how many of the first `picked` fit into `max_chars` characters, including the note."""
    between = len(_separator(mode))
    ends = [end - between for end in accumulate(len(_render(row, mode)) + between for row in picked)]
    if not ends or ends[-1] <= max_chars:
        return len(picked)
    return bisect_right(ends, max_chars - between - _NOTE_CHARS)


def _render(row: Observation, mode: Mode) -> str:
    if mode == "json":
        return _json(row.data)
    head = f"[{timestamp(row)}] [{_line(row.type)}]"
    if mode == "short":
        return f"{head} {_line(row.message)}"
    reported = "" if row.reported_at is None else f" reported={moment_text(row.reported_at)}"
    lines = [f"{head} source={_line(row.source)}{reported}", _content(_line(row.message))]
    if row.details:
        lines.append(_content(printable(row.details)))
    if row.data is not None:
        lines.append(_json(row.data))
    return "\n".join(lines)


def _separator(mode: Mode) -> str:
    return "\n\n" if mode == "full" else "\n"


def _line(text: str) -> str:
    return one_line(printable(text))


def _content(text: str) -> str:
    return _HEAD.sub(" ", text)


def _json(data: object) -> str:
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(data, ensure_ascii=False))


def timestamp(row: Observation) -> str:
    """Return the time of `row`, ISO 8601 in UTC, to the millisecond."""
    return moment_text(row.created_at)


def moment_text(milliseconds: int) -> str:
    """Return Unix milliseconds as ISO 8601 in UTC, to the millisecond."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
