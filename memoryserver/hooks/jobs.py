"""Job of the hooks app. Its dotted name is stored in the queue and in schedules: never rename it."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memoryserver.hooks.models import HookSession

RETENTION = timedelta(days=30)


def forget_sessions() -> int:
    """Delete the state of sessions without an event for thirty days and return how many.

    If such a session continues, it gets its context again. Its calls and learnings are kept.
    """
    return HookSession.objects.filter(last_event_at__lt=timezone.now() - RETENTION).delete()[0]
