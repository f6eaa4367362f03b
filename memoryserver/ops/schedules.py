"""The schedules of jobs, created from the setting JOB_SCHEDULES."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django_q.models import Schedule

_CORRECT = """
    UPDATE django_q_schedule SET next_run = statement_timestamp()
    WHERE schedule_type = %s AND next_run > statement_timestamp() + (minutes + 1) * interval '1 minute'
"""


@transaction.atomic
def ensure_schedules() -> None:
    """Create or update each schedule of the setting. Idempotent; a schedule paused by an operator stays paused.

    The lock prevents duplicates when two servers start together, since django-q2's names are not unique.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('job schedules', 0))")
    for name, function, when in settings.JOB_SCHEDULES:
        values = {"func": function, **_timing(when)}
        existing = Schedule.objects.filter(name=name).order_by("pk")
        schedule = existing.first()
        if schedule is None:
            Schedule.objects.create(name=name, repeats=-1, **values)
            continue
        existing.exclude(pk=schedule.pk).delete()
        if any(getattr(schedule, field) != value for field, value in values.items()):
            _update(schedule, values)


def _timing(when: int | str) -> dict[str, Any]:
    """Return the fields for minutes between runs (the first at once) or a cron expression."""
    if isinstance(when, int):
        return {"schedule_type": Schedule.MINUTES, "minutes": when, "cron": None}
    return {"schedule_type": Schedule.CRON, "minutes": None, "cron": when}


def _update(schedule: Schedule, values: dict[str, Any]) -> None:
    for field, value in values.items():
        setattr(schedule, field, value)
    if schedule.schedule_type == Schedule.CRON:
        schedule.next_run = schedule.calculate_next_run()
    schedule.save()


def correct_future_runs() -> int:
    """Make due what is scheduled later than its interval allows; return how many schedules that were.

    The time is the database's. A worker whose clock was fast, and was set right, leaves such runs behind.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CORRECT, [Schedule.MINUTES])
        return int(cursor.rowcount)
