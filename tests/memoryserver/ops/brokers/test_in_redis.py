from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler
from django_q.tasks import async_task

from memoryserver.jobs import enqueue
from memoryserver.ops.brokers import in_redis
from memoryserver.ops.brokers.common import QueueUnavailableError
from memoryserver.ops.brokers.in_redis import RedisBroker
from memoryserver.ops.health import checks
from memoryserver.ops.schedules import ensure_schedules
from memoryserver.ops.watchdog import Watchdog
from memoryserver.ops.worker import JobWorker
from tests.support.processes.redis_process import RedisProcess

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]

JOB = "memoryserver.ops.jobs.heartbeat"
OTHER = "memoryserver.ops.jobs.watch"
HERE = "tests.memoryserver.ops.brokers.test_in_redis"

ran: list[str] = []


def note(text: str = "without arguments") -> None:
    ran.append(text)


@pytest.fixture(autouse=True)
def _nothing_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    ran.clear()
    monkeypatch.setattr(in_redis, "POLL", 0.0)


@pytest.fixture
def short_lease(settings: Any) -> None:
    """A lease that has ended as soon as it begins: its worker is dead."""
    settings.JOB_LEASE_SECONDS = 0


def test_jobs_run_in_their_order_and_leave_the_queue(redis: RedisProcess) -> None:
    for text in ("first", "second", "second"):
        async_task(f"{HERE}.note", text)
    enqueue(f"{HERE}.note")

    JobWorker(Watchdog()).run_waiting()

    assert ran == ["first", "second", "second", "without arguments"]
    assert (get_broker().queue_size(), get_broker().lock_size(), OrmQ.objects.count()) == (0, 0, 0)
    assert redis.client().keys("*payloads") == []


def test_job_enqueued_many_times_waits_once_and_its_neighbour_too() -> None:
    for _ in range(20):
        enqueue(JOB)
        enqueue(OTHER)

    assert get_broker().queue_size() == 2


def test_many_threads_leave_one_job() -> None:
    task = payload(JOB)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: [RedisBroker().enqueue(task) for _ in range(20)], range(8)))

    assert get_broker().queue_size() == 1


def payload(function: str) -> str:
    """The signed task that enqueueing `function` adds."""
    enqueue(function)
    ((key, text),) = get_broker().dequeue()
    get_broker().acknowledge(key)
    return str(text)


def test_each_of_many_jobs_is_claimed_by_one_of_many_workers() -> None:
    for number in range(50):
        async_task("builtins.len", str(number))

    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(lambda _: RedisBroker().dequeue() or [], range(50)))

    assert (len({key for ((key, _),) in claimed}), get_broker().dequeue()) == (50, None)


def test_job_that_has_started_does_not_keep_the_next_from_waiting() -> None:
    enqueue(JOB)
    get_broker().dequeue()

    enqueue(JOB)
    enqueue(JOB)

    assert (get_broker().queue_size(), get_broker().lock_size()) == (1, 1)


@pytest.mark.usefixtures("short_lease")
def test_job_whose_worker_died_is_claimed_again_before_others() -> None:
    async_task(f"{HERE}.note", "of the dead")
    async_task(f"{HERE}.note", "later")
    ((first, _),) = get_broker().dequeue()

    ((second, _),) = get_broker().dequeue()

    assert second == first


@pytest.mark.usefixtures("short_lease")
def test_job_whose_worker_died_is_not_run_beside_one_of_its_kind() -> None:
    enqueue(JOB)
    get_broker().dequeue()
    enqueue(JOB)

    get_broker().dequeue()

    assert (get_broker().queue_size(), get_broker().lock_size()) == (0, 1)


def test_renewed_job_stays_with_its_worker(settings: Any) -> None:
    enqueue(JOB)
    settings.JOB_LEASE_SECONDS = -1
    ((key, _),) = get_broker().dequeue()
    settings.JOB_LEASE_SECONDS = 60

    get_broker().renew(key)

    assert get_broker().dequeue() is None


