"""Looks for what nobody reports because it does not happen: schedules that do not fire, jobs that never succeed.

A job looks each minute; `manage.py up` and `manage.py watch` look too, from outside of the job cluster, since a
dead cluster runs no job that could tell of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from croniter import croniter
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_q.models import Schedule

from memoryserver.ops import alerts, notifications
from memoryserver.ops.models import CLUSTER, Heartbeat
from memoryserver.ops.runs import beat_name

logger = logging.getLogger(__name__)

PAUSE = 60.0  # seconds
CLUSTER_LIMIT = timedelta(minutes=10)  # a job may hold up the heartbeat for five
_RUNS_MISSED = 5

_checks: list[Callable[[], None]] = []


def register(check: Callable[[], None]) -> None:
    """Have `check` called at each look: it begins and ends alerts of its own."""
    if check not in _checks:
        _checks.append(check)


def look() -> None:
    """Look once, and tell. What a check raises is logged and holds up no other check."""
    for check in (_check_jobs, *_checks, notifications.deliver):
        try:
            check()
        except Exception:  # the watch must outlive whatever it meets, a database that is down too
            logger.exception("a check could not be made", extra={"check": check.__qualname__})


def keep_looking(stop: threading.Event) -> None:
    """Look each minute until `stop` is set; between two looks no connection is held."""
    while not stop.wait(PAUSE):
        look()
        connection.close()


def _check_jobs() -> None:
    """Where the cluster is dead nothing else is said of schedules: all of them are."""
    now = timezone.now()
    beats = dict(Heartbeat.objects.values_list("name", "beat_at"))
    seen = beats.get(CLUSTER)
    waiting = Schedule.objects.exclude(repeats=0).filter(next_run__lt=now - CLUSTER_LIMIT).exists()
    if (seen is None and waiting) or (seen is not None and now - seen > CLUSTER_LIMIT):
        since = f"since {seen:%Y-%m-%d %H:%M} UTC" if seen else "yet"
        alerts.begin("job cluster", f"the job cluster has not run anything {since}; is `manage.py qcluster` running?")
        return
    alerts.end("job cluster")
    paused = set(Schedule.objects.filter(repeats=0).values_list("name", flat=True))
    for name, function, when in settings.JOB_SCHEDULES:
        _check_schedule(name, when, beats.get(beat_name(function)), function, now, paused=name in paused)


def _check_schedule(
    name: str, when: int | str, succeeded: datetime | None, function: str, now: datetime, *, paused: bool
) -> None:
    key = f"schedule {name}"
    if succeeded is None:  # from now on it has time
        Heartbeat.objects.get_or_create(name=beat_name(function), defaults={"beat_at": now})
        return
    if paused or succeeded >= _deadline(when, now):
        alerts.end(key)
        return
    message = f"the schedule '{name}' has not succeeded since {succeeded:%Y-%m-%d %H:%M} UTC ({function})"
    alerts.begin(key, message, about=[function])


def _deadline(when: int | str, now: datetime) -> datetime:
    """Before this no job that works succeeded for the last time: several runs ago, an hour of grace for rare ones."""
    if isinstance(when, int):
        return now - max(CLUSTER_LIMIT, timedelta(minutes=when * _RUNS_MISSED))
    times = croniter(when, now)
    times.get_prev(datetime)
    last_but_one: datetime = times.get_prev(datetime)
    return last_but_one - timedelta(hours=1)
