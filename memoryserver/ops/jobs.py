"""Jobs of the ops app. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from django_q.models import Failure

from memoryserver.ops import watch as checks
from memoryserver.ops.alerting import notifications
from memoryserver.ops.backups import rotation

FAILURE_RETENTION = timedelta(days=30)


def heartbeat() -> None:
    """Do nothing: that it was scheduled and ran is recorded by `ops.job_results`, as of every job."""


def purge_failures() -> int:
    """Delete the records of jobs that failed more than 30 days ago (django-q2 keeps them) and return their number."""
    deleted: int = Failure.objects.filter(stopped__lt=timezone.now() - FAILURE_RETENTION).delete()[0]
    return deleted


def watch() -> None:
    """Run the watch's checks."""
    checks.run_checks()


def deliver_alerts() -> int:
    """Send the notifications that are due and return their number."""
    return notifications.deliver()


def back_up() -> int:
    """Start the nightly backup, a process of its own, and return its id."""
    return rotation.start()
