"""Calendar days and weeks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db.models import Count
from django.utils import timezone

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.home.weeks import units_between, weeks_until
from tests.support.rows.ghap_entries import body

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "week"),
    [
        (NOW, 11),
        (MONDAY, 11),
        (MONDAY - timedelta(seconds=1), 10),
        (MONDAY - timedelta(weeks=11), 0),
        (MONDAY - timedelta(weeks=11, seconds=1), None),
        (MONDAY + timedelta(weeks=1), None),
    ],
)
def test_row_counts_in_its_calendar_week(moment: datetime, week: int | None, alice: User) -> None:
    receive(alice, None, [body()])
    Entry.objects.update(captured_at=moment)
    counted = weeks_until(NOW).count(Entry.objects.all(), "captured_at", entries=Count("pk"))
    assert [each["entries"] for each in counted] == [int(number == week) for number in range(12)]


def test_weeks_that_end_with_a_monday_are_over() -> None:
    assert (weeks_until(MONDAY).starts[-1], weeks_until(MONDAY).end) == (MONDAY - timedelta(weeks=1), MONDAY)
    assert weeks_until(NOW).end == MONDAY + timedelta(weeks=1)


def test_week_begins_at_midnight_of_the_readers_time_zone_also_after_a_change_of_the_clock(alice: User) -> None:
    zone = ZoneInfo("Europe/Berlin")
    receive(alice, None, [body()])
    Entry.objects.update(captured_at=datetime(2026, 10, 18, 22, tzinfo=UTC))  # Monday at midnight there
    with timezone.override(zone):
        weeks = weeks_until(datetime(2026, 10, 28, 12, tzinfo=UTC), 2)
        counted = weeks.count(Entry.objects.all(), "captured_at", entries=Count("pk"))
    assert weeks.starts == [datetime(2026, 10, 19, tzinfo=zone), datetime(2026, 10, 26, tzinfo=zone)]
    assert [start.astimezone(UTC).hour for start in weeks.starts] == [22, 23]
    assert [each["entries"] for each in counted] == [1, 0]


@pytest.mark.parametrize(
    ("days", "unit", "number", "first"),
    [
        (7, "day", 8, datetime(2026, 11, 18, tzinfo=UTC)),
        (30, "week", 5, datetime(2026, 10, 26, tzinfo=UTC)),
        (90, "week", 14, datetime(2026, 8, 24, tzinfo=UTC)),
    ],
)
def test_period_is_shown_by_days_or_weeks_that_cover_it(days: int, unit: str, number: int, first: datetime) -> None:
    units = units_between(NOW - timedelta(days=days), NOW)
    assert (units.unit, len(units.starts), units.starts[0]) == (unit, number, first)


def test_week_that_is_over_has_seven_days() -> None:
    units = units_between(MONDAY - timedelta(weeks=1), MONDAY)
    assert (len(units.starts), units.starts[0], units.end) == (7, MONDAY - timedelta(weeks=1), MONDAY)
