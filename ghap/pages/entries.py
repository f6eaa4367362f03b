"""Pages of the journal: the list of entries, and one entry."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from ghap import entries, judgements, reading
from ghap.models import Entry
from ghap.recurring import queries
from ghap.unresolved import open_entries
from memoryserver import agent_sessions, keyset
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.visibility import visible_people
from memoryserver.home.scope import ANY_TIME, named, scope_of
from memoryserver.pages.fragments import HtmxHttpRequest
from memoryserver.search import service

PAGE = 30
OPEN_SHOWN = 5  # above the list of resolved entries
SIMILAR = 5


@require_GET
def entry_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the list; for htmx only the results, or only the next rows after a cursor."""
    filters = _filters_in(request.GET)
    scope, cursor = scope_of(request.user, request.GET, ANY_TIME), request.GET.get("cursor", "")
    further = request.htmx and "cursor" in request.GET
    unresolved = open_entries.matching(request.user, filters).filter(scope.condition)
    if filters.outcome == "open":
        opened = keyset.page_of(unresolved, open_entries.LATEST_FIRST, limit=PAGE, cursor=cursor)
        if further:
            return render(request, "ghap/_open_rows.html", {"opened": opened})
        count = keyset.how_many(unresolved, "open entry", "open entries")
        context: dict[str, Any] = {"opened": opened, "count": count}
    else:
        within = scope.within("captured_at")
        page = entries.find(request.user, filters, limit=PAGE, cursor=cursor, within=within)
        if further:
            return render(request, "ghap/_entry_rows.html", {"page": page})
        resolved = entries.matching(request.user, filters).filter(within)
        context = {"page": page, "count": keyset.how_many(resolved, "entry", "entries")}
        if not (cursor or filters.outcome or filters.tier):
            context["opened"] = keyset.Page(list(unresolved[:OPEN_SHOWN]), None)
    choices = _choices(request)
    context |= {"filters": filters, "unknown": _unknown(choices, filters)}
    return render(request, "ghap/entries.html", choices | context)


@require_GET
def entry_page(request: HttpRequest, key: int) -> HttpResponse:
    """Render one entry as a story: each hypothesis, the outcome, and what was learned."""
    row = _entry(request, key)
    context = {
        "row": row,
        "entry": row.entry,
        "failures": queries.with_entry(request.user, row),
        "session": agent_sessions.page_of(request.user, row.user, row.agent_session),
        "lowered": row.confidence_tier != row.collector_tier,
    }
    return render(request, "ghap/entry.html", context)


@require_POST
def entry_quality(request: SignedInRequest, key: int) -> HttpResponse:
    """Record that the hypothesis of an entry is not poor, or with `poor=1` that the rules decide; redirect to it."""
    poor = request.POST.get("poor") == "1"
    if judgements.dispute(request.user, key, poor=poor) is None:
        raise Http404("entry not found")
    messages.success(request, "Noted. The tier follows within a minute.")
    return redirect("ghap-entry", key)


@require_GET
def similar(request: HttpRequest, key: int) -> HttpResponse:
    """Render the entries that are similar to one, as a fragment that the entry's page loads."""
    row = _entry(request, key)
    criteria = service.Search(query=row.goal[: service.MAX_QUERY], source=reading.SOURCE, limit=SIMILAR + 1)
    hits = service.search(request.user, criteria).hits if row.goal.strip() else []
    others = [hit for hit in hits if hit.page != f"/entries/{key}/"]
    return render(request, "ghap/_similar.html", {"hits": others[:SIMILAR]})


def _entry(request: HttpRequest, key: int) -> Entry:
    row = reading.entry_of(request.user, key)
    if row is None:
        raise Http404("entry not found")
    return row


def _filters_in(params: QueryDict) -> entries.Filter:
    """Return what the form's selects say; the scope is apart."""
    return entries.Filter(
        outcome=params.get("outcome", ""),
        person=params.get("person", ""),
        domain=params.get("domain", ""),
        strategy=params.get("strategy", ""),
        tier=params.get("tier", ""),
    )


def _choices(request: HttpRequest) -> dict[str, Any]:
    """Return what the form's selects have to choose from."""
    return {
        "outcomes": entries.OUTCOMES,
        "people": visible_people(request.user).order_by("username").values_list("username", flat=True),
        "domains": entries.DOMAINS,
        "strategies": entries.STRATEGIES,
        "tiers": entries.TIERS,
    }


def _unknown(choices: dict[str, Any], filters: entries.Filter) -> str:
    """Return what the address says and no select offers, as in `outcome “failed”`; "" if there is nothing."""
    lists = {"outcome": "outcomes", "person": "people", "domain": "domains", "strategy": "strategies", "tier": "tiers"}
    for name, offered in lists.items():
        value = getattr(filters, name)
        if value and value not in choices[offered]:
            return named(name, value)
    return ""
