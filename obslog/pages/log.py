"""Pages of the observation log: the user's own observations, the newest first, and one of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows, visible_projects, visible_teams
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.home.scope import ANY_TIME, PageScope, scope_of
from memoryserver.pages.fragments import HtmxHttpRequest
from memoryserver.search.dates import parse_date
from obslog import log, query
from obslog.format import Mode, format_observations
from obslog.incoming import MAX_SCOPES
from obslog.models import Observation
from obslog.pages.density import BUCKETS, HEIGHT, WIDTH, density
from obslog.pages.lines import bars, lines
from obslog.pages.names import described
from obslog.pages.types import types_of
from obslog.query import Filter, load_scope_ids

PAGE = 40
DENSITY_DAYS = 30
MAX_PROJECTS = (MAX_SCOPES - 1) // 2  # each is found by two scope ids
MODES: tuple[Mode, ...] = ("short", "full", "json")


@require_GET
def log_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the log; for htmx only the results, the next rows after a cursor, or what came after the cursor `tail`.

    With `format` (short, full or json) the same rows are plain text, to be copied.
    """
    user = request.user
    try:
        scope = scope_of(user, request.GET, ANY_TIME)
        filters = _filter(request, scope)
        if "tail" in request.GET:
            return render(request, "obslog/_tail.html", _tail(request, user, filters))
        page = log.find_many(user, filters, limit=PAGE, order="desc", cursor=request.GET.get("cursor") or None)
        problem = ""
    except InvalidInputError as error:
        filters, page, problem = Filter(), None, str(error)
    if page is not None and (mode := _mode(request)):
        return HttpResponse(format_observations(page.observations, mode), content_type="text/plain; charset=utf-8")
    context: dict[str, Any] = {
        "lines": lines(page.observations, request.GET) if page else [],
        "next_cursor": page.cursor if page and page.more else "",
        "problem": problem,
    }
    if request.htmx and "cursor" in request.GET:
        return render(request, "obslog/_rows.html", context)
    context |= {"types": types_of(user), "params": request.GET, "live": request.GET.get("live") == "1"}
    if page is not None:
        context |= _density(user, filters, request.GET) | {"count": query.how_many(user, filters)}
    if context["live"] and page is not None:
        context["tail"] = log.find_recent(user, filters, limit=1).cursor
    return render(request, "obslog/log.html", context, status=422 if problem else 200)


@require_GET
def observation_page(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Render one observation; with `format` as plain text."""
    row = own_rows(Observation.objects.all(), request.user).filter(pk=key).first()
    if row is None:
        raise Http404("observation not found")
    load_scope_ids([row])
    if mode := _mode(request):
        return HttpResponse(format_observations([row], mode), content_type="text/plain; charset=utf-8")
    return render(request, "obslog/observation.html", described([row])[0]._asdict())


def _density(user: User, filters: Filter, params: QueryDict) -> dict[str, Any]:
    """Return the bar of the period in the filter; without a beginning of the last DENSITY_DAYS days until its end.

    A period without an end ends with the present minute, so that a page and its fragments have the same bars.
    """
    before = filters.before_date or (int(timezone.now().timestamp()) // 60 + 1) * 60_000
    since = filters.after_date or before - DENSITY_DAYS * 86_400_000
    buckets = density(user, filters, since, max(before, since + BUCKETS))
    most = max(bucket.count for bucket in buckets)
    return {"bars": bars(buckets, params), "most": most, "width": WIDTH, "height": HEIGHT}


def _tail(request: HttpRequest, user: User, filters: Filter) -> dict[str, Any]:
    """Return what arrived after the cursor in the query string, and the cursor of the next look."""
    page = log.find_many(user, filters, limit=PAGE, order="desc", cursor=request.GET["tail"])
    return {"lines": lines(page.observations, request.GET), "tail": page.cursor, "params": request.GET}


def _mode(request: HttpRequest) -> Mode | None:
    return next((mode for mode in MODES if mode == request.GET.get("format")), None)


def _filter(request: HttpRequest, scope: PageScope) -> Filter:
    """Return the filter in the query string; `since` counts before the scope's period. Raises InvalidInputError."""
    params = {name: clean(request.GET.get(name, "")).strip() for name in request.GET}
    return Filter(
        type=params.get("type") or None,
        source=params.get("source") or None,
        scope_ids=[scope.strip() for scope in params.get("scope", "").split(",") if scope.strip()],
        after_date=_milliseconds("since", params.get("since", "")) or _beginning(scope),
        before_date=_milliseconds("before", params.get("before", "")),
        within=_about(scope),
    )


def _beginning(scope: PageScope) -> int | None:
    return int(scope.since.timestamp() * 1000) if scope.days else None


def _about(scope: PageScope) -> Sequence[str]:
    """Return the scope ids of observations of the scope's project, or of its team and all the projects of that.

    The server's have the id of the project, those of agents its key. Raises InvalidInputError for too many.
    """
    if not (scope.team or scope.project):
        return ()
    projects = visible_projects(scope.user)
    projects = projects.filter(key=clean(scope.project)) if scope.project else projects
    projects = projects.filter(team__name=clean(scope.team)) if scope.team else projects
    rows = list(projects.order_by("pk").values_list("pk", "key")[: MAX_PROJECTS + 1])
    if len(rows) > MAX_PROJECTS:
        raise InvalidInputError(f"the team has more than {MAX_PROJECTS} projects; choose one of them")
    teams = visible_teams(scope.user).filter(name=clean(scope.team)) if not scope.project else ()
    return [*(f"team:{team.pk}" for team in teams), *(name for pk, key in rows for name in (f"project:{pk}", key))]


def _milliseconds(name: str, text: str) -> int | None:
    if not text:
        return None
    try:
        moment = parse_date(text, timezone.now())
    except ValueError as error:
        raise InvalidInputError(f"{name}: {error}") from error
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
