"""The queue's broker: django-q2's own in Postgres, with at most one waiting job of each kind.

Jobs without arguments process whatever is due when they start, so a second one that waits has nothing left to do. All
ways into the queue pass this class: `memoryserver.jobs.enqueue`, the schedules and the admin.
"""

from __future__ import annotations

import time

from django.db import connections, transaction
from django.db.models.functions import Now
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ

from memoryserver.ops.brokers.common import kind_of, lease, queue_of

# The time is the database's: the clocks of several machines differ, and are set.
_CLAIM = """
    UPDATE django_q_ormq SET lock = statement_timestamp() + make_interval(secs => %(lease)s) WHERE id = (
        SELECT id FROM django_q_ormq WHERE key = %(queue)s AND lock <= statement_timestamp()
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING id, payload
"""

# By hand, since each stored learning asks it, and Django makes the text of a statement again at each use.
_WAITING = "SELECT id, payload FROM django_q_ormq WHERE key = %s AND lock <= statement_timestamp() ORDER BY id"


class OneWaitingBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """Adds a job only if none of its kind waits; jobs with arguments are always added."""

    def enqueue(self, task: str) -> int:
        """Add the signed `task` and return its key, or the key of the one that waits in its place.

        A waiting job starts after this check, and so sees everything that was committed before it. A job that has
        started no longer counts as waiting. The lock makes concurrent callers check one after the other; it ends with
        the transaction, so callers with work of their own enqueue after they have committed.
        """
        kind = kind_of(task)
        if kind is None:
            return self._add(task, queue_of(None, self.list_key))
        queue = queue_of(kind, self.list_key)
        waiting = self._waiting(kind, queue)  # mostly there is one, and callers need not wait for each other
        if waiting is not None:
            return waiting
        with transaction.atomic(using=Conf.ORM):
            with connections[Conf.ORM].cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"enqueue {kind}"])
            waiting = self._waiting(kind, queue)
            return self._add(task, queue) if waiting is None else waiting

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Claim the next job and return its key and payload; None, after a short wait, if none waits."""
        self.get_connection()  # closes a connection that is no longer usable
        with connections[Conf.ORM].cursor() as cursor:
            cursor.execute(_CLAIM, {"queue": self.list_key, "lease": lease().total_seconds()})
            claimed: list[tuple[int, str]] = cursor.fetchall()
        if not claimed:
            time.sleep(Conf.POLL)
            return None
        return claimed

    def renew(self, key: int) -> None:
        """Keep the claimed job `key` for another lease; does nothing if it has been acknowledged meanwhile."""
        OrmQ.objects.using(Conf.ORM).filter(pk=key).update(lock=Now() + lease())

    def queue_size(self) -> int:
        """Return how many jobs wait."""
        return int(self.get_connection().filter(key=self.list_key, lock__lte=Now()).count())

    def lock_size(self) -> int:
        """Return how many jobs are claimed."""
        return int(self.get_connection().filter(key=self.list_key, lock__gt=Now()).count())

    def _waiting(self, kind: str, queue: str) -> int | None:
        """Return the key of the first job of this kind that waits in `queue`; None if there is none."""
        self.get_connection()  # closes a connection that is no longer usable
        with connections[Conf.ORM].cursor() as cursor:
            cursor.execute(_WAITING, [queue])
            return next((int(pk) for pk, payload in cursor.fetchall() if kind_of(payload) == kind), None)

    def _add(self, task: str, queue: str) -> int:
        return int(self.get_connection().create(key=queue, payload=task, lock=Now()).pk)
