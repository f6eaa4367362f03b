"""Pages of strategies and clusters; `pages` has those of entries."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from ghap import clusters, strategies
from ghap.local import Domain
from memoryserver.accounts.visibility import visible_projects
from memoryserver.pages import HtmxHttpRequest
from memoryserver.search.dates import parse_date

SHOWN_CLUSTERS = 40
AXES = {"": "surprises and root causes", "surprise": "surprises", "root_cause": "root causes"}
AGES = {"": "any time", "30d": "last month", "90d": "last three months", "1y": "last year"}
DOMAINS = [domain.value for domain in Domain]


@require_GET
def strategies_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page, for htmx only the strategies. An unknown domain or age is ignored."""
    domain, age = request.GET.get("domain", ""), request.GET.get("since", "")
    context = _projects(request) | {"domains": DOMAINS, "domain": domain, "ages": AGES, "since": age}
    context["strategies"] = strategies.performance(
        request.user,
        project=context["project"] or None,
        domain=Domain(domain) if domain in DOMAINS else None,
        since=parse_date(age, timezone.now()) if age and age in AGES else None,
    )
    return render(request, "ghap/strategies.html", context)


@require_GET
def clusters_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page, for htmx only the clusters. An unknown axis is ignored."""
    axis = request.GET.get("axis", "")
    context = _projects(request) | {"axes": AXES, "axis": axis}
    context["result"] = clusters.clusters_of(
        request.user,
        axis=axis if axis and axis in AXES else None,
        project=context["project"] or None,
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


def _projects(request: HttpRequest) -> dict[str, Any]:
    keys = visible_projects(request.user).order_by("key").values_list("key", flat=True).distinct()
    return {"projects": keys, "project": request.GET.get("project", "")}
