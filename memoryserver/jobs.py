"""The one way to enqueue a job, so that another queue could take django-q2's place; and to have it run alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django_q.tasks import async_task


def enqueue(job: str) -> None:
    """Have the cluster run the function with the dotted name `job`, which takes no arguments.

    Within a transaction the job is enqueued if and when that commits. Jobs work off what they find due, so
    one more than needed does no harm.
    """
    async_task(job, task_name=job)


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """Whether nobody else, on any machine, is in a block of this `name`; if so nobody gets in until this one ends.

    A job that runs longer than its schedule's interval is started again meanwhile. The lock goes with the database
    session, so a job that is killed never leaves it held.
    """
    mine = _ask("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", name)
    try:
        yield mine
    finally:
        if mine:
            _ask("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", name)


def _ask(sql: str, name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [name])
        (answer,) = cursor.fetchone()
    return bool(answer)
