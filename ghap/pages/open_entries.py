"""The page of an entry that an agent works on now."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ghap.models import OpenEntry
from ghap.unresolved import open_entries
from memoryserver import agent_sessions
from memoryserver.accounts.models import User


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
