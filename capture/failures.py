"""Rejected queue files: each is recorded and raises an alert."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from capture.models import CaptureFailure
from memoryserver.accounts.models import User
from memoryserver.common.text import one_line, shorten
from memoryserver.ops.alerting import alerts

GIVE_UP_AFTER = timedelta(days=7)
"""Rejected files stay on the client until its owner acts; the server does not learn of their deletion."""


def record(user: User, *, capture_id: str, context_id: str, reason: str) -> None:
    """Record that a queue file of `user` was rejected for `reason`; repeated failures of a file are counted."""
    capture_id, context_id = (shorten(one_line(text), 100) for text in (capture_id, context_id))
    now = timezone.now()
    with transaction.atomic():
        reason = shorten(one_line(reason), 1_000)
        same = CaptureFailure.objects.select_for_update().filter(user=user, capture_id=capture_id, resolved_at=None)
        failure = same.first() if capture_id else None
        if failure is None:
            failure = CaptureFailure(user=user, capture_id=capture_id, times=0)
        failure.context_id, failure.reason, failure.failed_at = context_id, reason, now
        failure.times += 1
        failure.save()
        message = f"a queue file of {user} was not stored: {reason}"
        alerts.begin(_key(user), message, about=[name for name in (context_id, capture_id) if name])
        CaptureFailure.objects.filter(pk=failure.pk).update(alerted_at=failure.alerted_at or now)


def resolve(user: User, capture_id: str) -> None:
    """Mark the failures of this capture id as resolved."""
    if _resolve(CaptureFailure.objects.filter(user=user, capture_id=capture_id)):
        _end_if_none(user)


def give_up_old() -> None:
    """Resolve failures that were not retried for a week; they stay in the list."""
    give_up(CaptureFailure.objects.filter(failed_at__lt=timezone.now() - GIVE_UP_AFTER))


def give_up(failures: QuerySet[CaptureFailure]) -> int:
    """Resolve those of `failures` that are open, and end the alerts of whom none is left; return their number."""
    users = list(User.objects.filter(pk__in=failures.filter(resolved_at=None).values("user")))
    count = _resolve(failures)
    for user in users:
        _end_if_none(user)
    return count


def _resolve(failures: QuerySet[CaptureFailure]) -> int:
    return failures.filter(resolved_at=None).update(resolved_at=timezone.now())


def _end_if_none(user: User) -> None:
    if not CaptureFailure.objects.filter(user=user, resolved_at=None).exists():
        alerts.end(_key(user))


def _key(user: User) -> str:
    return f"capture refused, user {user.pk}"
