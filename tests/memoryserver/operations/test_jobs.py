"""The rows of jobs."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone
from django_q.models import Schedule

from memoryserver.operations import jobs
from memoryserver.ops import watch
from memoryserver.ops.job_results import heartbeat_name
from memoryserver.ops.models import CLUSTER, Heartbeat
from memoryserver.ops.schedules import ensure_schedules


def test_every_job_of_the_settings_has_a_row(db: None) -> None:
    assert [(row.name, row.function) for row in jobs.rows()] == [
        (name, function) for name, function, _ in settings.JOB_SCHEDULES
    ]
    assert {(row.ran_at, row.took, row.paused) for row in jobs.rows()} == {(None, None, True)}


def test_success_whose_task_was_purged_is_known_by_its_heartbeat(db: None) -> None:
    ensure_schedules()
    now = timezone.now()
    Heartbeat.objects.create(name=heartbeat_name("ghap.jobs.find_clusters"), beat_at=now)
    Schedule.objects.filter(func="ghap.jobs.persist_pending").update(repeats=0)
    rows = {row.function: row for row in jobs.rows()}
    assert (rows["ghap.jobs.find_clusters"].ran_at, rows["ghap.jobs.find_clusters"].paused) == (now, False)
    assert rows["ghap.jobs.persist_pending"].paused


def test_job_that_the_watch_waits_for_has_not_run_yet(db: None) -> None:
    ensure_schedules()
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())

    watch.run_checks()

    assert {(row.ran_at, row.succeeded_at) for row in jobs.rows()} == {(None, None)}


def test_waiting_and_failed_are_empty_at_first(db: None) -> None:
    assert (jobs.waiting(), jobs.failed()) == (0, [])
