from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule, Task
from django_q.tasks import async_task

from memoryserver.jobs import enqueue
from memoryserver.ops import worker as module
from memoryserver.ops.models import CLUSTER, Heartbeat
from memoryserver.ops.schedules import ensure_schedules
from memoryserver.ops.watchdog import Watchdog
from memoryserver.ops.worker import JobWorker

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "tests.memoryserver.ops.test_worker"

ran: list[str] = []


def good() -> None:
    ran.append("good")


def note(number: int) -> None:
    ran.append(str(number))


def bad() -> None:
    raise ValueError("no such luck")


def slow() -> None:
    time.sleep(60)


def slow_statement() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")


def lose_the_database() -> None:
    connection.close()
    connection.settings_dict["HOST"] = "/nowhere"
    connection.ensure_connection()


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def test_waiting_jobs_run_once_and_leave_the_queue() -> None:
    enqueue(f"{HERE}.good")
    enqueue(f"{HERE}.bad")

    JobWorker(Watchdog()).run_waiting()

    assert (ran, OrmQ.objects.count()) == (["good"], 0)
    assert sorted(Task.objects.values_list("func", "success")) == [(f"{HERE}.bad", False), (f"{HERE}.good", True)]


def test_failed_job_keeps_its_reason() -> None:
    enqueue(f"{HERE}.bad")

    JobWorker(Watchdog()).run_waiting()

    assert "ValueError: no such luck" in Task.objects.get().result


def test_job_ended_within_a_statement_fails_and_its_reason_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "TIMEOUT", 1)
    enqueue(f"{HERE}.slow_statement")

    JobWorker(Watchdog()).run_waiting()

    assert "Task exceeded maximum timeout value" in Task.objects.get().result


def test_job_that_fails_in_an_outage_is_run_again_instead_of_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(connection.settings_dict, "HOST", connection.settings_dict["HOST"])  # put back at the end
    host = connection.settings_dict["HOST"]
    enqueue(f"{HERE}.lose_the_database")
    job_worker = JobWorker(Watchdog())
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            connection.settings_dict["HOST"] = host
            job_worker.stop()

    monkeypatch.setattr("memoryserver.ops.worker.time.sleep", pause)
    with caplog.at_level(logging.WARNING, "memoryserver.ops.worker"):
        job_worker.run()

    lines = [record for record in caplog.records if "waits" in record.getMessage()]
    assert [(line.levelname, line.getMessage()) for line in lines] == [
        ("WARNING", "the job worker waits for the database and tries again every 5 s")
    ]
    assert (Task.objects.count(), OrmQ.objects.count()) == (0, 1)


def test_schedule_that_is_due_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_schedules()
    Schedule.objects.exclude(name="heartbeat").delete()

    call_command("qcluster", "--run-once")

    assert list(Task.objects.values_list("func", "success")) == [("memoryserver.ops.jobs.heartbeat", True)]


def test_job_that_cannot_be_read_is_removed_and_the_next_runs() -> None:
    OrmQ.objects.create(key=Conf.CLUSTER_NAME, payload="nonsense", lock=timezone.now() - timedelta(minutes=1))
    enqueue(f"{HERE}.good")

    JobWorker(Watchdog()).run_waiting()

    assert (ran, OrmQ.objects.count()) == (["good"], 0)


def test_job_beyond_its_time_limit_fails_and_the_worker_is_replaced() -> None:
    async_task(f"{HERE}.slow", timeout=1)
    worker = JobWorker(Watchdog())

    worker.run()

    task = Task.objects.get()
    assert (task.success, "Task exceeded maximum timeout value (1 seconds)" in task.result) == (False, True)


def test_worker_is_replaced_after_a_number_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "RECYCLE", 2)
    for number in range(3):
        async_task(f"{HERE}.note", number)

    JobWorker(Watchdog()).run()

    assert (len(ran), OrmQ.objects.count()) == (2, 1)


def test_worker_that_works_records_a_heartbeat() -> None:
    worker = JobWorker(Watchdog())

    worker.step()

    assert timezone.now() - Heartbeat.objects.get(name=CLUSTER).beat_at < timedelta(minutes=1)


def steal() -> None:
    """Claim what is claimed already, when its lease would have ended twice."""
    time.sleep(1.0)
    ran.append(f"stolen: {get_broker().dequeue()}")


def test_long_job_stays_with_its_worker(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIGN_INTERVAL", 0.05)
    monkeypatch.setattr(Conf, "RECYCLE", 1)
    settings.JOB_LEASE_SECONDS = 0.5
    enqueue(f"{HERE}.steal")

    JobWorker(Watchdog()).run()

    assert (ran, OrmQ.objects.count()) == (["stolen: None"], 0)
