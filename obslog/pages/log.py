"""Pages of the observation log: the user's own observations, the newest first, and one of them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import own_rows
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.pages import HtmxHttpRequest
from memoryserver.search.dates import parse_date
from obslog import log
from obslog.format import Mode, format_observations
from obslog.models import Observation
from obslog.pages.density import BUCKETS, HEIGHT, WIDTH, density
from obslog.pages.types import types_of
from obslog.query import Filter, load_scope_ids

PAGE = 50
DENSITY_DAYS = 30
MODES: tuple[Mode, ...] = ("short", "full", "json")


@require_GET
def log_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the log; for htmx only the results, the next rows after a cursor, or what came after `since_cursor`.

    With `format` (short, full or json) the same rows are plain text, to be copied.
    """
    user = cast("User", request.user)
    try:
        filters = _filter(request)
        if "tail" in request.GET:
            return render(request, "obslog/_tail.html", _tail(request, user, filters))
        page = log.find_many(user, filters, limit=PAGE, order="desc", cursor=request.GET.get("cursor") or None)
        problem = ""
    except InvalidInputError as error:
        filters, page, problem = Filter(), None, str(error)
    if page is not None and (mode := _mode(request)):
        return HttpResponse(format_observations(page.observations, mode), content_type="text/plain; charset=utf-8")
    context: dict[str, Any] = {
        "rows": page.observations if page else [],
        "next_cursor": page.cursor if page and page.more else "",
        "problem": problem,
    }
    if request.htmx and "cursor" in request.GET:
        return render(request, "obslog/_rows.html", context)
    context |= {"types": types_of(user), "params": request.GET, "live": request.GET.get("live") == "1"}
    if page is not None:
        context |= _density(user, filters)
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
    return render(request, "obslog/observation.html", {"row": row, "text": format_observations([row], "full")})


def _density(user: User, filters: Filter) -> dict[str, Any]:
    """Return the bar of the period in the filter; without a beginning of the last DENSITY_DAYS days until its end.

    A period without an end ends with the present minute, so that a page and its fragments have the same bars.
    """
    before = filters.before_date or (int(timezone.now().timestamp()) // 60 + 1) * 60_000
    since = filters.after_date or before - DENSITY_DAYS * 86_400_000
    buckets = density(user, filters, since, max(before, since + BUCKETS))
    return {"buckets": buckets, "most": max(bucket.count for bucket in buckets), "width": WIDTH, "height": HEIGHT}


def _tail(request: HttpRequest, user: User, filters: Filter) -> dict[str, Any]:
    """Return what arrived after the cursor in the query string, and the cursor of the next look."""
    page = log.find_many(user, filters, limit=PAGE, order="desc", cursor=request.GET["tail"])
    return {"rows": page.observations, "tail": page.cursor, "params": request.GET}


def _mode(request: HttpRequest) -> Mode | None:
    return next((mode for mode in MODES if mode == request.GET.get("format")), None)


def _filter(request: HttpRequest) -> Filter:
    """Return the filter in the query string. Raises InvalidInputError."""
    params = {name: clean(request.GET.get(name, "")).strip() for name in request.GET}
    return Filter(
        type=params.get("type") or None,
        source=params.get("source") or None,
        scope_ids=[scope.strip() for scope in params.get("scope", "").split(",") if scope.strip()],
        after_date=_milliseconds("since", params.get("since", "")),
        before_date=_milliseconds("before", params.get("before", "")),
    )


def _milliseconds(name: str, text: str) -> int | None:
    if not text:
        return None
    try:
        moment = parse_date(text, timezone.now())
    except ValueError as error:
        raise InvalidInputError(f"{name}: {error}") from error
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
