"""The journal's part of the page of a session: its entries."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.agent_sessions import Item, Viewer

MAX_SHOWN = 50


def entries_of(viewer: Viewer, owner: User, session_id: str) -> Sequence[Item]:
    """Return the entries of the owner's session that `viewer` may see, at most MAX_SHOWN, the first ones."""
    rows = visible_rows(Entry.objects.filter(user=owner, agent_session=session_id), viewer).order_by("created_at", "pk")
    return [
        Item(
            "entry", row.goal, row.outcome_status, reverse("ghap-entry", args=[row.pk]), row.created_at, row.captured_at
        )
        for row in rows[:MAX_SHOWN]
    ]
