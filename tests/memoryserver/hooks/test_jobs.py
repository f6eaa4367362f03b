"""Sessions that ended long ago are forgotten."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.hooks import jobs
from memoryserver.hooks.models import HookSession


def _seen_last(user: User, session_id: str, ago: timedelta) -> None:
    row = HookSession.objects.create(user=user, session_id=session_id)
    HookSession.objects.filter(pk=row.pk).update(last_event_at=timezone.now() - ago)


def test_session_without_events_for_thirty_days_is_forgotten_and_a_younger_one_kept(alice: User) -> None:
    _seen_last(alice, "old", timedelta(days=30, minutes=1))
    _seen_last(alice, "young", timedelta(days=29))
    assert jobs.forget_sessions() == 1
    assert list(HookSession.objects.values_list("session_id", flat=True)) == ["young"]
