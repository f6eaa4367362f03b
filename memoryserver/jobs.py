"""Enqueueing of jobs, independent of the queue in use (django-q2), and a lock so that a job runs once at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import Error, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django_q.tasks import async_task

from memoryserver.database import is_pooled


def enqueue(job: str) -> None:
    """Enqueue the function with the dotted name `job`, which takes no arguments.

    Nothing is added while a job of the same name waits: it has not started, so it will find what this call is about.
    Within a transaction the job is enqueued after the commit; decided earlier, the waiting job could start and end
    before the transaction's rows are visible. If that fails, the error is logged and the schedule, which every job has,
    does the work.
    """

    def add() -> None:  # not a partial: Django logs the error of a function by its name
        async_task(job, task_name=job)

    transaction.on_commit(add, robust=True)


@contextmanager
def try_advisory_lock(name: str) -> Iterator[bool]:
    """Hold the Postgres advisory lock `name` for the block; yield False, without waiting, if another session holds it.

    A job that runs longer than its schedule's interval is started again meanwhile; the second one sees False. The lock
    ends with the database session, so a killed job never leaves it held.
    """
    held = _held_by_a_transaction if is_pooled(connection) else _held_by_the_session
    with held(name) as acquired:
        yield acquired


@contextmanager
def _held_by_the_session(name: str) -> Iterator[bool]:
    acquired = _fetch_bool(connection, "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", name)
    try:
        yield acquired
    finally:
        if acquired:
            _fetch_bool(connection, "SELECT pg_advisory_unlock(hashtextextended(%s, 0))", name)


@contextmanager
def _held_by_a_transaction(name: str) -> Iterator[bool]:
    """Hold it by a transaction, on a connection of its own that does nothing else.

    PgBouncer gives each transaction any of its sessions: another one could not release the lock, which would be held
    for as long as PgBouncer runs. The transaction has neither a snapshot nor a number, so it delays no vacuum and no
    index that is built meanwhile.
    """
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        acquired = _fetch_bool(holder, "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", name)
        if not acquired:
            holder.close()
        yield acquired
    finally:
        with suppress(Error):  # a lost connection has lost the lock too
            if holder.connection is not None:
                holder.rollback()  # which releases the lock at once; a session takes a moment to end
        holder.close()


def _fetch_bool(database: BaseDatabaseWrapper, sql: str, name: str) -> bool:
    with database.cursor() as cursor:
        cursor.execute(sql, [name])
        (value,) = cursor.fetchone()
    return bool(value)
