"""The last errors in the logs of the hook and of capture, and the check that there are none of the last day."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from capture.local.service.logfile import LOG_FILE
from memorycli.doctor.finding import Finding, View
from memorycli.hook import log
from memorycli.reading.ages import ago
from memoryserver.common import clock, text

RECENT_SECONDS = 86_400.0  # for so long an error needs attention
_FILES = {"hook": Path(log.FILE), "capture": LOG_FILE}
_TAIL = 64 * 1024
_LOG_LINE = re.compile(rb"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (?:(?:ERROR|CRITICAL) \S+ |\[\d+\] )(.*)$", re.MULTILINE)


def last_errors(home: Path) -> list[dict[str, str]]:
    """Return the last error in each log, the latest first: where it is from, its time and its text in one line."""
    errors = [{"where": where, **error} for where, file in _FILES.items() if (error := _last_error(home / file))]
    return sorted(errors, key=lambda error: error["at"], reverse=True)


def is_recent(error: dict[str, str]) -> bool:
    """Return whether the error is of the last day; one from the future, by a clock that was wrong, is not."""
    return 0 <= _age(error) < RECENT_SECONDS


def logs_clean(view: View) -> Iterator[Finding]:
    """Check that the logs have no error of the last day."""
    for error in filter(is_recent, last_errors(view.home)):
        what = f"the last error of {error['where']}, {ago(_age(error))}: {error['error']}"
        yield Finding(what, f"read {view.home / _FILES[error['where']]}; an error counts for a day")


def _age(error: dict[str, str]) -> float:
    return time.time() - clock.from_text(error["at"]).timestamp()


def _last_error(path: Path) -> dict[str, str] | None:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = _LOG_LINE.findall(file.read())
    except OSError:
        return None
    if not lines:
        return None
    at, message = lines[-1]
    return {"at": at.decode(), "error": text.shorten(text.one_line(text.printable(text.decode(message))), 300)}
