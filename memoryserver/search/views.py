"""The search page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import User
from memoryserver.common.text import parse_number
from memoryserver.errors import InvalidInputError
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import note
from memoryserver.pages.chips import Chip
from memoryserver.pages.fragments import HtmxHttpRequest
from memoryserver.search import facets, lookup, service
from memoryserver.search.sources import all_sources

PAGE = 20
SHOWN_EQUAL = 20
_FILTERS = ("outcome", "type")
_ID = re.compile(r"(?=\S*\d)\S{8,300}")
"""A word with a digit, long enough for an id with its source or for an address."""
NAMES = {"ghap": "journal", "observations": "log"}
"""What sources are called on the page, as in the navigation."""


@require_GET
def search_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page; for htmx only the results, or only further hits if there is an offset."""
    context: dict[str, Any] = {"query": request.GET.get("q", ""), "params": request.GET}
    if context["query"].strip():
        try:
            criteria = _criteria(request)
            answer = context["answer"] = service.search(request.user, criteria)
            if not request.htmx:  # not at every letter that is typed
                note(
                    request,
                    Inquiry.Kind.SEARCH,
                    words=criteria.query,
                    found=answer.found,
                    project=criteria.project,
                    documents=[hit.id for hit in answer.hits],
                )
        except service.InvalidSearchError as error:
            context["problem"] = str(error)
    if request.htmx and request.GET.get("offset") and "answer" in context:
        return render(request, "search/_hits.html", context)
    context["named"] = _named(request.user, context["query"].strip())
    context["facets"] = _facets(request, context.get("answer"))
    return render(request, "search/search.html", context)


@require_GET
def near_equal(request: HtmxHttpRequest) -> HttpResponse:
    """Render what the ids in the query string name, which a search has folded into another; 422 for an invalid id."""
    user, ids = request.user, request.GET.getlist("id")[:SHOWN_EQUAL]
    try:
        matches = [match for name in ids for match in lookup.look_up(user, name).matches]
    except InvalidInputError as error:
        return render(request, "search/near_equal.html", {"problem": str(error)}, status=422)
    return render(request, "search/near_equal.html", {"matches": matches})


def _named(user: User, query: str) -> Sequence[lookup.Match]:
    """Return what `query` names, if it is a whole id or the address of a page, as people paste them."""
    if not _ID.fullmatch(query):
        return []
    return [match for match in lookup.look_up(user, query).matches if match.exact]


def _facets(request: HttpRequest, answer: service.Answer | None) -> list[tuple[str, str, list[Chip]]]:
    """Return the chips of each filter, as its name, its label and the values; those without a result are left out."""
    found = facets.counts(answer.records if answer else [], _FILTERS)
    labels = {
        facets.SOURCE: ("Source", "everything"),
        "outcome": ("Outcome", "any outcome"),
        "type": ("Type", "any type"),
    }
    known = {facets.SOURCE: [source.name for source in all_sources()], **{name: _choices(name) for name in _FILTERS}}
    chips = []
    for name, (label, everything) in labels.items():
        chosen = request.GET.get(name, "")
        offered = [Chip("", everything, None, chosen == "")]
        offered += [
            Chip(value, NAMES.get(value, value), found[name][value], value == chosen)
            for value in known[name]
            if found[name][value] or value == chosen
        ]
        if len(offered) > 1:
            chips.append((name, label, offered))
    return chips


def _criteria(request: HttpRequest) -> service.Search:
    """Return the search in the query string; an invalid offset counts as 0."""
    scope = scope_of(request.user, request.GET, ANY_TIME)
    return service.Search(
        query=request.GET["q"],
        source=request.GET.get("source") or None,
        project=scope.project or None,
        team=scope.team or None,
        since=f"{scope.days}d" if scope.days else None,
        filters={name: request.GET[name] for name in _FILTERS if request.GET.get(name)},
        limit=PAGE,
        offset=parse_number(request.GET.get("offset", ""), digits=9) or 0,
    )


def _choices(name: str) -> list[str]:
    return [choice for source in all_sources() if name in source.filters for choice in source.filters[name].choices]
