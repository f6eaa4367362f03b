"""Entries that are not resolved yet: what laptops report, which of them a user may see, and when they are forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ghap.entries import Filter, condition
from ghap.intake import Receipt
from ghap.local import GHAPEntry
from ghap.models import Entry, OpenEntry
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.reported_times import credible

LATEST_FIRST = ("-created_at", "-pk")
SHOWN_DAYS = 14
"""For so long an entry is shown that its laptop reports no more; one that is open is reported every day."""

KEPT_DAYS = 90


def receive(user: User, project: Project | None, bodies: Sequence[dict[str, Any]]) -> list[Receipt]:
    """Store `bodies` (open entries as JSON objects), each in place of what was reported before, and say what became of
    each, in order. One that is known to be resolved is not stored, and one that has an outcome is refused.
    """
    return [_receive(user, project, body) for body in bodies]


def visible(user: User | AnonymousUser) -> QuerySet[OpenEntry]:
    """Return the open entries that `user` may see and that were reported lately."""
    rows = visible_rows(OpenEntry.objects.select_related("user", "project"), user)
    return rows.filter(reported_at__gte=timezone.now() - timedelta(days=SHOWN_DAYS))


def matching(user: User | AnonymousUser, filters: Filter) -> QuerySet[OpenEntry]:
    """Return the open entries that `user` may see and that match `filters`; an outcome or tier they do not have."""
    return visible(user).filter(condition(filters, "created_at", "body__session_id"))


def forget_old() -> int:
    """Delete the entries that were not reported for KEPT_DAYS, and return how many."""
    return OpenEntry.objects.filter(reported_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()[0]


def _receive(user: User, project: Project | None, body: dict[str, Any]) -> Receipt:
    try:
        entry = GHAPEntry.from_dict(body)
    except ValueError as error:
        return Receipt(str(body.get("id", ""))[:100], "refused", str(error))
    if entry.outcome is not None:
        return Receipt(entry.id, "refused", "the entry has an outcome; send it to /ghap/entries")
    with transaction.atomic():
        row, _ = OpenEntry.objects.select_for_update().update_or_create(
            user=user,
            ghap_id=entry.id,
            defaults={
                "project": project,
                "agent_session": (entry.agent_session or "")[:200],
                "created_at": credible(entry.created_at, timezone.now()),
                "domain": entry.domain.value,
                "strategy": entry.strategy.value,
                "goal": entry.goal,
                "body": entry.to_dict(),
            },
        )
        if Entry.objects.filter(user=user, ghap_id=entry.id).exists():
            row.delete()
            return Receipt(entry.id, "unchanged")
    return Receipt(entry.id, "stored")
