from __future__ import annotations

from typing import Any

import pytest

from memoryserver.ops import alerts, job_results

pytestmark = pytest.mark.django_db


def open_keys() -> list[str]:
    return sorted(alert.key for alert in alerts.open_alerts())


def ran(*, success: bool, function: str = "memoryserver.ops.jobs.heartbeat", result: str = "") -> None:
    job_results._record_result(None, {"func": function, "name": "x", "success": success, "result": result})


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
