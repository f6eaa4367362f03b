"""Health and metrics endpoints."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET

from memoryserver.ops import metrics
from memoryserver.ops.health import checks

logger = logging.getLogger(__name__)


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200 while this process serves requests; checks nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 if all required checks pass, else 503, with each check by name; `complete` says that all pass.

    With `?complete=1` the status is 200 only then: for those who wait until searches are by meaning.
    """
    results = checks()
    ready, complete = all(check.good for check in results if check.required), all(check.good for check in results)
    body = {
        "ready": ready,
        "complete": complete,
        "checks": {check.name: {"good": check.good, "detail": check.detail} for check in results},
    }
    awaited = complete if request.GET.get("complete") == "1" else ready
    if not ready:
        reasons = "; ".join(f"{check.name}: {check.detail}" for check in results if check.required and not check.good)
        logger.warning("the server is not ready", extra={"reason": reasons})
    return JsonResponse(body, status=200 if awaited else 503)


@login_not_required
@require_GET
def metrics_page(request: HttpRequest) -> HttpResponse:
    """Return the metrics, given the configured bearer token or a signed-in administrator."""
    if not _may_read_metrics(request):
        message = "send MEMORYSERVER_METRICS_TOKEN as a bearer token, or sign in as an administrator\n"
        return HttpResponse(message, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(metrics.text(), content_type=metrics.CONTENT_TYPE)


def _may_read_metrics(request: HttpRequest) -> bool:
    header = request.headers.get("authorization", "")
    if header:
        return bool(settings.METRICS_TOKEN) and constant_time_compare(header, f"Bearer {settings.METRICS_TOKEN}")
    return request.user.is_authenticated and request.user.is_active and request.user.is_staff
