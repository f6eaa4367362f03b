"""An entry in one line."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ghap.local import Domain, GHAPEntry, Strategy
from memorycli.rendering.journal_entries import line
from memoryserver.common.columns import columns_of

ENTRY = GHAPEntry(
    id="ghap_20261120_150000_aaaaaa",
    session_id="session_20261120_150000_aaaaaa",
    created_at=datetime(2026, 11, 20, 15, tzinfo=UTC),
    domain=Domain.DEBUGGING,
    strategy=Strategy.READ_THE_ERROR,
    goal="数据库 stops " * 30,
    hypothesis="h",
    action="a",
    prediction="p",
)


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("200", 200), ("40", 60)])
def test_line_fits_the_terminal_and_keeps_some_words(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    assert line(ENTRY).startswith("ghap_20261120_150000_aaaaaa  active      1x  数据库")
    assert columns_of(line(ENTRY)) in (width, width - 1)
    assert columns_of(line(ENTRY, indent=2)) in (width, width - 1)
