"""Checks of the jobs: that workers work, that nothing waits for long, that nothing fails, that all are scheduled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Min
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule

from memoryserver.common.counted import counted
from memoryserver.common.text import one_line, shorten
from memoryserver.ops import health
from memoryserver.ops.alerting import alerts
from memoryserver.ops.doctor import Finding
from memoryserver.ops.doctor.web import CORRECT_MAIL
from memoryserver.ops.job_results import heartbeat_name
from memoryserver.ops.models import CLUSTER, Alert, Heartbeat, Notification

LONGEST_WAIT = timedelta(minutes=10)
RECENT = timedelta(days=1)
FUTURE_TOLERANCE = timedelta(seconds=60)
_SHOWN = 5
_START = "start one: manage.py qcluster (manage.py up has one), or systemctl start 'memoryserver-jobs@1'"
_WORKER = "restart it: systemctl restart 'memoryserver-jobs@*'; or start one: manage.py qcluster (manage.py up has one)"
_CORRECT_WEBHOOK = (
    "correct MEMORYSERVER_ALERT_WEBHOOK; a host with a private address is named in MEMORYSERVER_WEBHOOK_HOSTS"
)


def workers() -> Iterator[Finding]:
    """Check that a job worker has made progress lately."""
    beat = Heartbeat.objects.filter(name=CLUSTER).first()
    if beat is None:
        yield Finding("no job worker has ever worked", _START)
        return
    age = timezone.now() - beat.beat_at
    if age > health.HEARTBEAT_LIMIT:
        yield Finding(f"no job worker has made progress since {beat.beat_at:%Y-%m-%d %H:%M:%S} UTC", _WORKER)


def queue() -> Iterator[Finding]:
    """Check that no job waits for long; jobs that a worker runs do not wait."""
    now = timezone.now()
    waiting = OrmQ.objects.filter(lock__lte=now)
    oldest = waiting.aggregate(oldest=Min("lock"))["oldest"]
    if oldest is not None and now - oldest > LONGEST_WAIT:
        minutes = (now - oldest).total_seconds() / 60
        yield Finding(
            f"{counted(waiting.count(), 'waiting job')}, the oldest for {minutes:.0f} minutes",
            f"if a worker is busy all the time, more of them: MEMORYSERVER_JOB_WORKERS={settings.JOB_WORKERS + 1}; "
            f"if none is: {_WORKER}",
        )


def schedules() -> Iterator[Finding]:
    """Check that every job of the settings is scheduled, and none paused."""
    present = dict(Schedule.objects.values_list("name", "repeats"))
    missing = [name for name, *_ in settings.JOB_SCHEDULES if name not in present]
    if missing:
        yield Finding(f"not scheduled: {', '.join(missing[:_SHOWN])}", "manage.py ensure_schedules")
    paused = [name for name, *_ in settings.JOB_SCHEDULES if present.get(name) == 0]
    if paused:
        yield Finding(f"paused: {', '.join(paused[:_SHOWN])}", f"at {_admin('django_q/schedule')} set `repeats` to -1")


def failures() -> Iterator[Finding]:
    """Check that no job failed within the last day without a success of the same job after it."""
    since = timezone.now() - RECENT
    beats = dict(Heartbeat.objects.values_list("name", "beat_at"))
    counts: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    failed = Failure.objects.filter(stopped__gt=since).order_by("stopped")
    for function, stopped, result in failed.values_list("func", "stopped", "result"):
        succeeded = beats.get(heartbeat_name(function))
        if succeeded is None or succeeded < stopped:
            counts[function] += 1
            reasons[function] = shorten(one_line(str(result or "").strip().rpartition("\n")[2]), 200)
    for function, count in counts.most_common(_SHOWN):
        times = "once" if count == 1 else counted(count, "time")
        yield Finding(
            f"{function} failed {times} within a day, the last time with: {reasons[function]}",
            f"its traceback is at {_admin('django_q/failure')}; run it again: {_by_hand(function)}",
        )


def open_alerts() -> Iterator[Finding]:
    """Check that no alert is open."""
    for alert in alerts.open_alerts()[:_SHOWN]:
        yield Finding(
            f"alert since {alert.began_at:%Y-%m-%d %H:%M} UTC: {alert.message}",
            _cure(alert),
        )


def _cure(alert: Alert) -> str:
    """Return what ends an alert, by what it is about."""
    kind, _, _name = alert.key.partition(" ")
    if alert.key == "job cluster":
        return _WORKER
    if kind == "backup":
        return "manage.py backup"
    if kind in ("job", "schedule") and alert.about:
        return f"run it once, to see its error: {_by_hand(alert.about[0])}"
    return f"correct what it names, then it ends by itself; since when: {_admin('ops/alert')}"


def _by_hand(function: str) -> str:
    module, _, name = function.rpartition(".")
    return f'manage.py shell -c "from {module} import {name}; {name}()"'


def _admin(path: str) -> str:
    return f"{settings.PUBLIC_URL.rstrip('/')}/admin/{path}/"


def notifications() -> Iterator[Finding]:
    """Check that alerts reach people."""
    stuck = Notification.objects.filter(sent_at=None).exclude(error="").order_by("-pk").first()
    if stuck is not None:
        yield Finding(
            f"alerts by {stuck.channel} are not delivered: {stuck.error}",
            CORRECT_MAIL if stuck.channel == "mail" else _CORRECT_WEBHOOK,
        )


def clock() -> Iterator[Finding]:
    """Check that nothing has happened in the future: the clock was set back, or two machines differ."""
    now = timezone.now()
    ahead = Heartbeat.objects.filter(beat_at__gt=now + FUTURE_TOLERANCE).order_by("-beat_at").first()
    if ahead is not None:
        seconds = (ahead.beat_at - now).total_seconds()
        yield Finding(
            f"{ahead.name!r} was recorded {seconds:.0f} s in the future: this clock, or another machine's, is wrong",
            "set the clocks (with systemd: timedatectl set-ntp true)",
        )
