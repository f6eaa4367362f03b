"""The page of strategies; `pages` has those of entries and failures."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ghap import strategies
from ghap.local import Domain
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages import HtmxHttpRequest

DOMAINS = [domain.value for domain in Domain]


@require_GET
def strategies_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page, for htmx only the strategies. An unknown domain or age is ignored."""
    domain = request.GET.get("domain", "")
    context: dict[str, Any] = {"domains": DOMAINS, "domain": domain}
    context["strategies"] = strategies.performance(
        request.user,
        domain=Domain(domain) if domain in DOMAINS else None,
        within=scope_of(request.user, request.GET, ANY_TIME).within("captured_at"),
    )
    return render(request, "ghap/strategies.html", context)