def test_acknowledged_job_is_not_brought_back_by_a_late_renewal() -> None:
    enqueue(JOB)
    ((key, _),) = get_broker().dequeue()
    get_broker().acknowledge(key)

    get_broker().renew(key)

    assert get_broker().lock_size() == 0


def test_job_that_cannot_be_read_is_removed_and_the_next_runs() -> None:
    RedisBroker().enqueue("nonsense")
    enqueue(f"{HERE}.note")

    JobWorker(Watchdog()).run_waiting()

    assert (ran, get_broker().lock_size()) == (["without arguments"], 0)


def test_schedules_that_are_due_again_add_no_second_job() -> None:
    ensure_schedules()
    for _ in range(2):
        Schedule.objects.update(next_run=timezone.now() - timedelta(minutes=1))
        JobWorker(Watchdog()).step()

    functions = set(Schedule.objects.values_list("func", flat=True))
    assert get_broker().queue_size() + get_broker().lock_size() <= len(functions)


def test_schedule_that_many_workers_see_is_enqueued_once() -> None:
    """With an argument, so that no other job of its kind stands for it."""
    past = timezone.now() - timedelta(minutes=1)
    Schedule.objects.create(func="builtins.len", args="'abc'", schedule_type=Schedule.MINUTES, minutes=5, next_run=past)

    def look(_: int) -> None:
        scheduler(broker=RedisBroker())
        connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(look, range(6)))

    assert get_broker().queue_size() == 1


def test_transaction_that_is_undone_enqueues_nothing() -> None:
    with transaction.atomic():
        enqueue(JOB)
        transaction.set_rollback(True)

    assert get_broker().queue_size() == 0


def test_purged_queue_is_empty() -> None:
    enqueue(JOB)
    enqueue(OTHER)
    get_broker().dequeue()

    get_broker().purge_queue()

    assert (get_broker().queue_size(), get_broker().lock_size()) == (0, 0)


def test_queue_outlives_a_redis_that_is_killed(redis: RedisProcess) -> None:
    redis.client().config_set("appendfsync", "always")
    async_task("builtins.len", "abc")
    redis.stop()
    redis.start()

    assert get_broker().queue_size() == 1


def test_request_is_not_disturbed_by_a_queue_that_is_down(redis: RedisProcess) -> None:
    redis.stop()

    enqueue(JOB)  # the job's schedule does the work

    with pytest.raises(QueueUnavailableError, match="^Redis cannot be used: "):
        get_broker().dequeue()
    assert [(check.name, check.good, check.required) for check in checks() if check.name == "queue"] == [
        ("queue", False, False)
    ]


def test_worker_waits_for_a_queue_that_is_down(
    redis: RedisProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    worker = JobWorker(Watchdog())
    redis.stop()
    monkeypatch.setattr("memoryserver.ops.worker.time.sleep", lambda _: worker.stop())

    with caplog.at_level(logging.WARNING, "memoryserver.ops.worker"):
        worker.run()

    lines = [(record.levelname, record.getMessage()) for record in caplog.records if "worker" in record.name]
    assert lines == [("WARNING", "the job worker waits for the queue and tries again every 5 s")]


def test_responding_queue_is_reported() -> None:
    assert [check.detail for check in checks() if check.name == "queue"] == ["answers"]


def test_worker_of_the_embedding_queue_runs_its_jobs_alone(settings: Any) -> None:
    settings.EMBEDDING_QUEUE, settings.EMBEDDING_JOBS = True, (JOB,)
    usual, embedding = get_broker(), get_broker("embedding")
    for name in (JOB, JOB, OTHER):
        enqueue(name)
    assert (embedding.queue_size(), usual.queue_size()) == (1, 1)

    JobWorker(Watchdog(), "embedding").run_waiting()

    assert (embedding.queue_size(), usual.queue_size()) == (0, 1)
