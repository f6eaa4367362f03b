"""The sessions' part of the home page: how many ran, which were stuck and recovered, and which are stuck now."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, F, Q
from django.urls import reverse

from memoryserver.home.parts import JOIN, Card, Part, Step, Tile
from memoryserver.home.scope import PageScope
from trajectory import assess
from trajectory.models import AssessmentRecord, Trajectory

STUCK_NOW = 5
RECOVERED_WITHIN = 3
"""Calls after the message within which a pattern must end for the agent to have recovered."""


def tiles(scope: PageScope) -> Sequence[Tile]:
    """Return the number of sessions, and of the findings that agents were told with how many of them ended soon."""
    return [_sessions(scope), _told(scope)]


def cards(scope: PageScope) -> Sequence[Card]:
    """Return the running sessions with an open finding, the worst first."""
    running = scope.rows(Trajectory.objects.running().filter(worst__in=("caution", "warning")))
    rows = list(running.select_related("user", "project").order_by("-worst", "-last_call_at", "-pk")[:STUCK_NOW])
    worst = assess.worst_findings(rows)
    context = {"sessions": [(row, worst.get(row.pk)) for row in rows]}
    return [
        Card("Stuck now", "left", "trajectory/_home_stuck.html", context, f"{reverse('trajectory')}?worst=1"),
    ]


def steps(scope: PageScope) -> Sequence[Step]:
    """Return the step of the first tool call."""
    done = scope.rows(Trajectory.objects.all()).exists()
    return [Step("A laptop has joined, with its hooks, and an agent has called a tool.", JOIN, done)]


def _sessions(scope: PageScope) -> Tile:
    rows = scope.rows(Trajectory.objects.filter(agent_id=""))
    counted = rows.aggregate(
        now=Count("pk", filter=Q(last_call_at__gte=scope.since)),
        before=Count("pk", filter=Q(last_call_at__gte=scope.before, last_call_at__lt=scope.since)),
    )
    return Tile(
        title="Agents' sessions",
        value=str(counted["now"]),
        note=f"{counted['before']} in the {scope.days} days before",
        weeks=[week["sessions"] for week in scope.by_week(rows, "last_call_at", sessions=Count("pk"))],
        page=reverse("trajectory"),
    )


def _told(scope: PageScope) -> Tile:
    told = scope.rows(AssessmentRecord.objects.exclude(told_at_call=None))
    ended_soon = Q(ended_with_session=False, ended_at_call__lte=F("told_at_call") + RECOVERED_WITHIN)
    counted = told.filter(began_at__gte=scope.since).aggregate(
        all=Count("pk"), recovered=Count("pk", filter=ended_soon)
    )
    return Tile(
        title="Told that they were stuck",
        value=str(counted["all"]),
        note=f"{counted['recovered']} of {counted['all']} stopped within {RECOVERED_WITHIN} calls",
        weeks=[week["findings"] for week in scope.by_week(told, "began_at", findings=Count("pk"))],
        page=reverse("trajectory"),
    )


PART = Part("trajectory", 10, tiles=tiles, cards=cards, steps=steps)
