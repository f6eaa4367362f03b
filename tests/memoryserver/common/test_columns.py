"""Text in columns."""

from __future__ import annotations

import pytest

from memoryserver.common.columns import columns_of, fitting, wrapped


@pytest.mark.parametrize(("text", "columns"), [("plain", 5), ("数据库", 6), ("e\u0301", 1), ("", 0)])
def test_columns_of_wide_characters_and_marks(text: str, columns: int) -> None:
    assert columns_of(text) == columns


def test_text_is_wrapped_at_blanks_and_long_words_are_cut() -> None:
    assert list(wrapped("one two\nthree fourfivesix", 6)) == ["one", "two", "three", "fourfi", "vesix"]
    assert list(wrapped("数据库 连接池", 5)) == ["数据", "库", "连接", "池"]


def test_line_that_fits_keeps_its_indentation_and_blanks() -> None:
    assert list(wrapped("```\n    x  = 1 \n\tpass\n```", 12)) == ["```", "    x  = 1", "    pass", "```"]
    assert list(wrapped("  one two three", 9)) == ["one two", "three"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("short", "short"), ("exactly8", "exactly8"), ("longer text", "longer …"), ("数据库连接", "数据库…")],
)
def test_text_that_does_not_fit_is_cut_with_an_ellipsis(text: str, shown: str) -> None:
    assert fitting(text, 8) == shown
