"""Times that cannot be right are replaced by the time of arrival."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memoryserver.clocks import EARLIEST_CREDIBLE, credible

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
