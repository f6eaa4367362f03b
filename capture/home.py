"""Capture's part of the home page: sessions that taught something, new learnings, and whether the memory was used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Count, Q
from django.urls import reverse

from capture.belief import rules
from capture.metrics import yields
from capture.metrics.reports import TARGET_SHARE
from capture.models import CaptureFailure, CaptureState, Learning, LearningUsage
from memoryserver.common.counted import counted
from memoryserver.common.text import shorten
from memoryserver.home.addresses import address_of
from memoryserver.home.figures import kept
from memoryserver.home.parts import Card, Health, Line, Part, Step, Tile
from memoryserver.home.scope import PageScope

LEARNED = 5
_AIM = f"the aim is over {100 * TARGET_SHARE:.0f} %"


def health(scope: PageScope) -> Sequence[Health]:
    """Return when a transcript was last reported, and whether queue files were refused."""
    states, page = scope.rows(CaptureState.objects.all()), reverse("capture")
    latest = states.order_by("-last_activity_at").first()
    failures = scope.rows(CaptureFailure.objects.filter(resolved_at=None)).count()
    parts = []
    if latest is None:
        parts.append(Health(False, "capture: no transcript seen yet", page))
    if failures:
        text = f"{failures} queue file{'s were' if failures > 1 else ' was'} not stored"
        parts.append(Health(False, text, page))
    elif latest is not None:
        parts.append(Health(True, "capture: every queue file of yours is stored", page))
    return parts


def tiles(scope: PageScope) -> Sequence[Tile]:
    """Return the share of sessions with learnings."""
    states = scope.rows(CaptureState.objects.all())
    now = yields.of("", states.filter(scope.period("last_activity_at")))
    return [
        Tile(
            title="Sessions that taught something",
            value=f"{now.percent} %" if now.sessions else "–",
            note=f"{now.sessions_with_learnings} of {counted(now.sessions, 'transcript')}; {_AIM}",
            weeks=_weeks(scope),
            page=scope.link("capture"),
        )
    ]


def _weeks(scope: PageScope) -> Sequence[float | None]:
    states = scope.rows(CaptureState.objects.filter(message_count__gte=yields.SESSION_MESSAGES))
    good = Count("pk", filter=Q(learnings_delivered__gt=0))
    weeks = scope.by_week(states, "last_activity_at", sessions=Count("pk"), good=good)
    return [100 * week["good"] / week["sessions"] if week["sessions"] else None for week in weeks]


def cards(scope: PageScope) -> Sequence[Card]:
    """Return what was learned in the period, the best of what is believed; kept for a moment, as figures are."""
    shown = scope.rows(Learning.objects.filter(hidden=False, merged_into=None))
    recent = shown.filter(scope.period("first_seen"))
    keys = kept("learned", scope, lambda: rules.leading(recent).believed[:LEARNED])
    rows = shown.select_related("user", "project").in_bulk(keys)  # those that are still shown
    learned = [rows[key] for key in keys if key in rows]
    return [
        Card(
            "Learned lately",
            "right",
            "capture/_home_learnings.html",
            {"learnings": learned, "days": scope.days},
            scope.link("learnings"),
            [Line(shorten(f"{row.type}: {row.content}", 300), address_of("learning", row.pk)) for row in learned],
        ),
    ]


def figures(scope: PageScope) -> Sequence[Card]:
    """Return how many learnings were ever used, and how. Counts of uses would grow with the number of learnings."""
    learnings = scope.rows(Learning.objects.filter(hidden=False, merged_into=None))
    told = Q(shown__gt=0) | Q(returned__gt=0) | Q(opened__gt=0)
    counts = LearningUsage.objects.filter(learning__in=learnings).aggregate(
        with_shown=Count("pk", filter=Q(shown__gt=0)),
        with_returned=Count("pk", filter=Q(returned__gt=0)),
        with_opened=Count("pk", filter=Q(opened__gt=0)),
        with_quoted=Count("pk", filter=Q(quoted__gt=0) & told),
    )
    used = {name.removeprefix("with_"): number for name, number in counts.items()}
    used["learnings"] = learnings.count()
    return [Card("Was the memory used?", "right", "capture/_home_usage.html", used, "", [Line(_usage(used))])]


def _usage(used: Mapping[str, int]) -> str:
    return (
        f"Of {counted(used['learnings'], 'learning')}, {used['shown']} were ever put into a session, "
        f"{used['returned']} returned by a search, {used['opened']} opened, and {used['quoted']} said again after that."
    )


def steps(scope: PageScope) -> Sequence[Step]:
    """Return the step of the first transcript."""
    done = scope.rows(CaptureState.objects.all()).exists()
    return [Step("A transcript was read.", "memory capture scan && memory sync", done)]


PART = Part("capture", 30, health=health, tiles=tiles, cards=cards, figures=figures, steps=steps)
