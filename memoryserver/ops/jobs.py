"""Jobs of the operation itself. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from django_q.models import Failure

from memoryserver.ops import notifications
from memoryserver.ops import watch as watching
from memoryserver.ops.models import CLUSTER, Heartbeat

FAILURES_KEPT = timedelta(days=30)


def heartbeat() -> None:
    """Shows that the cluster takes jobs and runs them."""
    Heartbeat.objects.update_or_create(name=CLUSTER, defaults={"beat_at": timezone.now()})


def purge_failures() -> int:
    """Delete the records of jobs that failed more than 30 days ago, which django-q2 keeps for ever; how many."""
    deleted: int = Failure.objects.filter(stopped__lt=timezone.now() - FAILURES_KEPT).delete()[0]
    return deleted


def watch() -> None:
    """Look for trouble that nobody reports, and tell of it."""
    watching.look()


def deliver_alerts() -> int:
    """Send what is to be told of alerts and is due; how many messages went out."""
    return notifications.deliver()
