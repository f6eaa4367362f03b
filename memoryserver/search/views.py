"""The search page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages import HtmxHttpRequest
from memoryserver.search import service
from memoryserver.search.sources import all_sources

PAGE = 20
_FILTERS = ("outcome", "type")


@require_GET
def search_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page; for htmx only the results, or only further hits if there is an offset."""
    context: dict[str, Any] = {"query": request.GET.get("q", ""), "params": request.GET}
    if context["query"].strip():
        try:
            context["answer"] = service.search(request.user, _criteria(request))
        except service.InvalidSearchError as error:
            context["problem"] = str(error)
    if request.htmx and request.GET.get("offset") and "answer" in context:
        return render(request, "search/_hits.html", context)
    context |= {
        "sources": [source.name for source in all_sources()],
        "choices": {name: _choices(name) for name in _FILTERS},
    }
    return render(request, "search/search.html", context)


def _criteria(request: HttpRequest) -> service.Search:
    """Return the search in the query string; an invalid offset counts as 0."""
    offset = request.GET.get("offset", "")
    scope = scope_of(request.user, request.GET, ANY_TIME)
    return service.Search(
        query=request.GET["q"],
        source=request.GET.get("source") or None,
        project=scope.project or None,
        team=scope.team or None,
        since=f"{scope.days}d" if scope.days else None,
        filters={name: request.GET[name] for name in _FILTERS if request.GET.get(name)},
        limit=PAGE,
        offset=int(offset) if offset.isdecimal() and len(offset) < 10 else 0,
    )


def _choices(name: str) -> list[str]:
    return [choice for source in all_sources() if name in source.filters for choice in source.filters[name].choices]
