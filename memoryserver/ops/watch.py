"""Checks for problems that raise no error: schedules that do not run, jobs that never succeed.

A job runs the checks each minute. `manage.py up` and `manage.py watch` run them too, outside of the job cluster, since
a dead cluster runs no job that could report it.
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
from memoryserver.ops.job_results import heartbeat_name, watched_name
from memoryserver.ops.models import CLUSTER, CLUSTER_LIMIT, CLUSTER_START, Heartbeat
from memoryserver.outages.errors import is_outage

logger = logging.getLogger(__name__)

INTERVAL = 60.0  # seconds
_RUNS_MISSED = 5

_checks: list[Callable[[], None]] = []


def register(check: Callable[[], None]) -> None:
    """Register `check`, which begins and ends its own alerts."""
    if check not in _checks:
        _checks.append(check)


def run_checks() -> None:
    """Run all checks once and send notifications. An exception in one is logged and does not stop the others.

    They stop where the database cannot be reached, since all of them need it.
    """
    for check in (_check_jobs, *_checks, notifications.deliver):
        try:
            check()
        except Exception as error:  # the watch must survive any error
            if is_outage(error):
                logger.exception("the checks wait for the database and are tried again in a minute")
                return
            logger.exception("a check failed", extra={"check": check.__qualname__})


def run_until(stop: threading.Event) -> None:
    """Run the checks each minute until `stop` is set; no connection is kept open in between."""
    while not stop.wait(INTERVAL):
        run_checks()
        connection.close()


def _check_jobs() -> None:
    """Check the cluster, and each schedule if the cluster is alive."""
    now = timezone.now()
    beats = dict(Heartbeat.objects.values_list("name", "beat_at"))
    seen = beats.get(CLUSTER)
    waiting = Schedule.objects.exclude(repeats=0).filter(next_run__lt=now - CLUSTER_LIMIT).exists()
    if (seen is None and waiting) or (seen is not None and now - seen > CLUSTER_LIMIT):
        since = f"since {seen:%Y-%m-%d %H:%M} UTC" if seen else "yet"
        message = f"no job worker has made progress {since}; `manage.py up` or `manage.py qcluster` starts one"
        alerts.begin("job cluster", message)
        return
    alerts.end("job cluster")
    paused = set(Schedule.objects.filter(repeats=0).values_list("name", flat=True))
    for name, function, when in settings.JOB_SCHEDULES:
        succeeded = beats.get(heartbeat_name(function), beats.get(watched_name(function)))
        if succeeded is None:  # start counting from now
            Heartbeat.objects.get_or_create(name=watched_name(function), defaults={"beat_at": now})
        elif name in paused or max(succeeded, beats.get(CLUSTER_START, succeeded)) >= _deadline(when, now):
            alerts.end(f"schedule {name}")  # the time in which no worker ran is not the schedule's fault
        else:
            _begin(name, function, succeeded)


def _begin(name: str, function: str, succeeded: datetime) -> None:
    message = f"the schedule '{name}' has not succeeded since {succeeded:%Y-%m-%d %H:%M} UTC ({function})"
    alerts.begin(f"schedule {name}", message, about=[function])


def _deadline(when: int | str, now: datetime) -> datetime:
    """Return the time after which a working job must have succeeded: several intervals, or two runs and an hour."""
    if isinstance(when, int):
        return now - max(CLUSTER_LIMIT, timedelta(minutes=when * _RUNS_MISSED))
    times = croniter(when, now)
    times.get_prev(datetime)
    last_but_one: datetime = times.get_prev(datetime)
    return last_but_one - timedelta(hours=1)
