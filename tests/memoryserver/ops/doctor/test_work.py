from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule

from memoryserver.ops.alerting import alerts
from memoryserver.ops.doctor import work
from memoryserver.ops.models import CLUSTER, Alert, Heartbeat, Notification
from memoryserver.ops.schedules import ensure_schedules

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def ago(time: timedelta) -> datetime:
    return timezone.now() - time


def failed(function: str, stopped: datetime, number: int = 1, result: str = "") -> None:
    Failure.objects.create(
        id=f"{number:032}",
        name="n",
        func=function,
        started=stopped,
        stopped=stopped,
        success=False,
        result=result,
    )


def test_server_whose_jobs_run_has_no_findings() -> None:
    ensure_schedules()
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    checks = (
        *(work.workers, work.queue, work.schedules, work.failures),
        *(work.open_alerts, work.notifications, work.clock),
    )

    assert [finding for check in checks for finding in check()] == []


def test_worker_that_never_worked_or_is_silent_is_found() -> None:
    (never,) = work.workers()
    Heartbeat.objects.create(name=CLUSTER, beat_at=datetime.fromisoformat("2026-01-02T03:04:05+00:00"))
    (silent,) = work.workers()

    assert never.what == "no job worker has ever worked"
    assert silent.what == "no job worker has made progress since 2026-01-02 03:04:05 UTC"
    assert silent.fix == (
        "restart it: systemctl restart 'memoryserver-jobs@*'; or start one: manage.py qcluster (manage.py up has one)"
    )


def test_job_that_waits_for_long_is_found_and_one_that_runs_is_not() -> None:
    OrmQ.objects.create(key="memory", payload="x", lock=timezone.now() + HOUR)
    OrmQ.objects.create(key="memory", payload="x", lock=ago(timedelta(minutes=1)))
    assert list(work.queue()) == []

    OrmQ.objects.create(key="memory", payload="x", lock=ago(timedelta(minutes=25)))

    assert [finding.what for finding in work.queue()] == ["2 waiting jobs, the oldest for 25 minutes"]


@pytest.mark.parametrize(
    ("key", "about", "fix"),
    [
        ("backup overdue", ["backup"], "manage.py backup"),
        (
            "schedule embed",
            ["a.jobs.embed"],
            'run it once, to see its error: manage.py shell -c "from a.jobs import embed; embed()"',
        ),
        ("job cluster", [], work._WORKER),
        (
            "capture refused, user 4",
            ["x"],
            "correct what it names, then it ends by itself; since when: http://127.0.0.1:8000/admin/ops/alert/",
        ),
    ],
)
def test_alert_names_what_ends_it(key: str, about: list[str], fix: str) -> None:
    alerts.begin(key, "a problem", about=about)

    assert [finding.fix for finding in work.open_alerts()] == [fix]


def test_schedule_that_is_missing_or_paused_is_found(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("one", "some.job", 1), ("two", "other.job", 1)]
    ensure_schedules()
    Schedule.objects.filter(name="one").delete()
    Schedule.objects.filter(name="two").update(repeats=0)

    assert [(finding.what, finding.fix) for finding in work.schedules()] == [
        ("not scheduled: one", "manage.py ensure_schedules"),
        ("paused: two", "at http://127.0.0.1:8000/admin/django_q/schedule/ set `repeats` to -1"),
    ]


def test_job_that_failed_and_has_not_succeeded_since_is_found() -> None:
    failed("bad.job", ago(HOUR), 1, "no luck : Traceback (most recent call last):\n  File x\nValueError: no luck\n")
    failed("bad.job", ago(2 * HOUR), 2, "KeyError: 'before'")
    failed("healed.job", ago(HOUR), 3)
    failed("old.job", ago(30 * HOUR), 4)
    Heartbeat.objects.create(name="job healed.job", beat_at=timezone.now())
    Heartbeat.objects.create(name="job bad.job", beat_at=ago(3 * HOUR))

    assert [(finding.what, finding.fix) for finding in work.failures()] == [
        (
            "bad.job failed 2 times within a day, the last time with: ValueError: no luck",
            (
                "its traceback is at http://127.0.0.1:8000/admin/django_q/failure/; run it again: "
                'manage.py shell -c "from bad import job; job()"'
            ),
        )
    ]


def test_open_alert_is_shown_and_one_that_has_ended_is_not() -> None:
    alerts.begin("one", "the first problem")
    alerts.begin("two", "the second problem")
    alerts.end("one")

    (finding,) = work.open_alerts()

    assert finding.what.endswith(" UTC: the second problem")


@pytest.mark.parametrize(
    ("channel", "fix"), [("mail", "set MEMORYSERVER_SMTP_URL="), ("webhook", "correct MEMORYSERVER_ALERT_WEBHOOK; ")]
)
def test_alert_that_is_not_delivered_is_found(channel: str, fix: str) -> None:
    now = timezone.now()
    alert = Alert.objects.create(key="k", message="m", began_at=now, last_seen_at=now)
    Notification.objects.create(alert=alert, event="began", channel=channel, made_at=now, due_at=now, error="refused")

    (finding,) = work.notifications()

    assert finding.what == f"alerts by {channel} are not delivered: refused"
    assert finding.fix.startswith(fix)


def test_time_of_the_future_is_found() -> None:
    Heartbeat.objects.create(name="job x", beat_at=timezone.now() + timedelta(seconds=30))
    assert list(work.clock()) == []

    Heartbeat.objects.create(name="job y", beat_at=timezone.now() + HOUR)

    (finding,) = work.clock()
    assert finding.what.startswith("'job y' was recorded 3600 s in the future") or "3599 s" in finding.what
