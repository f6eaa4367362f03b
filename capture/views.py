"""Pages: the learnings, to look after them; and whether capture works."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST
from django_htmx.middleware import HtmxDetails

from capture import curation, learnings, metrics
from capture.curation import MAX_CONTENT, KnownAlreadyError
from capture.local import LEARNING_TYPES
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects

PAGE = 30


class HtmxHttpRequest(HttpRequest):
    """A request that knows whether htmx made it."""

    htmx: HtmxDetails


class ChangeForm(forms.Form):
    """What the page changes; which of it was meant is told by what was sent."""

    content = forms.CharField(required=False, max_length=MAX_CONTENT, strip=True)
    pinned = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False, coerce=lambda value: value == "1")
    hidden = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False, coerce=lambda value: value == "1")

    def changes(self) -> dict[str, Any]:
        """What was sent, as `curation.change` takes it."""
        return {name: self.cleaned_data[name] for name in self.fields if name in self.data}


@require_GET
@login_required
def learning_list(request: HtmxHttpRequest) -> HttpResponse:
    """The whole page, the list alone where htmx asks for it, or the next stretch of it after a cursor."""
    asked = request.GET
    sought = learnings.Filter(
        project=asked.get("project", ""),
        type=asked.get("type", ""),
        text=asked.get("text", ""),
        state=cast("learnings.State", asked.get("state", "shown")),
        mine=asked.get("mine") == "1",
    )
    try:
        page, problem = learnings.find(request.user, sought, limit=PAGE, cursor=asked.get("cursor", "")), ""
    except ValueError as error:
        page, problem = learnings.Page([], None), str(error)
    context = {
        "rows": [(row, learnings.may_change(request.user, row)) for row in page.learnings],
        "next": _with(asked, cursor=page.next_cursor) if page.next_cursor else "",
        "problem": problem,
        "sought": sought,
        "projects": visible_projects(request.user),
        "types": LEARNING_TYPES,
        "states": learnings.STATES,
    }
    template = "learnings.html"
    if request.htmx:
        template = "_rows.html" if "cursor" in asked else "_list.html"
    return render(request, f"capture/{template}", context, status=422 if problem else 200)


@require_GET
@login_required
def learning_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """One learning with its provenance and history; for htmx its card alone, with `edit` its form."""
    row = learnings.get(request.user, key)
    if request.htmx:
        return _card(request, row, editing=request.GET.get("edit") == "1")
    context = {
        "row": row,
        "mine": learnings.may_change(request.user, row),
        "origins": learnings.origins(row),
        "changes": row.changes.all(),
    }
    return render(request, "capture/learning.html", context)


@require_POST
@login_required
def learning_change(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Correct, pin or hide; the card as it is now, for htmx, else back to the learning's page."""
    form = ChangeForm(request.POST)
    if not form.is_valid():
        return _refuse(request, key, "; ".join(str(said) for errors in form.errors.values() for said in errors))
    try:
        curation.change(cast("User", request.user), key, **form.changes())
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except (KnownAlreadyError, ValueError) as error:
        return _refuse(request, key, str(error))
    if request.htmx:
        return _card(request, learnings.get(request.user, key))
    return redirect("learning", key)


@require_POST
@login_required
def learning_delete(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Delete; nothing in its place, for htmx, else back to the list."""
    try:
        curation.delete(cast("User", request.user), key)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    if request.htmx:
        return HttpResponse("")
    return redirect("learnings")


@require_GET
@login_required
def capture_page(request: HtmxHttpRequest) -> HttpResponse:
    """Whether capture works, for what the viewer may see; the figures alone where htmx asks for them."""
    asked = request.GET
    days = asked.get("days", "30")
    scope = metrics.Scope(
        project=asked.get("project", ""),
        user=asked.get("user", ""),
        team=asked.get("team", ""),
        days=int(days) if days in map(str, metrics.DAYS) else 30,
    )
    report = metrics.report(request.user, scope)
    context = {
        "report": report,
        "bars": _bars(report.by_day, scope.days),
        "scope": scope,
        "scopes": metrics.scopes(request.user),
        "days": metrics.DAYS,
    }
    template = "capture/_figures.html" if request.htmx else "capture/capture.html"
    return render(request, template, context)


def _card(
    request: HtmxHttpRequest, row: Learning, *, editing: bool = False, problem: str = "", entered: str = ""
) -> HttpResponse:
    mine = learnings.may_change(request.user, row)
    context = {"row": row, "mine": mine, "editing": editing and mine, "problem": problem, "entered": entered}
    return render(request, "capture/_card.html", context)


def _refuse(request: HtmxHttpRequest, key: int, problem: str) -> HttpResponse:
    """The form again, with what was entered; as a success, since htmx swaps nothing else in."""
    row = learnings.get(request.user, key)
    if request.htmx:
        return _card(request, row, editing=True, problem=problem, entered=request.POST.get("content", ""))
    messages.error(request, problem)
    return redirect("learning", key)


def _bars(by_day: Sequence[tuple[date, int]], days: int) -> list[dict[str, Any]]:
    """For each of the last `days` a bar of a diagram that is 100 high and 10 wide for each day."""
    counts = dict(by_day)
    tallest = max([*counts.values(), 1])
    first = timezone.now().astimezone(UTC).date() - timedelta(days=days - 1)
    bars = []
    for number in range(days):
        day = first + timedelta(days=number)
        height = round(100 * counts.get(day, 0) / tallest)
        bars.append({"x": 10 * number, "y": 100 - height, "height": height, "day": day, "count": counts.get(day, 0)})
    return bars


def _with(asked: QueryDict, **changes: str) -> str:
    query = asked.copy()
    for name, value in changes.items():
        query[name] = value
    return query.urlencode()
