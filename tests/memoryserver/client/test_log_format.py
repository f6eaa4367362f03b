"""The format of the client's log files."""

from __future__ import annotations

import logging
import os
import sys

from memoryserver.client.log_format import OneLineFormatter


def record(message: str, *, error: bool = False) -> logging.LogRecord:
    info = sys.exc_info() if error else None
    made = logging.LogRecord("capture", logging.WARNING, __file__, 1, message, (), info)
    made.created = 1_772_355_600.0
    return made


def test_line_has_utc_time_level_logger_and_process():
    expected = f"2026-03-01T09:00:00Z WARNING capture[{os.getpid()}]: two learnings"
    assert OneLineFormatter().format(record("two learnings")) == expected


def test_line_breaks_and_control_characters_cannot_begin_another_line():
    line = OneLineFormatter().format(record("a\nb\r\u2028c\x1b[31m"))
    assert line.splitlines() == [line]
    assert "\x1b" not in line


def test_traceback_stands_on_the_same_line():
    try:
        int("broken")
    except ValueError:
        line = OneLineFormatter().format(record("failed", error=True))
    assert "\n" not in line
    assert "ValueError: invalid literal" in line
