"""The log: one line a record, rotated, also by two processes at once; its own errors are ignored."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from capture.local.service import logfile
from capture.local.service.logfile import LOG_FILE, log_to_file, truncate_if_large

LOG = logging.getLogger("capture.tests")


@contextmanager
def logging_to(home: Path) -> Iterator[logging.Handler]:
    logger = logging.getLogger("capture")
    before = logger.propagate, logger.level
    handler = log_to_file(home)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        handler.close()
        logger.propagate, logger.level = before


def record(handler: logging.Handler, text: str) -> None:
    handler.emit(logging.LogRecord("capture.tests", logging.INFO, __file__, 1, text, None, None))


def test_record_is_a_single_line_with_its_time(tmp_path: Path):
    with logging_to(tmp_path):
        LOG.info("one\n2026-01-01T00:00:00Z ERROR forged\u2028too")
    (line,) = (tmp_path / LOG_FILE).read_text().splitlines()
    assert line.endswith("one 2026-01-01T00:00:00Z ERROR forged too")


def test_log_is_rotated_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logfile, "_MAX_BYTES", 2000)
    with logging_to(tmp_path):
        for number in range(500):
            LOG.info("line %d", number)
    files = list((tmp_path / "logs").iterdir())
    assert len(files) == 6
    assert sum(path.stat().st_size for path in files) <= 6 * 2000
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_two_writers_lose_no_line_when_one_of_them_rotates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logfile, "_MAX_BYTES", 2000)
    with logging_to(tmp_path) as first, logging_to(tmp_path) as second:
        for number in range(80):
            record(second if number % 2 else first, f"<{number}>")
    text_of_all = "".join(path.read_text() for path in (tmp_path / "logs").iterdir())
    assert [number for number in range(80) if f"<{number}>" not in text_of_all] == []
    assert "<79>" in (tmp_path / LOG_FILE).read_text()


def test_log_that_can_no_longer_be_written_raises_and_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    with logging_to(tmp_path):
        (tmp_path / LOG_FILE).unlink()
        (tmp_path / "logs").rmdir()
        (tmp_path / "logs").write_text("in the way")
        LOG.info("lost")
        LOG.info("lost too")
    assert capfd.readouterr().err == ""


def test_log_that_is_not_rotated_is_emptied_when_it_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logfile, "_MAX_BYTES", 100)
    path = tmp_path / "service.log"
    truncate_if_large(path)
    with path.open("a") as file:
        file.write("x" * 100)
        file.flush()
        truncate_if_large(path)
        assert path.stat().st_size == 100
        file.write("y")
        file.flush()
        truncate_if_large(path)
        file.write("z")
    assert path.read_text() == "z"
