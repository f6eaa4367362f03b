"""The sessions' part of the home page: how many ran, which were stuck and recovered, and which are stuck now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Count, F, Q
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.common.text import shorten
from memoryserver.context import service as contexts
from memoryserver.home.parts import JOIN, Card, Line, Part, Step, Tile
from memoryserver.home.scope import PageScope
from trajectory import assess, known_here
from trajectory.local.engine import assessment
from trajectory.models import AssessmentRecord, Trajectory

STUCK_NOW = 5
PROJECTS_ASKED = 3
"""Projects whose memory is asked about findings: composing a context costs some queries."""

RECOVERED_WITHIN = 3
"""Calls after the first message within which a pattern must end for the agent to have recovered."""


def tiles(scope: PageScope) -> Sequence[Tile]:
    """Return the number of sessions, and of those in which the agent was told, with how many findings ended soon."""
    return [_sessions(scope), _notified(scope)]


def cards(scope: PageScope) -> Sequence[Card]:
    """Return the running sessions with an open finding, the worst first."""
    running = scope.rows(Trajectory.objects.running().filter(worst__in=("caution", "warning")))
    rows = list(running.select_related("user", "project").order_by("-worst", "-last_call_at", "-pk")[:STUCK_NOW])
    worst = assess.worst_findings(rows, bodies=True)
    known = _known(scope, rows, worst)
    context = {"sessions": [(row, worst.get(row.pk), known.get(row.pk)) for row in rows]}
    lines = [_line(row, worst.get(row.pk)) for row in rows]
    page = scope.link("trajectory", state="stuck")
    return [Card("Stuck now", "left", "trajectory/_home_stuck.html", context, page, lines)]


def steps(scope: PageScope) -> Sequence[Step]:
    """Return the step of the first tool call."""
    done = scope.rows(Trajectory.objects.all()).exists()
    return [Step("A laptop has joined, with its hooks, and an agent has called a tool.", JOIN, done)]


def _known(
    scope: PageScope, rows: Sequence[Trajectory], worst: Mapping[int, AssessmentRecord]
) -> Mapping[int, contexts.Candidate]:
    """Return what the memory of its project knows about the finding of each session; one composition a project."""
    compositions: dict[int, contexts.Composition] = {}
    known = {}
    for row in rows:
        finding = worst.get(row.pk)
        if finding is None or row.project is None or not isinstance(scope.user, User):
            continue
        if row.project.pk not in compositions and len(compositions) < PROJECTS_ASKED:
            compositions[row.project.pk] = contexts.compose(scope.user, row.project.key, contexts.MAX_CHARS)
        composition = compositions.get(row.project.pk)
        match = known_here.candidate_about(assessment.from_row(finding.body), composition) if composition else None
        if match is not None:
            known[row.pk] = match
    return known


def _line(row: Trajectory, finding: AssessmentRecord | None) -> Line:
    text = f"{row.name} ({row.user}): {finding.summary}" if finding else f"{row.name} ({row.user})"
    return Line(shorten(text, 300), reverse("trajectory-session", args=[row.pk]))


def _sessions(scope: PageScope) -> Tile:
    rows = scope.rows(Trajectory.objects.filter(agent_id=""))
    counted = rows.filter(scope.compared("last_call_at")).aggregate(
        now=Count("pk", filter=scope.period("last_call_at")),
        before=Count("pk", filter=scope.period_before("last_call_at")),
    )
    return Tile(
        title="Agents' sessions",
        value=str(counted["now"]),
        note=f"without sub-agents; {counted['before']} in the {scope.days} days before",
        weeks=[week["sessions"] for week in scope.by_week(rows, "last_call_at", sessions=Count("pk"))],
        page=scope.link("trajectory", state="main"),
    )


def _notified(scope: PageScope) -> Tile:
    sessions = scope.rows(Trajectory.objects.told())
    findings = scope.rows(AssessmentRecord.objects.exclude(first_told_at_call=None))
    ended_soon = Q(ended_with_session=False, ended_at_call__lte=F("first_told_at_call") + RECOVERED_WITHIN)
    counted = findings.filter(scope.period("trajectory__last_call_at")).aggregate(
        all=Count("pk"), ended=Count("pk", filter=ended_soon), sessions=Count("trajectory", distinct=True)
    )
    ended = f"{counted['ended']} of {counted['all']} findings ended within {RECOVERED_WITHIN} calls"
    return Tile(
        title="Sessions told that they were stuck",
        value=str(counted["sessions"]),
        note=f"{ended} of the first message" if counted["all"] else "no agent was told of a finding",
        weeks=[week["sessions"] for week in scope.by_week(sessions, "last_call_at", sessions=Count("pk"))],
        page=scope.link("trajectory", state="told"),
    )


PART = Part("trajectory", 10, tiles=tiles, cards=cards, steps=steps)
