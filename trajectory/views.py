"""Pages of sessions, of one session's calls and findings, and of observer configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages import HtmxHttpRequest
from trajectory import assess, configs, sessions
from trajectory.forms import ObserversForm, scopes_of
from trajectory.models import AssessmentRecord, ToolCall, Trajectory
from trajectory.strip import strip_of

PAGE = 40
SHOWN_CALLS = 200
SHOWN_FINDINGS = 50
AFTER_CALL = 20


@require_GET
def session_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the list of sessions; for htmx without the page around it."""
    scope = scope_of(request.user, request.GET, ANY_TIME)
    rows = sessions.visible(request.user).filter(scope.within("last_call_at"))
    if request.GET.get("worst") == "1":
        rows = rows.filter(worst__in=("caution", "warning")) & Trajectory.objects.running()
    page = keyset.page_of(rows, sessions.LATEST_FIRST, limit=PAGE, cursor=request.GET.get("cursor", ""))
    worst = assess.worst_findings(page.rows)
    context = {
        "sessions": [(row, worst.get(row.pk)) for row in page.rows],
        "next_cursor": page.next_cursor,
        "worst": request.GET.get("worst", ""),
    }
    further = request.htmx and "cursor" in request.GET
    return render(request, f"trajectory/{'_session_rows' if further else 'sessions'}.html", context)


@require_GET
def session_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render one session: findings and calls; for htmx only the next calls or ended findings after a cursor."""
    row = sessions.visible(request.user).filter(pk=key).first()
    if row is None:
        raise Http404("session not found")
    if request.htmx and "findings" in request.GET:
        return render(request, "trajectory/_ended_findings.html", {"ended": _ended_findings(request, row)})
    rows = _until(row, request.GET.get("at", ""))
    calls = keyset.page_of(rows, ("-call_index",), limit=SHOWN_CALLS, cursor=request.GET.get("calls", ""))
    context: dict[str, Any] = {"calls": _with_marks(row, calls.rows), "next_calls": calls.next_cursor}
    if request.htmx and "calls" in request.GET:
        return render(request, "trajectory/_calls.html", context)
    context |= {
        "session": row,
        "strip": strip_of(row),
        "open_findings": assess.open_findings(row),
        "ended": _ended_findings(request, row),
        "ended_count": assess.ended_findings(row).count(),
    }
    return render(request, "trajectory/session.html", context)


@require_http_methods(["GET", "POST"])
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
        version = configs.change(scope, form.body(), user).version
        messages.success(
            request,
            f"Version {version} is saved. On this server it is in effect from the next tool call on, on a laptop after "
            "its next sync.",
        )
        return redirect(f"{request.path}?scope={name}")
    context = {"form": form, "scopes": scopes, "scope": name, "current": row, "reach": configs.reach(scope)}
    context["may_change"] = configs.may_change(user, scope)
    return render(request, "trajectory/observers.html", context, status=422 if form.errors else 200)


def _until(row: Trajectory, at: str) -> QuerySet[ToolCall]:
    """Return the calls up to some after the one that the address names; all if it names none."""
    if not (at.isascii() and at.isdecimal() and len(at) < 10):
        return row.calls.all()
    return row.calls.filter(call_index__lte=int(at) + AFTER_CALL)


def _ended_findings(request: HttpRequest, row: Trajectory) -> keyset.Page[AssessmentRecord]:
    cursor = request.GET.get("findings", "")
    return keyset.page_of(assess.ended_findings(row), ("-began_at_call", "-pk"), limit=SHOWN_FINDINGS, cursor=cursor)


def _with_marks(row: Trajectory, calls: Sequence[ToolCall]) -> list[tuple[ToolCall, list[AssessmentRecord]]]:
    """Return each call with the findings shown beside it: those that began there, or that the agent was told there."""
    numbers = [call.call_index for call in calls]
    beside = Q(began_at_call__in=numbers) | Q(told_at_call__in=numbers)
    findings = list(row.findings.filter(beside).order_by("-began_at_call", "-pk"))
    return [
        (call, [finding for finding in findings if call.call_index in (finding.began_at_call, finding.told_at_call)])
        for call in calls
    ]
