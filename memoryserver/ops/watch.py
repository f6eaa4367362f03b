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

from memoryserver.common.redaction import redact
from memoryserver.ops.alerting import alerts, channels, notifications
from memoryserver.ops.job_results import heartbeat_name, watched_name
from memoryserver.ops.models import CLUSTER, CLUSTER_LIMIT, CLUSTER_START, Alert, Heartbeat, Notification
from memoryserver.outages.errors import cannot_store, is_outage, reason_of

logger = logging.getLogger(__name__)

INTERVAL = 60.0  # seconds
OUTAGE_LIMIT = timedelta(minutes=3)
"""How long the database is out before that is reported: one that is restarted is back by then."""
OUTAGE = "database"
"""The key of the alert about an outage of the database."""
_RUNS_MISSED = 5

_checks: list[Callable[[], None]] = []


def register(check: Callable[[], None]) -> None:
    """Register `check`, which begins and ends its own alerts."""
    if check not in _checks:
        _checks.append(check)


def run_checks() -> Exception | None:
    """Run all checks once and send notifications. An exception in one is logged and does not stop the others.

    They stop where the database cannot be reached or cannot store anything, since all of them need it; the error that
    says so is returned.
    """
    for check in (_check_jobs, *_checks, notifications.deliver):
        try:
            check()
        except Exception as error:  # the watch must survive any error
            if is_outage(error):
                logger.exception("the checks wait for the database and are tried again in a minute")
                return error
            logger.exception("a check failed", extra={"check": check.__qualname__})
    return None


def run_until(stop: threading.Event) -> None:
    """Run the checks each minute until `stop` is set; no connection is kept open in between."""
    outage = OutageAlert()
    while not stop.wait(INTERVAL):
        outage.record(run_checks())
        connection.close()


class OutageAlert:
    """The alert about an outage of the database: it is sent without one, and stored with its end once that is over."""

    def __init__(self) -> None:
        self._alert: Alert | None = None
        self._reached: set[str] = set()  # the channels by which it was sent

    def record(self, error: Exception | None) -> None:
        """Record that the database is out, as `error` says, or that it is not, and send what that makes due."""
        now = timezone.now()
        if error is not None:
            self._alert = self._alert or Alert(key=OUTAGE, message=_message(error), began_at=now, last_seen_at=now)
            if now - self._alert.began_at >= OUTAGE_LIMIT:
                self._report(self._alert)
        elif self._alert is not None:
            if self._alert.notified_at is not None:
                self._alert.save()
                alerts.end(OUTAGE)
            self._alert, self._reached = None, set()

    def _report(self, alert: Alert) -> None:
        if alert.notified_at is None:
            alert.notified_at = timezone.now()
            logger.error("alert", extra={"alert": alert.key, "reason": alert.message})
        for channel in set(channels.configured()) - self._reached:  # one that failed is tried again a minute later
            try:
                channels.send(Notification(alert=alert, event="began", channel=channel))
            except channels.ChannelError as error:
                logger.warning("a notification could not be sent", extra={"channel": channel, "reason": str(error)})
            else:
                self._reached.add(channel)


def _message(error: Exception) -> str:
    what = cannot_store(error) or f"the database cannot be reached: {redact(reason_of(error)).text}"
    return f"{what}; manage.py doctor says what to do"


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
    """Return the time after which a working job must have succeeded: several intervals, or two runs and an hour.

    A time without workers of up to CLUSTER_LIMIT is no break, and has to leave the job its intervals.
    """
    if isinstance(when, int):
        return now - CLUSTER_LIMIT - timedelta(minutes=when * _RUNS_MISSED)
    times = croniter(when, now)
    times.get_prev(datetime)
    last_but_one: datetime = times.get_prev(datetime)
    return last_but_one - timedelta(hours=1)
