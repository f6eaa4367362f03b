"""Capture's part of the page of a session: the learnings that its messages say, or that it stored by hand."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models.functions import Coalesce

from capture import learnings
from capture.models import LearningSource
from memoryserver.accounts.models import User
from memoryserver.agent_sessions import Item, Viewer
from memoryserver.home.addresses import address_of

MAX_SHOWN = 100


def learnings_of(viewer: Viewer, owner: User, session_id: str) -> Sequence[Item]:
    """Return at most MAX_SHOWN learnings of the owner's session that are shown to `viewer`, at their first message."""
    shown = learnings.shown(viewer)
    sources = (
        LearningSource.objects.filter(
            capture__agent_session=session_id, capture__state__user=owner, learning__in=shown.values("pk")
        )
        .annotate(said_at=Coalesce("message_time", "capture__captured_at"))
        .order_by("said_at", "pk")
        .values_list("learning", "learning__content", "learning__type", "said_at")
    )
    by_hand = (
        shown.filter(user=owner, by_hand_session=session_id, by_hand_at__isnull=False)
        .order_by("by_hand_at", "pk")
        .values_list("pk", "content", "type", "by_hand_at")
    )
    found = [*sources[: 5 * MAX_SHOWN], *by_hand[:MAX_SHOWN]]
    items: dict[int, Item] = {}
    for key, content, kind, said_at in sorted(found, key=lambda row: (row[3], row[0])):
        items.setdefault(key, Item("learning", content, kind, address_of("learning", key), said_at))
    return list(items.values())[:MAX_SHOWN]
