"""The page of the operation, for administrators alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from memoryserver.access.models import Laptop
from memoryserver.jobs import enqueue
from memoryserver.operations import embedding, jobs
from memoryserver.operations.sections import all_sections
from memoryserver.ops.alerting import alerts
from memoryserver.ops.health import checks

SHOWN_LAPTOPS = 50
SILENT = timedelta(days=7)  # a laptop that was not seen for so long is on holiday, or its client is broken


def _for_staff(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return `view` as it is for administrators, and not found for others."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not (request.user.is_active and getattr(request.user, "is_staff", False)):
            raise Http404("for administrators")
        return view(request, *args, **kwargs)

    return guarded


@require_GET
@_for_staff
def operations_page(request: HttpRequest) -> HttpResponse:
    """Render the page."""
    now = timezone.now()
    laptops = Laptop.objects.select_related("user").order_by("-failed", "-waiting", "seen_at")
    context = {
        "checks": checks(),
        "alerts": alerts.open_alerts(),
        "jobs": jobs.rows(),
        "failed": jobs.failed(),
        "queued": jobs.waiting(),
        "embedding": embedding.rows(),
        "laptops": [(laptop, now - laptop.seen_at > SILENT) for laptop in laptops[:SHOWN_LAPTOPS]],
        "laptop_count": laptops.count(),
        "sections": [(section, section.context()) for section in all_sections()],
    }
    return render(request, "operations/operations.html", context)


@require_POST
@_for_staff
def run_job(request: HttpRequest) -> HttpResponse:
    """Enqueue the job `function` of the form, unless one of it waits already, and show the page."""
    function = request.POST.get("function", "")
    if function not in jobs.functions():
        raise Http404("job not found")
    enqueue(function)
    messages.success(request, f"{function} is in the queue.")
    return redirect("operations")


@require_POST
@_for_staff
def retry_embedding(request: HttpRequest) -> HttpResponse:
    """Have the rows of the form's `model` that failed too often embedded again, and show the page."""
    try:
        count = embedding.retry(request.POST.get("model", ""))
    except KeyError as error:
        raise Http404("model not found") from error
    messages.success(request, f"{count} are embedded again within a minute.")
    return redirect("operations")
