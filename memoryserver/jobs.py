"""Enqueueing of jobs, independent of the queue in use (django-q2), and a lock so that a job runs once at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django_q.tasks import async_task


def enqueue(job: str) -> None:
    """Enqueue the function with the dotted name `job`, which takes no arguments.

    Within a transaction the job is enqueued if and when that commits. Jobs process whatever is due, so an extra one
    does no harm.
    """
    async_task(job, task_name=job)


@contextmanager
def try_advisory_lock(name: str) -> Iterator[bool]:
    """Hold the Postgres advisory lock `name` for the block; yield False, without waiting, if another session holds it.

    A job that runs longer than its schedule's interval is started again meanwhile; the second one sees False. The lock
    ends with the database session, so a killed job never leaves it held.
    """
    acquired = _fetch_bool("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", name)
    try:
        yield acquired
    finally:
        if acquired:
            _fetch_bool("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", name)


def _fetch_bool(sql: str, name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [name])
        (value,) = cursor.fetchone()
    return bool(value)
