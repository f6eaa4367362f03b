"""Pages of learnings and of capture's metrics."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from capture import curation, learnings
from capture.belief import explanation, rules, usage
from capture.belief.sources import SOURCES
from capture.curation import MAX_CONTENT, DuplicateLearningError
from capture.local import LEARNING_TYPES
from capture.metrics import reports, yields
from capture.models import Learning
from capture.pages.cards import cards
from capture.reading import SOURCE
from capture.review import contradictions
from memoryserver import agent_sessions
from memoryserver.accounts.visibility import changeable_among, visible_people
from memoryserver.errors import InvalidInputError
from memoryserver.home import figures
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.inquiries import uses
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import KEPT_DAYS, note
from memoryserver.pages.fragments import HtmxHttpRequest

PAGE = 20


class ChangeForm(forms.Form):
    """Changes to a learning; only the fields that were sent are changed."""

    content = forms.CharField(required=False, max_length=MAX_CONTENT, strip=True)
    pinned = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False, coerce=lambda value: value == "1")
    hidden = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False, coerce=lambda value: value == "1")

    def changes(self) -> dict[str, Any]:
        """Return the fields that were sent, as arguments of `curation.change`."""
        return {name: self.cleaned_data[name] for name in self.fields if name in self.data}


@require_GET
def learning_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page; for htmx only the list, or only the next rows after a cursor."""
    params = request.GET
    filters = learnings.Filter(
        type=params.get("type", ""),
        text=params.get("text", ""),
        state=cast("learnings.State", params.get("state", "shown")),
        mine=params.get("mine") == "1",
        source=params.get("source", ""),
    )
    within = scope_of(request.user, params, ANY_TIME).within("first_seen")
    waiting = learnings.provisional_keys(request.user, within)
    if filters.state == "shown":
        within &= ~Q(pk__in=waiting)
    cursor, further = params.get("cursor", ""), request.htmx and "cursor" in params
    try:
        page, problem = learnings.find(request.user, filters, limit=PAGE, cursor=cursor, within=within), ""
        count = "" if further else learnings.how_many(request.user, filters, within)
    except InvalidInputError as error:
        page, problem, count = learnings.Page([], None), str(error), ""
    context = {
        "cards": cards(page.learnings, page.changeable, request.user, params),
        "next": _with_params(params, cursor=page.next_cursor) if page.next_cursor else "",
        "problem": problem,
        "count": count,
        "filters": filters,
        "waiting": len(waiting),
        "types": LEARNING_TYPES,
        "sources": SOURCES,
        "states": learnings.STATES,
        "editing": False,
        "plain": False,
    }
    template = "_rows.html" if further else "learnings.html"
    return render(request, f"capture/{template}", context, status=422 if problem else 200)


@require_GET
def learning_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render one learning with its provenance and history; for htmx only its card, with `edit` as a form."""
    row = learnings.get(request.user, key)
    cursor, document = request.GET.get("origins", ""), f"{SOURCE}/{key}"
    places = uses.of_document(request.user, document, request.GET.get("uses", ""))
    if request.htmx and "uses" in request.GET:
        return render(request, "capture/_use_rows.html", {"places": places})
    if request.htmx and not cursor:
        return _card(request, row, editing=request.GET.get("edit") == "1")
    if not request.htmx and "uses" not in request.GET:
        note(request, Inquiry.Kind.OPEN, words=document, found=1, documents=[document])
    changeable = changeable_among([row], request.user)
    context = {
        "row": row,
        "cards": cards([row], changeable, request.user, request.GET),
        "editing": False,
        "plain": True,
        "mine": row.pk in changeable,
        "page": learnings.origins(row, request.user, cursor),
        "why": explanation.explain(row, rules.judgement(row)),
        "changes": row.changes.all(),
        "merged": learnings.merged(row),
        "uses": usage.uses(row),
        "places": places,
        "stored_by": explanation.stored_by(row),
        "hand_session": agent_sessions.page_of(request.user, row.user, row.by_hand_session),
        "kept_days": KEPT_DAYS,
        "contradictions": contradictions.of_learning(request.user, row),
    }
    return render(request, "capture/_origins.html" if request.htmx else "capture/learning.html", context)


@require_POST
def learning_change(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Correct, pin or hide a learning; render its card for htmx, else redirect to its page."""
    form = ChangeForm(request.POST)
    if not form.is_valid():
        return _show_problem(request, key, "; ".join(str(error) for errors in form.errors.values() for error in errors))
    try:
        curation.change(request.user, key, **form.changes())
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except (DuplicateLearningError, InvalidInputError) as error:
        return _show_problem(request, key, str(error))
    if request.htmx:
        return _card(request, learnings.get(request.user, key))
    return redirect("learning", key)


@require_POST
def learning_separate(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Undo the merge of a learning and redirect to its page."""
    try:
        curation.separate(request.user, key)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    return redirect("learning", key)


@require_POST
def learning_restore(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Undo the judge's verdict on a learning and redirect to its page."""
    try:
        curation.restore(request.user, key)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    return redirect("learning", key)


@require_POST
def learning_delete(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Delete a learning; return an empty response for htmx, else redirect to the list."""
    try:
        curation.delete(request.user, key)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    if request.htmx:
        return HttpResponse("")
    return redirect("learnings")


@require_GET
def capture_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render capture's metrics for what the viewer may see; for htmx only the metrics."""
    params = request.GET
    chosen = scope_of(request.user, params, "30")
    scope = reports.Scope(chosen.project, params.get("user", ""), chosen.team, chosen.days)
    report = figures.kept(f"capture of {scope.user}", chosen, lambda: reports.report(request.user, scope))
    context = {
        "report": report,
        "bars": _bars(report.by_day, scope.days),
        "scope": scope,
        "people": sorted(visible_people(request.user).values_list("username", flat=True)),
        "session_messages": yields.SESSION_MESSAGES,
    }
    return render(request, "capture/capture.html", context)


def _card(
    request: HtmxHttpRequest, row: Learning, *, editing: bool = False, problem: str = "", entered: str = ""
) -> HttpResponse:
    changeable = changeable_among([row], request.user)
    context = {
        "cards": cards([row], changeable, request.user, request.GET),
        "editing": editing and row.pk in changeable,
        "plain": False,
        "problem": problem,
        "entered": entered,
    }
    return render(request, "capture/_cards.html", context)


def _show_problem(request: HtmxHttpRequest, key: int, problem: str) -> HttpResponse:
    """Render the form with the problem and the entered text; status 200, since htmx swaps nothing else in."""
    row = learnings.get(request.user, key)
    cursor = request.GET.get("origins", "")
    if request.htmx and not cursor:
        return _card(request, row, editing=True, problem=problem, entered=request.POST.get("content", ""))
    messages.error(request, problem)
    return redirect("learning", key)


def _bars(by_day: Sequence[tuple[date, int]], days: int) -> list[dict[str, Any]]:
    """Return a bar for each of the last `days`, of a chart that is 100 high and 10 wide per day."""
    counts = dict(by_day)
    tallest = max([*counts.values(), 1])
    first = timezone.localdate() - timedelta(days=days - 1)
    bars = []
    for number in range(days):
        day = first + timedelta(days=number)
        height = round(100 * counts.get(day, 0) / tallest)
        bars.append({"x": 10 * number, "y": 100 - height, "height": height, "day": day, "count": counts.get(day, 0)})
    return bars


def _with_params(params: QueryDict, **changes: str) -> str:
    query = params.copy()
    for name, value in changes.items():
        query[name] = value
    return query.urlencode()
