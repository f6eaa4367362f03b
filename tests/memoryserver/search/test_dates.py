from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.search.dates import parse_date

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("2026-11-20T14:30", datetime(2026, 11, 20, 14, 30, tzinfo=UTC)),
        ("2026-11-20T14:30:05Z", datetime(2026, 11, 20, 14, 30, 5, tzinfo=UTC)),
        ("2026-11-20T14:30+02:00", datetime(2026, 11, 20, 14, 30, tzinfo=timezone(timedelta(hours=2)))),
        (" 12h ", NOW - timedelta(hours=12)),
        ("7D", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(days=14)),
        ("3m", NOW - timedelta(days=90)),
        ("1 y", NOW - timedelta(days=365)),
    ],
)
def test_date_time_and_age_are_read(text: str, meant: datetime) -> None:
    assert parse_date(text, NOW) == meant


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "7", "-3d", "99999y", "7d ago", "\x00"])
def test_anything_else_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match="give a date such as 2026-11-20"):
        parse_date(text, NOW)


@given(st.text(max_size=30))
def test_whatever_is_given_there_is_an_aware_time_or_a_value_error(text: str) -> None:
    try:
        found = parse_date(text, NOW)
    except ValueError:
        return
    assert found.tzinfo is not None


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_time_that_its_offset_moves_out_of_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="give a date such as 2026-11-20"):
        parse_date(text, datetime(2026, 11, 20, tzinfo=UTC))


def test_time_with_an_offset_is_returned_in_utc() -> None:
    parsed = parse_date("2026-11-20T14:30+23:59", datetime(2026, 11, 20, tzinfo=UTC))

    assert parsed.isoformat() == "2026-11-19T14:31:00+00:00"
