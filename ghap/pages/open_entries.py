"""The entries that agents work on now, in the list of entries and on a page of their own."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ghap.entries import Filter
from ghap.models import OpenEntry
from ghap.unresolved import open_entries
from memoryserver import agent_sessions
from memoryserver.accounts.models import User
from memoryserver.common.text import clean
from memoryserver.home.scope import PageScope

LATEST_FIRST = ("-created_at", "-pk")
SHOWN = 5  # above the list of resolved entries


def matching(scope: PageScope, filters: Filter) -> QuerySet[OpenEntry]:
    """Return the open entries in the scope's team and project that match `filters`; an outcome or tier they lack."""
    rows = open_entries.visible(scope.user).filter(scope.condition)
    conditions = {"user__username": filters.person, "domain": filters.domain, "strategy": filters.strategy}
    return rows.filter(**{name: clean(value) for name, value in conditions.items() if value}).order_by(*LATEST_FIRST)


@require_GET
def open_entry_page(request: HttpRequest, key: int) -> HttpResponse:
    """Render one open entry as far as its story goes."""
    row = _row(request.user, key)
    session = agent_sessions.page_of(request.user, row.user, row.agent_session)
    return render(request, "ghap/entry.html", {"row": row, "entry": row.entry, "open": True, "session": session})


def _row(user: User | AnonymousUser, key: int) -> OpenEntry:
    row = open_entries.visible(user).filter(pk=key).first()
    if row is None:
        raise Http404("no such entry is open; perhaps it is resolved by now")
    return row
