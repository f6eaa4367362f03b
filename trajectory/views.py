"""Pages: sessions with what stands in them, one session call by call, and which observers look."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.middleware import HtmxDetails

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from trajectory import assess, configs, sessions
from trajectory.forms import ObserversForm, scopes_of
from trajectory.models import AssessmentRecord, Trajectory

PAGE = 40
SHOWN_CALLS = 200


class HtmxHttpRequest(HttpRequest):
    """A request that knows whether htmx made it."""

    htmx: HtmxDetails


@require_GET
@login_required
def session_list(request: HtmxHttpRequest) -> HttpResponse:
    """The whole page, or the list alone where htmx asks for it."""
    project = request.GET.get("project", "")
    rows = sessions.visible(request.user, project=project or None)
    if request.GET.get("worst") == "1":
        rows = rows.exclude(worst="").exclude(worst="info")
    found = list(rows[:PAGE])
    context = {
        "sessions": [(row, _worst_of(row)) for row in found],
        "projects": visible_projects(request.user),
        "project": project,
        "worst": request.GET.get("worst", ""),
    }
    template = "trajectory/_sessions.html" if request.htmx else "trajectory/sessions.html"
    return render(request, template, context)


@require_GET
@login_required
def session_page(request: HttpRequest, key: int) -> HttpResponse:
    """One session: what stands, what stood, and its last calls."""
    row = sessions.visible(request.user).filter(pk=key).first()
    if row is None:
        raise Http404("there is no such session, or it is not yours to see")
    calls = list(row.calls.order_by("-call_index")[:SHOWN_CALLS])
    findings = list(row.findings.order_by("-began_at_call")[:100])
    standing = assess.standing_of(row)
    context = {
        "session": row,
        "standing": standing,
        "over": [found for found in findings if found.ended_at_call is not None],
        "calls": [(call, [one for one in findings if call.call_index in _marked(one)]) for call in calls],
        "left_out": max(row.calls_made - len(calls), 0),
    }
    return render(request, "trajectory/session.html", context)


@require_http_methods(["GET", "POST"])
@login_required
def observers_page(request: HttpRequest) -> HttpResponse:
    """The configuration of the scope in the query, `user` by default; a POST keeps its next version."""
    user = cast("User", request.user)
    scopes = scopes_of(user)
    name = request.GET.get("scope", "user")
    scope = scopes.get(name)
    if scope is None:
        raise Http404("there is no such user, team or project, or it is not yours to configure")
    row = configs.current(scope)
    form = ObserversForm(row.body if row else {}, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        kept = _change(user, scope, form)
        messages.success(request, f"Version {kept} holds from the next call on.")
        return redirect(f"{request.path}?scope={name}")
    context = {"form": form, "scopes": scopes, "scope": name, "current": row}
    return render(request, "trajectory/observers.html", context, status=422 if form.errors else 200)


def _change(user: User, scope: configs.Scope, form: ObserversForm) -> int:
    try:
        return configs.change(scope, form.body(), user).version
    except PermissionDenied as error:
        raise Http404(str(error)) from error


def _worst_of(row: Trajectory) -> AssessmentRecord | None:
    """The finding to name in the list."""
    return next(iter(assess.standing_of(row)), None) if row.worst else None


def _marked(found: AssessmentRecord) -> set[int]:
    """The calls beside which a finding is named: where it began, and where the agent was told."""
    return {number for number in (found.began_at_call, found.told_at_call) if number}
