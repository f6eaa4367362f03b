"""The page of a project's context: its lines, and what was left out, with the reasons."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import viewer, visible_projects
from memoryserver.context import explanation
from memoryserver.pages.fragments import HtmxHttpRequest
from memoryserver.statements.compiled import USER, CompiledRows


@require_GET
def context_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the context of the requested project, by default that of the first one the viewer may see."""
    projects = [key for (key,) in _KEYS.rows(user=viewer(request.user))]
    project = request.GET.get("project", "") or next(iter(projects), "")
    context: dict[str, Any] = {"projects": projects, "project": project}
    if project.strip():
        lines = explanation.explain(request.user, project).lines
        context["included"] = [line for line in lines if line.outcome == "included"]
        context["others"] = [line for line in lines if line.outcome != "included"]
    return render(request, "context/context.html", context)


_KEYS = CompiledRows(lambda: visible_projects(User(pk=USER)).order_by("key").values_list("key").distinct())
