"""The list of sessions, and the page of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver import agent_sessions, keyset
from memoryserver.common.text import parse_number
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages.fragments import HtmxHttpRequest
from trajectory import assess, sessions
from trajectory.models import AssessmentRecord, Trajectory
from trajectory.pages import calls
from trajectory.strip import Bar, mini_strips, outline, strip_of

PAGE = 25
SHOWN_FINDINGS = 50
STATES = {
    "": "all sessions",
    "main": "without sub-agents",
    "running": "running",
    "stuck": "with open findings",
    "told": "told that they were stuck",
}
POLL_SECONDS = 5


@require_GET
def session_list(request: HtmxHttpRequest) -> HttpResponse:
    """Render the list of sessions; for htmx without the page around it."""
    scope = scope_of(request.user, request.GET, ANY_TIME)
    rows = sessions.visible(request.user).filter(scope.within("last_call_at"))
    state = "stuck" if request.GET.get("worst") == "1" else request.GET.get("state", "")
    if state in ("running", "stuck"):
        rows = rows & Trajectory.objects.running()
    if state == "main":
        rows = rows.filter(agent_id="")
    if state == "told":
        rows = rows & Trajectory.objects.told()
    if state == "stuck":
        rows = rows.filter(worst__in=("caution", "warning"))
    rows = rows.defer("memory")  # large, and of the observers alone
    page = keyset.page_of(
        rows, sessions.LATEST_FIRST, limit=PAGE, cursor=request.GET.get("cursor", ""), keys_first=True
    )
    further = request.htmx and "cursor" in request.GET
    worst, strips = assess.worst_findings(page.rows), mini_strips(page.rows)
    context = {
        "sessions": [(row, worst.get(row.pk), _mini(strips[row.pk])) for row in page.rows],
        "next_cursor": page.next_cursor,
        "states": STATES,
        "state": state,
        "count": "" if further else _count(rows),
    }
    return render(request, f"trajectory/{'_session_rows' if further else 'sessions'}.html", context)


def _count(rows: QuerySet[Trajectory]) -> str:
    """Return how many of `rows` are sessions, as the home page counts them, and how many are sub-agents in them."""
    sessions = keyset.how_many(rows.filter(agent_id=""), "session")
    helpers = keyset.how_many(rows.exclude(agent_id=""), "sub-agent")
    return sessions if helpers == "0 sub-agents" else f"{sessions} and {helpers}"


def _mini(bars: Sequence[Bar]) -> Sequence[tuple[str, str]]:
    """Return the paths of a strip in a list, each with its class: the bars without a failed call, and the others."""
    paths = [
        ("", outline(bar for bar in bars if not bar.failed)),
        ("failed", outline(bar for bar in bars if bar.failed)),
    ]
    return [(kind, path) for kind, path in paths if path]


@require_GET
def session_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render one session; for htmx only what is asked for.

    That is the next page of calls (`calls`) or of ended findings (`findings`), or what came since a call (`after`).
    """
    row = sessions.visible(request.user).filter(pk=key).first()
    if row is None:
        raise Http404("session not found")
    view = calls.view_of(request.GET.dict(), running=row.end is None)
    if request.htmx and "findings" in request.GET:
        return render(request, "trajectory/_ended_findings.html", {"ended": _ended_findings(request, row)})
    if request.htmx and "after" in request.GET:
        return _news(request, row, view)
    page = calls.page_of(row, view, request.GET.get("calls", ""))
    context: dict[str, Any] = {"session": row, "runs": page.runs, "next_calls": page.next_cursor}
    if request.htmx and "calls" in request.GET:
        return render(request, "trajectory/_calls.html", context)
    ended = _ended_findings(request, row)
    is_all = ended.next_cursor is None and "findings" not in request.GET
    context |= _overview(request, row) | {
        "view": view,
        "filters": calls.FILTERS,
        "orders": calls.ORDERS,
        "ended": ended,
        "ended_count": len(ended.rows) if is_all else assess.ended_findings(row).count(),
        "live": row.end is None and view.descending and not view.at,
        "poll": POLL_SECONDS,
    }
    return render(request, "trajectory/session.html", context)


def _news(request: HtmxHttpRequest, row: Trajectory, view: calls.View) -> HttpResponse:
    """Render the calls since the one that the request names, and the overview beside them; 204 if nothing came."""
    seen = parse_number(request.GET["after"], digits=9) or 0
    if row.calls_made == seen and row.end is None:
        return HttpResponse(status=204)
    context = {"session": row, "runs": calls.after(row, view, seen), "live": row.end is None, "poll": POLL_SECONDS}
    return render(request, "trajectory/_news.html", context | _overview(request, row))


def _overview(request: HtmxHttpRequest, row: Trajectory) -> dict[str, Any]:
    items = agent_sessions.items(request.user, row.user, row.session_id)
    return {"strip": strip_of(row, items), "items": items, "open_findings": assess.open_findings(row)}


def _ended_findings(request: HtmxHttpRequest, row: Trajectory) -> keyset.Page[AssessmentRecord]:
    cursor = request.GET.get("findings", "")
    return keyset.page_of(assess.ended_findings(row), ("-began_at_call", "-pk"), limit=SHOWN_FINDINGS, cursor=cursor)
