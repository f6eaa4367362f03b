from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import clock


def test_moment_is_written_in_utc_with_a_final_z() -> None:
    there = timezone(timedelta(hours=2))

    assert clock.to_text(datetime(2025, 12, 3, 16, 30, 22, tzinfo=there)) == "2025-12-03T14:30:22Z"


def test_fractions_are_written_where_there_are_any() -> None:
    assert clock.to_text(datetime(2025, 12, 3, 14, 30, 22, 500, tzinfo=UTC)) == "2025-12-03T14:30:22.000500Z"


@given(st.datetimes(timezones=st.just(UTC)))
def test_written_moment_is_read_back(moment: datetime) -> None:
    assert clock.from_text(clock.to_text(moment)) == moment


def test_moment_without_zone_is_refused_both_ways() -> None:
    with pytest.raises(ValueError, match="a time needs its zone"):
        clock.to_text(datetime(2025, 12, 3))
    with pytest.raises(ValueError, match="a time needs its zone"):
        clock.from_text("2025-12-03T14:30:22")


def test_now_is_aware() -> None:
    assert clock.now().tzinfo is UTC


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_moment_outside_of_the_years_in_utc_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be within the years 1 to 9999 in UTC"):
        clock.from_text(text)
