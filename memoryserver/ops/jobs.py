"""Jobs of the operation itself. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

from django.utils import timezone

from memoryserver.ops.models import Heartbeat

CLUSTER = "job cluster"


def heartbeat() -> None:
    """Shows that the cluster takes jobs and runs them."""
    Heartbeat.objects.update_or_create(name=CLUSTER, defaults={"beat_at": timezone.now()})
