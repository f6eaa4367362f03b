"""What does not happen is noticed: a dead job cluster, a schedule that never succeeds, a job that fails in a row."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import Schedule

from memoryserver.ops import job_results, watch, worker
from memoryserver.ops.alerting import alerts, notifications
from memoryserver.ops.models import CLUSTER, CLUSTER_START, Alert, Heartbeat
from memoryserver.ops.schedules import ensure_schedules
from tests.memoryserver.ops.receivers import Webhook
from tests.support.database.refused import refused

pytestmark = pytest.mark.django_db


def beat(name: str, minutes_ago: float) -> None:
    then = timezone.now() - timedelta(minutes=minutes_ago)
    Heartbeat.objects.update_or_create(name=name, defaults={"beat_at": then})


def standing() -> list[str]:
    return sorted(alert.key for alert in alerts.open_alerts())


def ran(*, success: bool, function: str = "memoryserver.ops.jobs.heartbeat", result: str = "") -> None:
    job_results._record_result(None, {"func": function, "name": "x", "success": success, "result": result})


@pytest.fixture
def one_schedule(settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 1)]
    ensure_schedules()
    beat(CLUSTER, 0)


def test_cluster_that_is_dead_is_one_alert_until_it_is_back(one_schedule: None) -> None:
    beat(CLUSTER, 11)
    beat("job some.job", 60)
    watch.run_checks()
    watch.run_checks()
    assert standing() == ["job cluster"]

    beat(CLUSTER, 0)
    beat("job some.job", 0)
    watch.run_checks()
    assert standing() == []


def test_cluster_that_never_came_is_noticed_by_what_is_overdue(one_schedule: None) -> None:
    Heartbeat.objects.all().delete()
    watch.run_checks()
    assert standing() == []

    Schedule.objects.update(next_run=timezone.now() - timedelta(minutes=11))
    watch.run_checks()
    assert standing() == ["job cluster"]


def test_schedule_that_does_not_succeed_is_noticed_after_a_quarter_of_an_hour(one_schedule: None) -> None:
    watch.run_checks()
    beat("job some.job", 14)
    watch.run_checks()
    assert standing() == []

    beat("job some.job", 16)
    watch.run_checks()
    assert standing() == ["schedule often"]

    ran(success=True, function="some.job")
    watch.run_checks()
    assert standing() == []


@pytest.mark.django_db(transaction=True)  # a worker closes old connections
def test_time_without_a_worker_does_not_count_against_a_schedule(one_schedule: None) -> None:
    beat("job some.job", 90)
    beat(CLUSTER, 90)
    worker.record_heartbeat()  # the server starts again
    watch.run_checks()
    assert standing() == []

    beat(CLUSTER_START, 16)
    worker.record_heartbeat()
    watch.run_checks()
    assert standing() == ["schedule often"]


@pytest.mark.django_db(transaction=True)  # a worker closes old connections
@pytest.mark.parametrize("minutes", [9.9, 10.1])
def test_restart_is_no_alert_however_long_the_server_was_off(one_schedule: None, minutes: float) -> None:
    beat("job some.job", minutes + 1)  # it ran within the minute before the server stopped
    beat(CLUSTER, minutes)
    beat(CLUSTER_START, 600)

    worker.record_heartbeat()
    watch.run_checks()

    assert standing() == []


def test_schedule_that_is_paused_is_left_alone(one_schedule: None) -> None:
    beat("job some.job", 600)
    Schedule.objects.update(repeats=0)

    watch.run_checks()

    assert standing() == []


def test_nightly_schedule_has_until_an_hour_before_its_last_but_one_time() -> None:
    now = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

    assert watch._deadline("20 3 * * *", now) == datetime(2026, 11, 19, 2, 20, tzinfo=UTC)
    assert watch._deadline(60, now) == now - timedelta(hours=5, minutes=10)


def test_check_that_raises_holds_up_no_other(one_schedule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def broken() -> None:
        raise ValueError("no")

    def good() -> None:
        seen.append("looked")

    monkeypatch.setattr(watch, "_checks", [])
    for check in (broken, good, good):
        watch.register(check)
    watch.run_checks()

    assert seen == ["looked"]


def test_outage_is_one_line_since_every_check_needs_the_database(
    one_schedule: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def without_database() -> None:
        seen.append("asked")
        raise refused()

    monkeypatch.setattr(watch, "_checks", [without_database, without_database])
    with caplog.at_level(logging.WARNING, watch.__name__):
        watch.run_checks()

    assert seen == ["asked"]
    assert [record.getMessage() for record in caplog.records if record.name == watch.__name__] == [
        "the checks wait for the database and are tried again in a minute"
    ]


def test_long_outage_is_reported_once_without_the_database_and_stored_with_its_end(
    hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "OUTAGE_LIMIT", timedelta(0))
    outage = watch.OutageAlert()
    for _ in range(3):
        outage.record(refused())
    (body,) = hook.bodies
    outage.record(None)
    notifications.deliver()

    alert = Alert.objects.get()
    assert (body["event"], body["alert"], body["began_at"]) == ("began", "database", alert.began_at.isoformat())
    assert body["id"] == f"database-{alert.began_at:%Y%m%dT%H%M%SZ}-began"
    assert body["message"].startswith("the database cannot be reached: ")
    assert body["message"].endswith("; manage.py doctor says what to do")
    assert (alert.key, alert.ended_at is not None, standing()) == ("database", True, [])
    assert [told["event"] for told in hook.bodies] == ["began", "ended"]


def test_outage_that_is_over_within_minutes_is_not_reported(hook: Webhook) -> None:
    outage = watch.OutageAlert()
    for error in (refused(), refused(), None):
        outage.record(error)

    assert (hook.bodies, Alert.objects.count()) == ([], 0)


def test_channel_that_fails_in_an_outage_is_tried_again_by_the_next_check(
    hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "OUTAGE_LIMIT", timedelta(0))
    hook.statuses = [500]
    outage = watch.OutageAlert()
    for _ in range(3):
        outage.record(refused())

    assert [told["event"] for told in hook.bodies] == ["began", "began"]


def test_checks_return_the_error_of_an_outage_alone(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.JOB_SCHEDULES = []
    error = refused()

    def fail() -> None:
        raise error

    monkeypatch.setattr(watch, "_checks", [fail])
    assert watch.run_checks() is error
    error = RuntimeError("of a check")
    assert watch.run_checks() is None


def test_watch_from_outside_looks_again_and_again_until_it_is_stopped(
    one_schedule: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    looked: list[int] = []

    def check() -> None:
        looked.append(1)
        if len(looked) == 3:
            stop.set()

    monkeypatch.setattr(watch, "INTERVAL", 0.01)
    monkeypatch.setattr(watch, "_checks", [check])
    monkeypatch.setattr(connection, "close", lambda: None)  # the test's own transaction lives on it
    watch.run_until(stop)

    assert len(looked) == 3
