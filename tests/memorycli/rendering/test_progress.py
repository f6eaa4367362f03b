"""The line that shows how far something has come."""

from __future__ import annotations

import io

import pytest

from memorycli.rendering.progress import Progress, picture
from memoryserver.common.columns import columns_of
from tests.support.laptops.terminals import on_terminal

PROGRAM = """
from memorycli.rendering.progress import Progress
import time
with Progress("Reading", delay={delay}) as progress:
    for n in range(3):
        progress.update(n, 3, "x" * (10 - n))
        time.sleep(0.15)
print("done")
"""


def test_line_is_drawn_over_and_gone_at_the_end() -> None:
    screen = on_terminal(program=PROGRAM.format(delay=0), columns=80).screen
    pictures = screen.split("\r")

    assert "Reading [....................] 0/3, xxxxxxxxxx" in pictures
    assert "Reading [#############.......] 2/3, xxxxxxxx" in pictures
    assert (pictures[-2].strip(), pictures[-1]) == ("", "done\n")
    assert len(pictures[-2]) == len(pictures[-3])


def test_what_is_done_soon_shows_nothing() -> None:
    assert on_terminal(program=PROGRAM.format(delay=30)).screen == "done\n"


def test_dumb_terminal_and_pipe_show_nothing() -> None:
    stream = io.StringIO()
    with Progress("Reading", stream, delay=0) as progress:
        progress.update(1, 3)

    assert on_terminal(program=PROGRAM.format(delay=0), TERM="dumb").screen == "done\n"
    assert stream.getvalue() == ""


@pytest.mark.parametrize("width", [20, 40, 80])
def test_picture_fits(width: int) -> None:
    line = picture("Reading transcripts", 17, 4000, "数据库连接池" * 9, width)

    assert columns_of(line) <= width
    assert line.startswith("Reading transcripts")


@pytest.mark.parametrize(("done", "total", "bar"), [(0, 0, "." * 20), (9, 3, "#" * 20), (1, 2, "#" * 10 + "." * 10)])
def test_bar_stays_within_its_ends(done: int, total: int, bar: str) -> None:
    assert picture("a", done, total, "", 80) == f"a [{bar}] {done}/{total}"
