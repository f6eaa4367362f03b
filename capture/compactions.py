"""Compactions of agents' contexts: told of by hooks, and noticed by capture.

The same one is often met twice. It is kept once, under the trigger that the hook gave, since the hook knows it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from capture import identities
from capture.models import CaptureState, Compaction
from memoryserver.accounts.models import Project, User

NOTICED_WITHIN = timedelta(days=1)
"""How much later than a hook capture may notice the same one: laptops sleep."""

WHOLE_SECONDS = timedelta(seconds=1)
"""How much earlier it may seem to notice it: laptops date captures in whole seconds, hooks' words exactly."""

_NAMESPACE = uuid.UUID("0d3c6f0e-8a52-4b5e-9b8e-5a5f1c1d7a42")


@dataclass(frozen=True)
class ToldCompaction:
    """A compaction as a hook tells of it; `id` is made by the hook."""

    id: uuid.UUID
    context_id: str
    trigger: str
    happened_at: datetime


def note_detected(state: CaptureState, number: int, noticed_at: datetime) -> None:
    """Capture has met `number` compactions in the context so far; `state` is as it was before."""
    for new in range(max(state.compaction_count + 1, number - 999), number + 1):
        of_context = Compaction.objects.filter(user=state.user, context_id=state.context_id)
        told = (
            of_context.filter(number=None, happened_at__lte=noticed_at + WHOLE_SECONDS)
            .order_by("happened_at", "pk")
            .first()
        )
        if told is not None and told.happened_at >= noticed_at - NOTICED_WITHIN:
            _describe(told, state, new)
            told.save()
            continue
        detected = Compaction(
            user=state.user,
            project=state.project,
            compaction_id=uuid.uuid5(_NAMESPACE, f"{state.context_id}/{new}"),
            context_id=state.context_id,
            trigger=Compaction.Trigger.DETECTED,
            happened_at=noticed_at,
        )
        _describe(detected, state, new)
        Compaction.objects.bulk_create([detected], ignore_conflicts=True)  # a late capture may tell of it again


def receive(user: User, project: Project | None, told: ToldCompaction) -> bool:
    """Keep what a hook tells, once for its id; whether it was new."""
    with transaction.atomic():
        identities.hold(user)  # a delivery at this moment may have noticed the same one
        row, new = Compaction.objects.get_or_create(
            user=user,
            compaction_id=told.id,
            defaults={
                "project": project,
                "context_id": told.context_id,
                "trigger": told.trigger,
                "happened_at": told.happened_at,
            },
        )
        detected = _noticed_before(row) if new else None
        if detected is not None:
            number, messages, learnings = detected.number, detected.messages_before, detected.learnings_before
            detected.delete()
            row.number, row.messages_before, row.learnings_before = number, messages, learnings
            row.save()
    return new


def _noticed_before(row: Compaction) -> Compaction | None:
    """The one that capture noticed before the hook's word came, which may have waited on the laptop."""
    return (
        Compaction.objects.select_for_update()
        .filter(user=row.user, context_id=row.context_id, trigger=Compaction.Trigger.DETECTED)
        .filter(happened_at__range=(row.happened_at - WHOLE_SECONDS, row.happened_at + NOTICED_WITHIN))
        .exclude(pk=row.pk)
        .order_by("happened_at", "number")
        .first()
    )


def _describe(row: Compaction, state: CaptureState, number: int) -> None:
    row.number = number
    row.messages_before = state.message_count
    row.learnings_before = state.learnings_delivered
