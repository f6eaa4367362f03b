"""The jobs of the settings as the page shows them: when each ran last, for how long, with what end, and when next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import OuterRef, Subquery
from django_q.models import OrmQ, Schedule, Task

from memoryserver.ops.job_results import heartbeat_name
from memoryserver.ops.models import Heartbeat

FAILURES = 20


@dataclass(frozen=True)
class JobRow:
    """A job. `ran_at` is its last end, `took` its duration; `succeeded_at` is its last success, which is kept longer.

    Of what is unknown it is None. `failure` is the last line of the error if the last run failed. `paused` is a
    schedule that an administrator stopped.
    """

    name: str
    function: str
    ran_at: datetime | None
    took: timedelta | None
    succeeded_at: datetime | None
    failure: str
    next_run: datetime | None
    paused: bool


@dataclass(frozen=True)
class FailedJob:
    """A run that failed, with the last line of its error; `known` says that the function is a job of the settings."""

    key: str
    function: str
    at: datetime
    reason: str
    known: bool


def functions() -> Sequence[str]:
    """Return the dotted names of all jobs of the settings."""
    return [function for _, function, _ in settings.JOB_SCHEDULES]


def rows() -> Sequence[JobRow]:
    """Return the jobs in the order of the settings; three queries."""
    latest = Task.objects.filter(func=OuterRef("func")).order_by("-stopped").values("pk")[:1]
    schedules = {row.name: row for row in Schedule.objects.annotate(latest=Subquery(latest))}
    tasks = Task.objects.in_bulk([row.latest for row in schedules.values() if row.latest])
    beats = dict(Heartbeat.objects.values_list("name", "beat_at"))
    return [
        _row(name, function, schedules.get(name), tasks, beats.get(heartbeat_name(function)))
        for name, function, _ in settings.JOB_SCHEDULES
    ]


def failed() -> Sequence[FailedJob]:
    """Return the latest failed runs."""
    known = set(functions())
    tasks = Task.objects.filter(success=False).order_by("-stopped")[:FAILURES]
    return [FailedJob(task.pk, task.func, task.stopped, _reason(task), task.func in known) for task in tasks]


def waiting() -> int:
    """Return the number of jobs in the queue."""
    return int(OrmQ.objects.count())


def _row(
    name: str, function: str, schedule: Schedule | None, tasks: dict[str, Task], succeeded_at: datetime | None
) -> JobRow:
    task = tasks.get(schedule.latest) if schedule else None
    return JobRow(
        name=name,
        function=function,
        ran_at=task.stopped if task else succeeded_at,
        took=task.stopped - task.started if task else None,
        succeeded_at=succeeded_at,
        failure=_reason(task) if task and not task.success else "",
        next_run=schedule.next_run if schedule else None,
        paused=schedule is None or schedule.repeats == 0,
    )


def _reason(task: Task) -> str:
    return str(task.result).strip().rpartition("\n")[2][:300]
