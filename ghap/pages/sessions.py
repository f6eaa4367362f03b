"""The journal's part of the page of a session: its entries."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.agent_sessions import Item, Viewer
from memoryserver.home.addresses import address_of
from memoryserver.statements.compiled import IDS, TEXT, CompiledRows

MAX_SHOWN = 50


def entries_of(viewer: Viewer, owner: User, session_id: str) -> Sequence[Item]:
    """Return the entries that were worked on in the owner's session and that `viewer` may see, the first MAX_SHOWN.

    An entry that another session has adopted is one of both.
    """
    begun_here = [key for (key,) in _BEGUN.rows(ids=[owner.pk], text=session_id)]
    of_session = Q(agent_session=session_id) | Q(pk__in=begun_here)
    rows = visible_rows(Entry.objects.filter(of_session, user=owner), viewer).order_by("created_at", "pk")
    columns = rows.values_list("pk", "goal", "outcome_status", "created_at", "captured_at")[:MAX_SHOWN]
    return [
        Item("entry", goal, outcome, address_of("ghap-entry", key), began_at, ended_at)
        for key, goal, outcome, began_at, ended_at in columns
    ]


_BEGUN = CompiledRows(
    lambda: (
        Entry.objects.filter(
            user__in=[IDS], body__has_key="earlier_agent_sessions", body__earlier_agent_sessions__has_key=TEXT
        )
        .order_by("-captured_at", "-pk")
        .values_list("pk")[:MAX_SHOWN]
    ),
    is_planned_once=False,
)
"""Entries of the owner IDS that were begun in the session TEXT and adopted by another."""
