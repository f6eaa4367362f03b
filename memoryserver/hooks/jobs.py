"""The job of hooks. Its dotted name is stored in the queue and in schedules: never rename it."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memoryserver.hooks.models import HookSession

KEPT = timedelta(days=30)


def forget_sessions() -> int:
    """Forget what is remembered of sessions without an event for thirty days; how many went.

    One that goes on after all begins anew: it is told its context again. Its calls and learnings stay where they are.
    """
    return HookSession.objects.filter(last_event_at__lt=timezone.now() - KEPT).delete()[0]
