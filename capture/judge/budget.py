"""The budget of the judge: requests and learnings for each day (UTC)."""

from __future__ import annotations

from datetime import UTC

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from capture.judge.models import JudgeDay


def reserve(wanted: int) -> int:
    """Reserve one request about at most `wanted` learnings; return about how many, 0 if the budget is used up.

    What was reserved counts even if the request fails, so that a failing endpoint costs no more than another.
    """
    today = timezone.now().astimezone(UTC).date()
    with transaction.atomic():
        JudgeDay.objects.get_or_create(day=today)
        day = JudgeDay.objects.select_for_update().get(day=today)
        count = min(wanted, settings.LLM_CANDIDATES_PER_DAY - day.candidates)
        if count <= 0 or day.calls >= settings.LLM_CALLS_PER_DAY:
            return 0
        JudgeDay.objects.filter(day=today).update(calls=F("calls") + 1, candidates=F("candidates") + count)
    return count
