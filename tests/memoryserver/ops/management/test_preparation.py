from __future__ import annotations

import io

import pytest
from django.core.management.base import OutputWrapper

from memoryserver.ops.management.preparation import PreparationLine


@pytest.fixture(autouse=True)
def xterm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(stream: io.StringIO, *counts: tuple[int, int]) -> str:
    """What a start writes that reports `counts` and then the address."""
    output = OutputWrapper(stream)
    line = PreparationLine(output)
    line.begin()
    for done, total in counts:
        line.update(done, total)
    line.end()
    line.end()
    output.write("memoryserver is up")
    return stream.getvalue()


def test_terminal_shows_the_count_in_one_line() -> None:
    assert written(Terminal(), (0, 31), (1, 31), (31, 31)).split("\r") == [
        "Preparing the database …",
        "Preparing the database: 0 of 31",
        "Preparing the database: 1 of 31",
        "Preparing the database: 31 of 31\nmemoryserver is up\n",
    ]


def test_terminal_with_nothing_to_migrate_shows_no_count() -> None:
    assert written(Terminal()) == "Preparing the database …\nmemoryserver is up\n"


def test_log_file_gets_the_line_once() -> None:
    assert written(io.StringIO(), (0, 2), (2, 2)) == "Preparing the database …\nmemoryserver is up\n"


def test_terminal_that_moves_no_cursor_gets_the_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    assert written(Terminal(), (1, 2)) == "Preparing the database …\nmemoryserver is up\n"
