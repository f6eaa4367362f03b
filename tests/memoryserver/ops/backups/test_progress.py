from __future__ import annotations

import io

import pytest

from memoryserver.ops.backups.progress import Progress, in_words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_shows_how_far_it_has_come_and_the_line_goes_at_the_end() -> None:
    shown = Terminal()
    with Progress("Reading", 4_000_000, stream=shown) as progress:
        progress(1_000_000)
        progress(1_000_001)  # too soon after the other

    assert shown.getvalue() == "\r\033[KReading: 1.0 MB of 4.0 MB (25 %)\r\033[K"


def test_total_that_is_not_known_is_left_out() -> None:
    shown = Terminal()
    Progress("Writing", stream=shown)(2_500)

    assert shown.getvalue() == "\r\033[KWriting: 2.5 KB"


def test_file_gets_no_progress() -> None:
    shown = io.StringIO()
    with Progress("Reading", 10, stream=shown) as progress:
        progress(5)

    assert shown.getvalue() == ""


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 KB"), (5e9, "5.0 GB"), (3e16, "30000.0 TB")]
)
def test_sizes_have_their_units(size: float, words: str) -> None:
    assert in_words(size) == words
