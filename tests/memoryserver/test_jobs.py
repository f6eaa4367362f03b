from __future__ import annotations

import threading
import time

import pytest
from django.db import connection, transaction
from django.test import TestCase
from django_q.models import OrmQ

from ghap.intake import PERSIST_JOB
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue, try_advisory_lock
from tests.support.processes import django_process

HOLD_LOCK = """
import time
from memoryserver.jobs import try_advisory_lock
with try_advisory_lock("nightly") as acquired:
    print(acquired, flush=True)
    time.sleep(600)
"""


def acquires_in_another_session(name: str) -> bool:
    """Whether a thread, which has a database session of its own, acquires the lock `name`."""
    results: list[bool] = []

    def work() -> None:
        with try_advisory_lock(name) as acquired:
            results.append(acquired)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return results[0]


def test_job_of_a_transaction_that_is_rolled_back_is_not_enqueued(alice: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        enqueue(PERSIST_JOB)
        transaction.set_rollback(True)

    assert OrmQ.objects.count() == 0


def test_enqueued_job_waits_under_its_name(alice: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        enqueue(PERSIST_JOB)

    assert [(waiting.name(), waiting.args()) for waiting in OrmQ.objects.all()] == [(PERSIST_JOB, ())]


def test_job_of_a_transaction_waits_after_the_commit(db: None) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        enqueue(PERSIST_JOB)

    assert [(waiting.func(), waiting.args()) for waiting in OrmQ.objects.all()] == [(PERSIST_JOB, ())]


def test_lock_is_held_by_one_session_until_its_block_ends(transactional_db: None) -> None:
    with try_advisory_lock("nightly") as acquired:
        during = acquires_in_another_session("nightly")

    assert (acquired, during, acquires_in_another_session("nightly")) == (True, False, True)


def test_locks_of_different_names_do_not_exclude_each_other(transactional_db: None) -> None:
    with try_advisory_lock("nightly"):
        assert acquires_in_another_session("hourly") is True


def test_lock_is_released_when_the_block_raises(transactional_db: None) -> None:
    with pytest.raises(ValueError, match="no"), try_advisory_lock("nightly"):
        raise ValueError("no")

    assert acquires_in_another_session("nightly") is True


def test_lock_of_a_killed_process_is_released(transactional_db: None) -> None:
    with django_process.start(HOLD_LOCK) as holder:
        assert holder.stdout is not None
        acquired = holder.stdout.readline().strip()
        during = acquires_in_another_session("nightly")
        holder.kill()

    deadline = time.monotonic() + 60
    while not acquires_in_another_session("nightly"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (acquired, during) == ("True", False)


@pytest.fixture
def pooled(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind PgBouncer; the threads of the test have connections of their own with the same settings."""
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)


def session_locks() -> int:
    """The advisory locks of sessions that are in no transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE locktype = 'advisory' AND state <> 'idle in transaction'"
        )
        (count,) = cursor.fetchone()
    return int(count)


def test_lock_behind_pgbouncer_is_of_a_transaction_and_held_by_one(pooled: None) -> None:
    with try_advisory_lock("nightly") as acquired:
        during = acquires_in_another_session("nightly")
        of_sessions = session_locks()

    assert (acquired, during, of_sessions) == (True, False, 0)
    assert acquires_in_another_session("nightly") is True


def test_lock_behind_pgbouncer_outlives_the_transactions_of_its_block(pooled: None) -> None:
    with try_advisory_lock("nightly"):
        with transaction.atomic():
            User.objects.create(username="written")
        connection.close()
        assert acquires_in_another_session("nightly") is False


def test_lock_behind_pgbouncer_is_released_when_the_block_raises(pooled: None) -> None:
    with pytest.raises(ValueError, match="no"), try_advisory_lock("nightly"):
        raise ValueError("no")

    assert acquires_in_another_session("nightly") is True
