from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule

from memoryserver.ops.schedules import correct_future_runs, ensure_schedules

pytestmark = pytest.mark.django_db


def schedules() -> set[tuple[Any, ...]]:
    return set(Schedule.objects.values_list("name", "func", "schedule_type", "minutes", "cron", "repeats"))


def test_minutes_make_a_schedule_that_runs_at_once(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5)]

    ensure_schedules()

    assert schedules() == {("often", "some.job", Schedule.MINUTES, 5, None, -1)}
    assert Schedule.objects.get().next_run <= timezone.now()


def test_cron_expression_makes_one_that_waits_for_its_time(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("nightly", "some.job", "30 2 * * *")]

    ensure_schedules()

    assert schedules() == {("nightly", "some.job", Schedule.CRON, None, "30 2 * * *", -1)}
    next_run = Schedule.objects.get().next_run.astimezone(UTC)
    assert (next_run.hour, next_run.minute) == (2, 30)
    assert timedelta(0) < next_run - datetime.now(UTC) <= timedelta(days=1)


def test_again_changes_nothing(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5), ("nightly", "some.job", "30 2 * * *")]
    ensure_schedules()
    before = list(Schedule.objects.order_by("pk").values())

    ensure_schedules()

    assert list(Schedule.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(
    ("before", "after"), [(5, "30 2 * * *"), ("30 2 * * *", 5), (5, 7), ("1 1 * * *", "2 2 * * *")]
)
def test_changed_timing_is_taken_over(settings: Any, before: int | str, after: int | str) -> None:
    settings.JOB_SCHEDULES = [("job", "some.job", before)]
    ensure_schedules()
    settings.JOB_SCHEDULES = [("job", "other.job", after)]
    ensure_schedules()
    changed = list(Schedule.objects.values("func", "schedule_type", "minutes", "cron"))
    Schedule.objects.all().delete()
    ensure_schedules()

    assert changed == list(Schedule.objects.values("func", "schedule_type", "minutes", "cron"))


def test_pause_of_an_operator_stays(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5)]
    ensure_schedules()
    Schedule.objects.update(repeats=0)

    ensure_schedules()

    assert Schedule.objects.get().repeats == 0


def test_doubled_schedule_is_made_one(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5)]
    for _ in range(2):
        Schedule.objects.create(name="often", func="some.job", schedule_type=Schedule.MINUTES, minutes=5, repeats=-1)

    ensure_schedules()

    assert Schedule.objects.count() == 1


def test_every_scheduled_function_exists(settings: Any) -> None:
    for _, function, _ in settings.JOB_SCHEDULES:
        assert callable(import_string(function))


def test_run_that_a_fast_clock_put_too_late_is_due_and_no_other(settings: Any) -> None:
    settings.JOB_SCHEDULES = [
        ("often", "some.job", 5),
        ("rarely", "some.job", 90),
        ("nightly", "some.job", "30 2 * * *"),
    ]
    ensure_schedules()
    late = timezone.now() + timedelta(hours=1)
    Schedule.objects.update(next_run=late)

    assert correct_future_runs() == 1

    assert Schedule.objects.get(name="often").next_run <= timezone.now()
    assert set(Schedule.objects.exclude(name="often").values_list("next_run", flat=True)) == {late}
