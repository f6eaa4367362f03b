"""Compactions of agents' contexts, reported by hooks and detected by capture.

A compaction that is both reported and detected is stored once, with the hook's trigger, which is more specific.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.utils import timezone

from capture import identities
from capture.models import CaptureState, Compaction
from memoryserver.accounts.models import Project, User
from memoryserver.reported_times import credible

DETECTION_DELAY = timedelta(days=1)
"""How much later than the hook capture may detect the same compaction: laptops sleep."""

CLOCK_TOLERANCE = timedelta(seconds=1)
"""How much earlier capture may seem to detect it: capture times are whole seconds, hooks' times are exact."""

MOST_AT_ONCE = 100
"""How many compactions of a context are stored at once; a transcript that is read for the first time has some."""

_NAMESPACE = uuid.UUID("0d3c6f0e-8a52-4b5e-9b8e-5a5f1c1d7a42")


@dataclass(frozen=True)
class ReportedCompaction:
    """A compaction reported by a hook, which creates `id`."""

    id: uuid.UUID
    context_id: str
    trigger: str
    happened_at: datetime


def record_detected(state: CaptureState, number: int, detected_at: datetime) -> None:
    """Store the compactions up to `number` that capture has detected in the context; `state` is the previous state.

    At most the latest MOST_AT_ONCE: a request has many contexts, and could make a million rows with a few numbers.
    """
    numbers = range(max(state.compaction_count + 1, number - MOST_AT_ONCE + 1), number + 1)
    of_context = Compaction.objects.filter(user=state.user, context_id=state.context_id)
    unnumbered = of_context.filter(number=None, happened_at__lte=detected_at + CLOCK_TOLERANCE)
    reported = list(unnumbered.order_by("happened_at", "pk")[: len(numbers)])
    # Of those that hooks reported, the first that is too long ago ends the matching, as no later number is of it.
    near = list(takewhile(lambda row: row.happened_at >= detected_at - DETECTION_DELAY, reported))
    for index, row in zip(numbers, near, strict=False):
        _describe(row, state, index)
        row.save()
    detected = [_detected(state, index, detected_at) for index in numbers[len(near) :]]
    Compaction.objects.bulk_create(detected, ignore_conflicts=True)  # a late capture may report them again


def _detected(state: CaptureState, number: int, detected_at: datetime) -> Compaction:
    row = Compaction(
        user=state.user,
        project=state.project,
        compaction_id=uuid.uuid5(_NAMESPACE, f"{state.context_id}/{number}"),
        context_id=state.context_id,
        trigger=Compaction.Trigger.DETECTED,
        happened_at=detected_at,
    )
    _describe(row, state, number)
    return row


def receive(user: User, project: Project | None, reported: ReportedCompaction) -> bool:
    """Store a compaction reported by a hook, once per id, and return whether it was new."""
    with transaction.atomic():
        identities.lock(user)  # a concurrent delivery may detect the same one
        row, new = Compaction.objects.get_or_create(
            user=user,
            compaction_id=reported.id,
            defaults={
                "project": project,
                "context_id": reported.context_id,
                "trigger": reported.trigger,
                "happened_at": credible(reported.happened_at, timezone.now()),
            },
        )
        detected = _detected_earlier(row) if new else None
        if detected is not None:
            number, messages, learnings = detected.number, detected.messages_before, detected.learnings_before
            detected.delete()
            row.number, row.messages_before, row.learnings_before = number, messages, learnings
            row.save()
    return new


def _detected_earlier(row: Compaction) -> Compaction | None:
    """Return the same compaction if capture detected it before the hook's report arrived."""
    return (
        Compaction.objects.select_for_update()
        .filter(user=row.user, context_id=row.context_id, trigger=Compaction.Trigger.DETECTED)
        .filter(happened_at__range=(row.happened_at - CLOCK_TOLERANCE, row.happened_at + DETECTION_DELAY))
        .exclude(pk=row.pk)
        .order_by("happened_at", "number")
        .first()
    )


def _describe(row: Compaction, state: CaptureState, number: int) -> None:
    row.number = number
    row.messages_before = state.message_count
    row.learnings_before = state.learnings_delivered
