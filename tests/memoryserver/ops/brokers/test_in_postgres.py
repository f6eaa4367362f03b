from __future__ import annotations

import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler
from django_q.tasks import async_task

from memoryserver.jobs import enqueue
from memoryserver.ops.brokers.in_postgres import OneWaitingBroker
from memoryserver.ops.schedules import ensure_schedules
from memoryserver.ops.watchdog import Watchdog
from memoryserver.ops.worker import JobWorker

pytestmark = pytest.mark.django_db(transaction=True)

JOB = "memoryserver.ops.jobs.heartbeat"
OTHER = "memoryserver.ops.jobs.watch"


def waiting() -> list[str]:
    return sorted(row.name() for row in OrmQ.objects.filter(lock__lte=timezone.now()))


def test_configured_broker_is_ours() -> None:
    assert type(get_broker()) is OneWaitingBroker


def test_job_enqueued_many_times_waits_once_and_its_neighbour_too() -> None:
    for _ in range(20):
        enqueue(JOB)
        enqueue(OTHER)

    assert waiting() == [JOB, OTHER]


def test_job_that_has_started_does_not_keep_the_next_from_waiting() -> None:
    enqueue(JOB)
    ((claimed, _),) = get_broker().dequeue()

    enqueue(JOB)
    enqueue(JOB)

    assert waiting() == [JOB]
    assert OrmQ.objects.exclude(pk=claimed).count() == 1


def test_job_whose_worker_died_counts_as_waiting_again() -> None:
    enqueue(JOB)
    get_broker().dequeue()
    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=1))

    enqueue(JOB)

    assert OrmQ.objects.count() == 1


def test_jobs_with_arguments_all_wait() -> None:
    for number in (1, 2, 2):
        async_task("builtins.print", number)
    async_task("builtins.print", end="")
    async_task("builtins.print")
    async_task("builtins.print")

    assert OrmQ.objects.count() == 5


def test_unreadable_row_in_the_queue_stops_nobody() -> None:
    OrmQ.objects.create(key=get_broker().list_key, payload="nonsense", lock=timezone.now())

    enqueue(JOB)
    enqueue(JOB)

    assert OrmQ.objects.count() == 2


def test_schedules_that_are_due_again_add_no_second_job() -> None:
    ensure_schedules()
    for _ in range(2):
        Schedule.objects.update(next_run=timezone.now() - timedelta(minutes=1))
        scheduler()

    rows = OrmQ.objects.all()
    assert sorted(row.func() for row in rows) == sorted({function for _, function, _ in settings.JOB_SCHEDULES})


def test_schedule_that_many_workers_see_is_enqueued_once() -> None:
    """With an argument, so that no other job of its kind stands for it."""
    past = timezone.now() - timedelta(minutes=1)
    Schedule.objects.create(func="builtins.len", args="'abc'", schedule_type=Schedule.MINUTES, minutes=5, next_run=past)

    def look(_: int) -> None:
        scheduler(broker=OneWaitingBroker())
        connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(look, range(6)))

    assert OrmQ.objects.count() == 1


def test_each_of_many_jobs_is_claimed_by_one_of_many_workers() -> None:
    for number in range(30):
        async_task("builtins.len", str(number))

    def claim(_: int) -> list[tuple[int, str]]:
        try:
            return OneWaitingBroker().dequeue() or []
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        claimed = [key for found in pool.map(claim, range(30)) for key, _ in found]

    assert (len(claimed), len(set(claimed))) == (30, 30)


def enqueue_many(times: int) -> None:
    try:
        for _ in range(times):
            enqueue(JOB)
    finally:
        connection.close()


def test_many_threads_leave_one_job() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enqueue_many, [20] * 8))

    assert waiting() == [JOB]


def test_many_processes_leave_one_job() -> None:
    connection.close()  # not to be shared with the forks
    with ProcessPoolExecutor(4, mp_context=get_context("fork")) as pool:
        list(pool.map(enqueue_many, [20] * 4))

    assert waiting() == [JOB]


def test_transaction_that_commits_after_the_waiting_job_started_gets_a_job_of_its_own() -> None:
    """What is skipped because a job waits must be visible to that job."""
    enqueued, started = threading.Event(), threading.Event()

    def slow_request() -> None:
        with transaction.atomic():
            enqueue(JOB)
            enqueued.set()
            assert started.wait(30)
        connection.close()

    enqueue(JOB)
    request = threading.Thread(target=slow_request)
    request.start()
    assert enqueued.wait(30)
    get_broker().dequeue()
    started.set()
    request.join(30)

    assert waiting() == [JOB]


def test_worker_of_the_embedding_queue_runs_its_jobs_alone(settings: Any) -> None:
    settings.EMBEDDING_QUEUE, settings.EMBEDDING_JOBS = True, (JOB,)
    usual, embedding = get_broker(), get_broker("embedding")
    for name in (JOB, JOB, OTHER):
        enqueue(name)
    assert (embedding.queue_size(), usual.queue_size()) == (1, 1)

    JobWorker(Watchdog(), "embedding").run_waiting()

    assert (embedding.queue_size(), usual.queue_size()) == (0, 1)
