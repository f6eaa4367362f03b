"""Entries as the API lists and shows them: filters, order and ids, of resolved and of open ones alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Q, When

from ghap.models import Entry, OpenEntry
from ghap.reading import visible
from ghap.unresolved import open_entries
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.common.text import clean

OPEN = "open"
"""The status of an entry that has no outcome yet."""


@dataclass(frozen=True)
class Filter:
    """Conditions on entries, each None for no condition.

    `status` is that of an outcome, or OPEN; without one, every entry that has an outcome matches. `project` is a stored
    key, `session` the id of the journal's session or of the agent's. `since` and `until` are about the time of the
    outcome, of an open entry about the time when it began; `until` itself is left out.
    """

    project: str | None = None
    session: str | None = None
    domain: str | None = None
    strategy: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def find(user: User, filters: Filter, *, limit: int, cursor: str = "") -> keyset.Page[Any]:
    """Return at most `limit` of the entries that `user` may see and that match, the latest first.

    They are OpenEntry rows for the status OPEN, else Entry rows. Raises InvalidCursorError.
    """
    if filters.status == OPEN:
        rows = open_entries.visible(user).filter(_condition(filters, "created_at", "body__session_id"))
        return keyset.page_of(rows, ("-created_at", "-pk"), limit=limit, cursor=cursor)
    resolved = visible(user).filter(_condition(filters, "captured_at", "session_id"))
    if filters.status:
        resolved = resolved.filter(outcome_status=filters.status)
    # The list shows columns alone; a body may have some 100,000 characters.
    return keyset.page_of(resolved.defer("body"), ("-captured_at", "-pk"), limit=limit, cursor=cursor)


def get(user: User, ghap_id: str) -> Entry | OpenEntry | None:
    """Return the entry with that id, if `user` may see it.

    Ids are unique for each person alone: one's own entry comes before a team mate's, a resolved one before an open one.
    """
    known, own_first = clean(ghap_id), Case(When(user=user, then=0), default=1)
    resolved = visible(user).filter(ghap_id=known).order_by(own_first, "pk").first()
    return resolved or open_entries.visible(user).filter(ghap_id=known).order_by(own_first, "pk").first()


def _condition(filters: Filter, moment: str, session: str) -> Q:
    """Return the condition on rows whose time is in the field `moment` and whose journal's session in `session`."""
    conditions = {
        "project__key": filters.project,
        "domain": filters.domain,
        "strategy": filters.strategy,
        f"{moment}__gte": filters.since,
        f"{moment}__lt": filters.until,
    }
    condition = Q(**{name: value for name, value in conditions.items() if value is not None})
    if filters.session is not None:
        session_id = clean(filters.session)
        condition &= Q((session, session_id)) | Q(agent_session=session_id)
    return condition
