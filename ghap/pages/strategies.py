"""The page of strategies."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ghap import strategies
from ghap.local import Domain
from memoryserver.home import figures
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages.fragments import HtmxHttpRequest

DOMAINS = [domain.value for domain in Domain]


@require_GET
def strategies_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page, for htmx only the strategies. An unknown domain or age is ignored."""
    domain = request.GET.get("domain", "")
    chosen = Domain(domain) if domain in DOMAINS else None
    scope = scope_of(request.user, request.GET, ANY_TIME)
    context: dict[str, Any] = {"domains": DOMAINS, "domain": domain}
    context["strategies"] = figures.kept(
        f"strategies {chosen}",
        scope,
        lambda: strategies.performance(scope.user, domain=chosen, within=scope.within("captured_at")),
    )
    return render(request, "ghap/strategies.html", context)
