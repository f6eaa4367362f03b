"""The schedules of jobs, made from the setting JOB_SCHEDULES."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django_q.models import Schedule


@transaction.atomic
def ensure_schedules() -> None:
    """Make each schedule as the setting has it; again changes nothing, and an operator's pause of one stays.

    django-q2 knows no uniqueness of names, hence the lock: two servers that start together make one each.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('job schedules', 0))")
    for name, function, when in settings.JOB_SCHEDULES:
        wanted = {"func": function, **_timing(when)}
        known = Schedule.objects.filter(name=name).order_by("pk")
        keep = known.first()
        if keep is None:
            Schedule.objects.create(name=name, repeats=-1, **wanted)
            continue
        known.exclude(pk=keep.pk).delete()
        if any(getattr(keep, field) != value for field, value in wanted.items()):
            _change(keep, wanted)


def _timing(when: int | str) -> dict[str, Any]:
    """The minutes between runs (the first at once), or a cron expression (the first when it comes true)."""
    if isinstance(when, int):
        return {"schedule_type": Schedule.MINUTES, "minutes": when, "cron": None}
    return {"schedule_type": Schedule.CRON, "minutes": None, "cron": when}


def _change(schedule: Schedule, wanted: dict[str, Any]) -> None:
    for field, value in wanted.items():
        setattr(schedule, field, value)
    if schedule.schedule_type == Schedule.CRON:
        schedule.next_run = schedule.calculate_next_run()
    schedule.save()
