"""The page of one's own inquiries."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver import keyset
from memoryserver.accounts.visibility import own_rows
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import KEPT_DAYS
from memoryserver.pages.fragments import HtmxHttpRequest

PAGE = 50


@require_GET
def inquiry_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render what the user and their agents asked for; for htmx only the results, or only the rows after a cursor."""
    scope = scope_of(request.user, request.GET, ANY_TIME)
    rows = own_rows(Inquiry.objects.select_related("project"), request.user).filter(scope.within("asked_at"))
    page = keyset.page_of(rows, ("-asked_at", "-pk"), limit=PAGE, cursor=request.GET.get("cursor", ""))
    further = request.htmx and "cursor" in request.GET
    if further:
        return render(request, "inquiries/_rows.html", {"page": page})
    context = {"page": page, "count": keyset.how_many(rows, "question"), "kept_days": KEPT_DAYS}
    return render(request, "inquiries/inquiries.html", context)
