"""Rejected queue files: counted, alerted, and resolved."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from capture import failures
from capture.models import CaptureFailure
from memoryserver.accounts.models import User
from memoryserver.ops import alerts


def test_failure_that_nobody_takes_up_is_over_after_a_week(alice: User) -> None:
    failures.record(alice, capture_id="x", context_id="c", reason="no")
    failures.give_up_old()
    assert alerts.open_alerts().count() == 1

    CaptureFailure.objects.update(failed_at=timezone.now() - timedelta(days=8))
    failures.give_up_old()
    assert (alerts.open_alerts().count(), CaptureFailure.objects.filter(resolved_at=None).count()) == (0, 0)
