"""The settings of django-q2, each against a trap of its defaults."""

from __future__ import annotations

import inspect
import math
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.conf import Conf
from django_q.models import Failure, OrmQ, Schedule

from capture.sink import EMBED_JOB
from ghap.intake import PERSIST_JOB
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue
from memoryserver.ops.jobs import purge_failures
from memoryserver.ops.schedules import ensure_schedules
from tests.support.factories import UserFactory

JOBS = sorted({*(function for _, function, _ in settings.JOB_SCHEDULES), EMBED_JOB, PERSIST_JOB})


def test_failed_job_is_not_tried_for_ever() -> None:
    assert (Conf.MAX_ATTEMPTS, Conf.ACK_FAILURES) == (3, True)


def test_lock_on_a_job_outlasts_its_wait_in_memory_and_its_run() -> None:
    waiting = math.ceil((Conf.QUEUE_LIMIT + Conf.BULK) / Conf.WORKERS)

    assert Conf.TIMEOUT * (2 + waiting) <= Conf.RETRY


def test_no_more_jobs_wait_in_memory_than_there_are_workers() -> None:
    assert 1 <= Conf.QUEUE_LIMIT <= Conf.WORKERS
    assert Conf.BULK == 1


def test_every_job_has_a_timeout() -> None:
    assert Conf.TIMEOUT == 300


def test_runs_that_were_missed_are_not_made_up_for() -> None:
    assert Conf.CATCH_UP is False


def test_queue_is_asked_once_a_second() -> None:
    assert Conf.POLL == 1


def test_successes_are_pruned() -> None:
    assert Conf.SAVE_LIMIT == 250


def test_workers_share_no_pool_of_connections() -> None:
    assert "pool" not in settings.DATABASES["default"].get("OPTIONS", {})
    assert settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] is True


def test_records_of_failures_are_purged_after_a_month(db: None) -> None:
    for days in (1, 29, 31, 300):
        then = timezone.now() - timedelta(days=days)
        Failure.objects.create(id=f"{days:032}", name=str(days), func="x", started=then, stopped=then, success=False)

    assert purge_failures() == 2
    assert sorted(Failure.objects.values_list("name", flat=True)) == ["1", "29"]


def test_schedule_cannot_be_written_by_hand_so_that_none_is_broken(db: None) -> None:
    ensure_schedules()
    schedule = Schedule.objects.first()
    assert schedule is not None
    client = Client()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))

    added = client.get("/admin/django_q/schedule/add/")
    page = client.get(f"/admin/django_q/schedule/{schedule.pk}/change/").content.decode()

    assert added.status_code == 403
    assert 'name="args"' not in page
    assert 'name="next_run_0"' in page


def test_names_of_schedules_are_unique() -> None:
    names = [name for name, _, _ in settings.JOB_SCHEDULES]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_is_there_under_its_name_and_takes_no_arguments(job: str) -> None:
    required = [
        parameter.name
        for parameter in inspect.signature(import_string(job)).parameters.values()
        if parameter.default is parameter.empty
    ]

    assert required == []


def test_job_of_a_transaction_that_is_rolled_back_is_not_enqueued(alice: User) -> None:
    with transaction.atomic():
        enqueue(PERSIST_JOB)
        transaction.set_rollback(True)

    assert OrmQ.objects.count() == 0


def test_enqueued_job_waits_under_its_name(alice: User) -> None:
    enqueue(PERSIST_JOB)

    assert [(waiting.name(), waiting.args()) for waiting in OrmQ.objects.all()] == [(PERSIST_JOB, ())]
