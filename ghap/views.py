"""Pages of strategies and clusters; `pages` has those of entries."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ghap import clusters, strategies
from ghap.local import Domain
from memoryserver.home.scope import ANY_TIME, scope_of
from memoryserver.pages import HtmxHttpRequest

SHOWN_CLUSTERS = 40
AXES = {"": "surprises and root causes", "surprise": "surprises", "root_cause": "root causes"}
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


@require_GET
def clusters_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page, for htmx only the clusters. An unknown axis is ignored."""
    axis = request.GET.get("axis", "")
    context: dict[str, Any] = {"axes": AXES, "axis": axis}
    context["result"] = clusters.clusters_of(
        request.user,
        axis=axis if axis and axis in AXES else None,
        within=scope_of(request.user, request.GET, ANY_TIME).condition,
        limit=SHOWN_CLUSTERS,
        cursor=request.GET.get("cursor", ""),
    )
    template = "ghap/_cluster_rows.html" if request.htmx and "cursor" in request.GET else "ghap/clusters.html"
    return render(request, template, context)


@require_GET
def cluster_page(request: HtmxHttpRequest, key: int) -> HttpResponse:
    """Render one cluster with its members, for htmx only the members, or only the next ones after a cursor."""
    cluster = clusters.cluster_of(request.user, key)
    page = clusters.members_of(request.user, key, cursor=request.GET.get("cursor", ""))
    if cluster is None or page is None:
        raise Http404("cluster not found; clusters are recomputed every night")
    template = "ghap/cluster.html"
    if request.htmx:
        template = "ghap/_member_rows.html" if "cursor" in request.GET else "ghap/_members.html"
    return render(request, template, {"cluster": cluster, "page": page})
