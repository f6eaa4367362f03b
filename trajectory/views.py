"""Pages of sessions, of one session's calls and findings, and of observer configurations."""

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
from trajectory.models import AssessmentRecord

PAGE = 40
SHOWN_CALLS = 200


class HtmxHttpRequest(HttpRequest):
    """A request with htmx details."""

    htmx: HtmxDetails


@require_GET
@login_required
def session_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the list of sessions; for htmx without the page around it."""
    project = request.GET.get("project", "")
    rows = sessions.visible(request.user, project=project or None)
    if request.GET.get("worst") == "1":
        rows = rows.exclude(worst="").exclude(worst="info")
    page = list(rows[:PAGE])
    worst = assess.worst_findings(row for row in page if row.worst)
    context = {
        "sessions": [(row, worst.get(row.pk)) for row in page],
        "projects": visible_projects(request.user),
        "project": project,
        "worst": request.GET.get("worst", ""),
    }
    template = "trajectory/_sessions.html" if request.htmx else "trajectory/sessions.html"
    return render(request, template, context)


@require_GET
@login_required
def session_page(request: HttpRequest, key: int) -> HttpResponse:
    """Render one session: open and ended findings, and its last calls."""
    row = sessions.visible(request.user).filter(pk=key).first()
    if row is None:
        raise Http404("session not found")
    calls = list(row.calls.order_by("-call_index")[:SHOWN_CALLS])
    findings = list(row.findings.order_by("-began_at_call")[:100])
    open_findings = assess.open_findings(row)
    context = {
        "session": row,
        "open_findings": open_findings,
        "ended_findings": [finding for finding in findings if finding.ended_at_call is not None],
        "calls": [
            (call, [finding for finding in findings if call.call_index in _marked_calls(finding)]) for call in calls
        ],
        "left_out": max(row.calls_made - len(calls), 0),
    }
    return render(request, "trajectory/session.html", context)


@require_http_methods(["GET", "POST"])
@login_required
def observers_page(request: HttpRequest) -> HttpResponse:
    """Render the configuration of the scope in the query string (default: `user`); a POST stores its next version."""
    user = cast("User", request.user)
    scopes = scopes_of(user)
    name = request.GET.get("scope", "user")
    scope = scopes.get(name)
    if scope is None:
        raise Http404("user, team or project not found")
    row = configs.current(scope)
    form = ObserversForm(row.body if row else {}, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        version = _change(user, scope, form)
        messages.success(request, f"Version {version} is effective from the next call on.")
        return redirect(f"{request.path}?scope={name}")
    context = {"form": form, "scopes": scopes, "scope": name, "current": row}
    return render(request, "trajectory/observers.html", context, status=422 if form.errors else 200)


def _change(user: User, scope: configs.Scope, form: ObserversForm) -> int:
    try:
        return configs.change(scope, form.body(), user).version
    except PermissionDenied as error:
        raise Http404(str(error)) from error


def _marked_calls(finding: AssessmentRecord) -> set[int]:
    """Return the calls beside which a finding is shown: where it began, and where the agent was told."""
    return {number for number in (finding.began_at_call, finding.told_at_call) if number}
