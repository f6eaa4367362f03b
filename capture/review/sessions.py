"""Capture's part of the page of a session: the learnings that its messages say, or that it stored by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models.functions import Coalesce

from capture import learnings
from capture.models import LearningSource
from memoryserver.accounts import visibility
from memoryserver.accounts.models import User
from memoryserver.agent_sessions import Item, Viewer
from memoryserver.home.addresses import address_of
from memoryserver.statements.compiled import IDS, TEXT, USER, CompiledRows

MAX_SHOWN = 100


def learnings_of(viewer: Viewer, owner: User, session_id: str) -> Sequence[Item]:
    """Return at most MAX_SHOWN learnings of the owner's session that are shown to `viewer`, at their first message."""
    chosen: Any = {"ids": [owner.pk], "user": visibility.viewer(viewer), "text": session_id}
    found = [*_SAID.rows(**chosen), *_BY_HAND.rows(**chosen)]
    items: dict[int, Item] = {}
    for key, content, kind, said_at in sorted(found, key=lambda row: (row[3], row[0])):
        items.setdefault(key, Item("learning", content, kind, address_of("learning", key), said_at))
    return list(items.values())[:MAX_SHOWN]


# Of the learnings that USER may see, those of the session TEXT of the owner IDS.
_SAID = CompiledRows(
    lambda: (
        LearningSource.objects.filter(
            capture__agent_session=TEXT,
            capture__state__user__in=[IDS],
            learning__in=learnings.shown(User(pk=USER)).values("pk"),
        )
        .annotate(said_at=Coalesce("message_time", "capture__captured_at"))
        .order_by("said_at", "pk")
        .values_list("learning", "learning__content", "learning__type", "said_at")[: 5 * MAX_SHOWN]
    ),
    is_planned_once=False,
)
_BY_HAND = CompiledRows(
    lambda: (
        learnings.shown(User(pk=USER))
        .filter(user__in=[IDS], by_hand_session=TEXT, by_hand_at__isnull=False)
        .order_by("by_hand_at", "pk")
        .values_list("pk", "content", "type", "by_hand_at")[:MAX_SHOWN]
    ),
    is_planned_once=False,
)
