"""The page of one's own inquiries."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver import keyset
from memoryserver.accounts.visibility import own_rows
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.inquiries import documents
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import KEPT_DAYS
from memoryserver.pages.fragments import HtmxHttpRequest

PAGE = 50
_NAMES_DOCUMENTS = (Inquiry.Kind.OPEN, Inquiry.Kind.TIMELINE)  # in place of the words of a search


@require_GET
def inquiry_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render what the user and their agents asked for; for htmx only the results, or only the rows after a cursor."""
    scope = scope_of(request.user, request.GET, ANY_TIME)
    rows = own_rows(Inquiry.objects.select_related("project"), request.user).filter(scope.within("asked_at"))
    page = keyset.page_of(rows, ("-asked_at", "-pk"), limit=PAGE, cursor=request.GET.get("cursor", ""))
    opened = [row for row in page.rows if row.kind in _NAMES_DOCUMENTS]
    pages = documents.pages(request.user, {name for row in opened for name in row.words.split()})
    for row in opened:
        row.opened = [(name, pages.get(name, "")) for name in row.words.split()]  # type: ignore[attr-defined]  # for the template
    further = request.htmx and "cursor" in request.GET
    if further:
        return render(request, "inquiries/_rows.html", {"page": page})
    context = {"page": page, "count": keyset.how_many(rows, "question"), "kept_days": KEPT_DAYS}
    return render(request, "inquiries/inquiries.html", context)
