"""The page of contradictions between learnings, and the decisions on it."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from capture.models import Contradiction
from capture.review import contradictions
from capture.review.contradictions import KEEPS, AlreadyDecidedError, Keep, State
from memoryserver.accounts.visibility import visible_projects
from memoryserver.errors import InvalidInputError
from memoryserver.pages.fragments import HtmxHttpRequest

PAGE = 20


@require_GET
def contradiction_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the contradictions; for htmx only the list, or only the next rows after a cursor."""
    project = request.GET.get("project", "")
    state = cast("State", request.GET.get("state", "open"))
    cursor = request.GET.get("cursor", "")
    try:
        page = contradictions.find(request.user, project=project, state=state, limit=PAGE, cursor=cursor)
        problem = ""
    except InvalidInputError as error:
        page, problem = contradictions.Page([], None), str(error)
    params = request.GET.copy()
    if page.next_cursor:
        params["cursor"] = page.next_cursor
    context: dict[str, Any] = {
        "rows": [(row, _choices(request, row)) for row in page.contradictions],
        "next": params.urlencode() if page.next_cursor else "",
        "problem": problem,
        "project": project,
        "state": state,
        "states": contradictions.STATES,
        "projects": visible_projects(request.user).values_list("key", flat=True),
    }
    template = "_contradictions.html" if request.htmx and cursor else "contradictions.html"
    return render(request, f"capture/{template}", context, status=422 if problem else 200)


@require_POST
def contradiction_decide(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Decide between two learnings; return an empty response for htmx, else redirect to the list."""
    keep = request.POST.get("keep", "")
    if keep not in KEEPS:
        raise Http404("keep must be earlier, later or both")
    try:
        contradictions.decide(request.user, key, keep)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except AlreadyDecidedError as error:
        messages.error(request, str(error))
        return redirect("contradictions")
    if request.htmx:
        return HttpResponse("")
    return redirect("contradictions")


def _choices(request: HtmxHttpRequest, row: Contradiction) -> list[tuple[Keep, str]]:
    labels: dict[Keep, str] = {"earlier": "Keep the earlier", "later": "Keep the later", "both": "Keep both"}
    if row.decision:
        return []
    return [(keep, label) for keep, label in labels.items() if contradictions.may_decide(request.user, row, keep)]
