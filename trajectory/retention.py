"""Deletion of old tool calls; sessions and findings are kept."""

from __future__ import annotations

import time
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from obslog.emit import emit
from trajectory.models import ToolCall

BATCH = 5_000
SECONDS = 200.0


def drop_old_calls(seconds: float = SECONDS) -> int:
    """Delete the calls beyond the retention setting, record it in the log, and return how many.

    Works in committed batches for about `seconds`; the rest is left to the next run.
    """
    days: int = settings.TRAJECTORY_RETENTION_DAYS
    if days <= 0:
        return 0
    deadline = time.monotonic() + seconds
    old = ToolCall.objects.filter(received_at__lt=timezone.now() - timedelta(days=days)).order_by("pk")
    dropped = 0
    while keys := list(old.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            count = ToolCall.objects.filter(pk__in=keys).delete()[0]
            emit(
                None,
                type="trajectory.calls_dropped",
                source="system:trajectory",
                message=f"dropped {count} tool calls: {days} days are kept",
                data={"calls": count, "kept_days": days},
            )
        dropped += count
        if time.monotonic() > deadline:
            break
    return dropped
