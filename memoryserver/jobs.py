"""The one way to enqueue a job, so that another queue could take django-q2's place."""

from __future__ import annotations

from django_q.tasks import async_task


def enqueue(job: str) -> None:
    """Have the cluster run the function with the dotted name `job`, which takes no arguments.

    Within a transaction the job is enqueued if and when that commits. Jobs work off what they find due, so
    one more than needed does no harm.
    """
    async_task(job, task_name=job)
