"""Health, for machines."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET

from memoryserver.ops import metrics
from memoryserver.ops.health import checks


@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process serves; asks nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """200 if what serving needs is there, else 503; each check by name."""
    made = checks()
    ready = all(check.good for check in made if check.required)
    body = {
        "ready": ready,
        "checks": {check.name: {"good": check.good, "detail": check.detail} for check in made},
    }
    return JsonResponse(body, status=200 if ready else 503)


@require_GET
def metrics_page(request: HttpRequest) -> HttpResponse:
    """The figures for Prometheus: with the setting's token as a bearer token, or for an administrator signed in."""
    if not _may_read_metrics(request):
        said = "send MEMORYSERVER_METRICS_TOKEN as a bearer token, or sign in as an administrator\n"
        return HttpResponse(said, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(metrics.text(), content_type=metrics.CONTENT_TYPE)


def _may_read_metrics(request: HttpRequest) -> bool:
    sent = request.headers.get("authorization", "")
    if sent:
        return bool(settings.METRICS_TOKEN) and constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")
    return request.user.is_authenticated and request.user.is_active and request.user.is_staff
