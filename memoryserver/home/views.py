"""The home page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import Team
from memoryserver.accounts.visibility import visible_teams
from memoryserver.home import server
from memoryserver.home.charts import spark
from memoryserver.home.figures import figures_of, steps_of
from memoryserver.home.parts import JOIN, Step, all_parts
from memoryserver.home.scope import scope_of
from memoryserver.joining.address import join_line
from memoryserver.pages.fragments import HtmxHttpRequest


@require_GET
def home(request: HtmxHttpRequest) -> HttpResponse:
    """Render the page; for htmx without the page around it. Before the first data it shows the steps of setting up."""
    scope = scope_of(request.user, request.GET)
    parts = [server.PART, *all_parts()]
    everywhere = replace(scope, team="", project="")  # a project without data is no reason to begin again
    steps = [_with_line(request, step) for step in steps_of(parts, everywhere)]
    context: dict[str, Any] = {
        "health": [health for part in parts for health in part.health(scope)],
        "steps": steps if not all(step.done for step in steps) else [],
        "empty": not any(step.done for step in steps),
    }
    context["without_team"] = context["steps"] and not visible_teams(request.user).exists() and Team.objects.exists()
    if not context["empty"]:
        figures = figures_of(parts, scope)
        tiles = [tile for each in figures for tile in each.tiles]
        cards = [card for part, each in zip(parts, figures, strict=True) for card in (*part.cards(scope), *each.cards)]
        context["tiles"] = [(tile, spark(tile.weeks)) for tile in tiles]
        context["columns"] = [[card for card in cards if card.column == column] for column in ("left", "right")]
    return render(request, "home/home.html", context)


def _with_line(request: HtmxHttpRequest, step: Step) -> Step:
    return replace(step, command=join_line(request)) if step.command == JOIN else step
