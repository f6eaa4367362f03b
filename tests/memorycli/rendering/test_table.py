"""Aligned columns at several widths."""

from __future__ import annotations

import pytest

from memorycli.rendering.table import table
from memoryserver.common.columns import columns_of

ROWS = [
    ("github.com/crew/shop", "team crew, lead"),
    ("数据库", "private"),
    ("e\u0301tude", "team " + "x" * 40),
]


def test_columns_are_aligned_by_what_is_seen() -> None:
    assert list(table(ROWS, width=80)) == [
        "github.com/crew/shop  team crew, lead",
        "数据库                private",
        "e\u0301tude                 team " + "x" * 40,
    ]


@pytest.mark.parametrize("width", [12, 20, 40, 60])
def test_lines_are_cut_at_the_width(width: int) -> None:
    lines = list(table(ROWS, width=width))

    assert max(map(columns_of, lines)) <= width
    assert lines[2].endswith("…")


def test_kept_column_is_cut_last() -> None:
    assert next(table(ROWS, width=50, keeps=[0])).startswith("github.com/crew/shop  team")
    assert list(table([("a" * 30, "b" * 30)], width=40, keeps=[0])) == ["a" * 30 + "  " + "b" * 7 + "…"]


def test_what_is_no_terminal_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(table([("a" * 200, "b")])) == ["a" * 200 + "  b"]


def test_control_characters_and_line_breaks_do_not_leave_their_cell() -> None:
    assert list(table([("a\x1b[31m\nb", "c")], width=80)) == ["a b  c"]


def test_painted_cells_keep_their_alignment() -> None:
    painted = table(
        [("a", "b"), ("ccc", "d")], width=80, paint=lambda column, cell: f"<{cell}>" if column == 0 else cell
    )

    assert list(painted) == ["<a>    b", "<ccc>  d"]


def test_no_rows_are_no_lines() -> None:
    assert list(table([])) == []
