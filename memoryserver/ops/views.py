"""Health, for machines."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

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
