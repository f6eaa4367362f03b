"""Results of jobs, as django-q2's signal reports them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection
from django_q.signals import post_execute_in_worker

from memoryserver.ops import job_results, jobs
from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import Alert, Heartbeat

pytestmark = pytest.mark.django_db


def open_keys() -> list[str]:
    return sorted(alert.key for alert in alerts.open_alerts())


def ran(*, success: bool, function: Any = "memoryserver.ops.jobs.heartbeat", result: str = "") -> None:
    """What the worker sends when a job has run."""
    task = {"func": function, "name": "x", "success": success, "result": result}
    post_execute_in_worker.send("django_q", func=function, task=task)


def test_job_that_fails_three_times_in_a_row_is_an_alert_until_it_succeeds(settings: Any) -> None:
    for success in (False, False, True, False, False):
        ran(success=success, result="Traceback\nValueError: no")
    assert open_keys() == []

    ran(success=False, result="Traceback\nValueError: no")
    assert [alert.message for alert in alerts.open_alerts()] == [
        "the job memoryserver.ops.jobs.heartbeat failed: ValueError: no"
    ]

    ran(success=True)
    assert open_keys() == []


def test_job_that_runs_once_a_day_is_an_alert_at_its_first_failure() -> None:
    ran(success=False, function="memoryserver.ops.jobs.purge_failures")

    assert open_keys() == ["job memoryserver.ops.jobs.purge_failures"]


def test_connecting_again_counts_each_result_once() -> None:
    job_results.connect()

    ran(success=False)

    assert Alert.objects.get().times == 1


@pytest.mark.parametrize("function", [jobs.purge_failures, "memoryserver.ops.jobs.purge_failures"])
def test_success_is_the_heartbeat_of_the_jobs_dotted_name(function: Any) -> None:
    ran(success=True, function=function)

    (beat,) = Heartbeat.objects.all()
    assert beat.name == job_results.heartbeat_name("memoryserver.ops.jobs.purge_failures")


def test_later_success_moves_the_one_heartbeat_on() -> None:
    ran(success=True)
    first = Heartbeat.objects.get().beat_at

    ran(success=True)

    assert Heartbeat.objects.get().beat_at > first


def test_failure_leaves_the_heartbeat_of_the_last_success() -> None:
    ran(success=True)
    before = list(Heartbeat.objects.values())

    ran(success=False)

    assert list(Heartbeat.objects.values()) == before


def test_name_of_a_function_that_is_too_long_is_cut() -> None:
    ran(success=True, function="f" * 200)

    assert Heartbeat.objects.get().name == f"job {'f' * 96}"


@pytest.mark.parametrize(
    ("timings", "failures"),
    [
        pytest.param([10], 3, id="every-10-minutes"),
        pytest.param([11], 1, id="every-11-minutes"),
        pytest.param(["20 3 * * *"], 1, id="nightly"),
        pytest.param([60, 1], 3, id="often-and-rarely"),
        pytest.param([], 3, id="not-scheduled"),
    ],
)
def test_rare_job_is_an_alert_sooner(settings: Any, timings: list[int | str], failures: int) -> None:
    settings.JOB_SCHEDULES = [(f"schedule {when}", "some.job", when) for when in timings]
    reported = []
    for _ in range(4):
        ran(success=False, function="some.job")
        reported.append(bool(open_keys()))

    assert reported.index(True) + 1 == failures


def test_worker_survives_a_database_that_is_down(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*args: Any) -> None:
        raise DatabaseError("the connection is closed")

    with connection.execute_wrapper(refuse):
        ran(success=True)

    assert [record.getMessage() for record in caplog.records if record.name == "memoryserver.ops.job_results"] == [
        "a job's result could not be recorded"
    ]
