"""The queue's broker: django-q2's own in Postgres, with at most one waiting job of each kind.

Jobs without arguments process whatever is due when they start, so a second one that waits has nothing left to do. All
ways into the queue pass this class: `memoryserver.jobs.enqueue`, the schedules and the admin.
"""

from __future__ import annotations

from typing import Any

from django.db import connections, transaction
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import BadSignature, SignedPackage


class OneWaitingBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """Adds a job only if none of its kind waits; jobs with arguments are always added."""

    def enqueue(self, task: str) -> int:
        """Add the signed `task` and return its key, or the key of the one that waits in its place.

        A waiting job starts after this check, and so sees everything that was committed before it. A job that has
        started no longer counts as waiting. The lock makes concurrent callers check one after the other; it ends with
        the transaction, so callers with work of their own enqueue after they have committed.
        """
        kind = _kind(task)
        if kind is None:
            return int(super().enqueue(task))
        with transaction.atomic(using=Conf.ORM):
            with connections[Conf.ORM].cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"enqueue {kind}"])
            waiting = OrmQ.objects.using(Conf.ORM).filter(key=self.list_key, lock__lte=timezone.now())
            for pk, payload in waiting.order_by("pk").values_list("pk", "payload"):
                if _kind(payload) == kind:
                    return int(pk)
            return int(super().enqueue(task))


def _kind(payload: str) -> str | None:
    """Return the function of a job without arguments; None if it has some, or cannot be read."""
    try:
        task: dict[str, Any] = SignedPackage.loads(payload)
    except (BadSignature, TypeError):
        return None
    function = task["func"]
    return function if isinstance(function, str) and not task["args"] and not task["kwargs"] else None
