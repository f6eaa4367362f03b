"""Times that cannot be right are replaced by the time of arrival."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import TypeAdapter, ValidationError

from memoryserver.reported_times import EARLIEST_CREDIBLE, UtcDatetime, credible

RECEIVED = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (RECEIVED - timedelta(days=500), RECEIVED - timedelta(days=500)),
        (RECEIVED, RECEIVED),
        (RECEIVED + SECOND, RECEIVED),
        (datetime(2099, 1, 1, tzinfo=UTC), RECEIVED),
        (EARLIEST_CREDIBLE, EARLIEST_CREDIBLE),
        (EARLIEST_CREDIBLE - SECOND, RECEIVED),
    ],
    ids=["late delivery", "at once", "a little ahead", "far ahead", "earliest", "never set"],
)
def test_time_is_bounded_by_arrival(reported: datetime, expected: datetime) -> None:
    assert credible(reported, RECEIVED) == expected


def test_time_of_a_request_is_in_utc() -> None:
    moment = TypeAdapter(UtcDatetime).validate_python("2026-11-20T13:00:00+01:00")
    assert (moment, moment.tzinfo) == (RECEIVED, UTC)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_time_outside_the_calendar_in_utc_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="must be within the years 1 to 9999 in UTC"):
        TypeAdapter(UtcDatetime).validate_python(text)
