"""Shows that a call waits for a transaction that holds a lock, without races or pauses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection, connections, transaction

Result = TypeVar("Result")


def after_waiting_for(hold: Callable[[], object], call: Callable[[], Result]) -> Result:
    """Return the result of `call`, made in a thread while an open transaction has done `hold`.

    The transaction commits once `call` waits for a lock; a `call` that ends before that fails the test. Needs a test
    with `django_db(transaction=True)`.
    """
    results: list[Result] = []

    def run() -> None:
        try:
            results.append(call())
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        hold()
        thread.start()
        while thread.is_alive() and not _is_waited_for():
            time.sleep(0.01)
        has_waited = thread.is_alive()
    thread.join()
    assert has_waited
    return results[0]


def _is_waited_for() -> bool:
    """Return whether a session waits for a lock that this one holds."""
    with connection.cursor() as cursor:
        cursor.execute(  # not pg_stat_activity, which a transaction sees as it was at its first look
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
        )
        (is_waited_for,) = cursor.fetchone()
    return bool(is_waited_for)
