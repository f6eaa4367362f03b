"""What both brokers share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django_q.conf import Conf
from django_q.signing import BadSignature, SignedPackage

RENEWALS = 4
"""How often a worker renews its lease in the time that one lasts."""


def lease() -> timedelta:
    """Return how long a claimed job is kept from other workers after its worker's last sign of life."""
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


class QueueUnavailableError(Exception):
    """The queue does not respond; one line that says why."""


EMBEDDING_QUEUE = "embedding"
"""The name of the queue of jobs that embed, where they have one of their own."""


def queue_of(kind: str | None, queue: str) -> str:
    """Return the queue to which a job of `kind` is added by somebody who uses `queue`.

    With MEMORYSERVER_EMBEDDING_QUEUE, jobs that embed always go to a queue of their own, and all others to the usual
    one, even if a worker of the embedding queue adds them.
    """
    if not settings.EMBEDDING_QUEUE:
        return queue
    if kind in settings.EMBEDDING_JOBS:
        return EMBEDDING_QUEUE
    return str(Conf.CLUSTER_NAME) if queue == EMBEDDING_QUEUE else queue


def kind_of(payload: str) -> str | None:
    """Return the function of a job without arguments; None if it has some, or cannot be read."""
    try:
        task: dict[str, Any] = SignedPackage.loads(payload)
    except (BadSignature, TypeError):
        return None
    function = task["func"]
    return function if isinstance(function, str) and not task["args"] and not task["kwargs"] else None
