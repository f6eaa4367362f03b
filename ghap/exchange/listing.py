"""Entries as the API lists and shows them, both resolved and open ones."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, When

from ghap import entries
from ghap.entries import Filter
from ghap.models import Entry, OpenEntry
from ghap.reading import visible
from ghap.unresolved import open_entries
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.common.text import clean

OPEN = "open"
"""The status of an entry that has no outcome yet."""


def find(user: User, filters: Filter, *, limit: int, cursor: str = "") -> keyset.Page[Any]:
    """Return at most `limit` of the entries that `user` may see and that match, the latest first.

    They are OpenEntry rows for the outcome OPEN, else Entry rows. Raises InvalidCursorError.
    """
    if filters.outcome == OPEN:
        rows = open_entries.matching(user, filters)
        return keyset.page_of(rows, open_entries.LATEST_FIRST, limit=limit, cursor=cursor)
    # The list shows columns alone; a body may have some 100,000 characters.
    resolved = entries.matching(user, filters).defer("body")
    return keyset.page_of(resolved, entries.LATEST_FIRST, limit=limit, cursor=cursor)


def get(user: User, ghap_id: str) -> Entry | OpenEntry | None:
    """Return the entry with that id, if `user` may see it.

    Ids are unique for each person alone: one's own entry comes before a team mate's, a resolved one before an open one.
    """
    known, own_first = clean(ghap_id), Case(When(user=user, then=0), default=1)
    resolved = visible(user).filter(ghap_id=known).order_by(own_first, "pk").first()
    return resolved or open_entries.visible(user).filter(ghap_id=known).order_by(own_first, "pk").first()
