"""Metrics of capture: the share of contexts with learnings, latency, and failures.

A context is one transcript, and counts as a session from SESSION_MESSAGES messages on: an agent leaves many files of
one or two (a question that was withdrawn, a title), from which nothing can be learned. Both denominators are reported.
Targets: learnings in more than half of the sessions, less than five minutes from capture
to database, no failure without an alert.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Aggregate, Count, DurationField, ExpressionWrapper, F, Q, QuerySet, Value
from django.db.models.functions import Greatest, TruncDate
from django.utils import timezone

from capture.learnings import visible as visible_learnings
from capture.metrics import yields
from capture.metrics.yields import SESSION_MESSAGES, Yield
from capture.models import Capture, CaptureFailure, CaptureState, Compaction, Learning
from memoryserver.accounts.models import OwnedModel, User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.ops.alerting import alerts
from memoryserver.ops.metrics import Family, single
from memoryserver.vectors import backlog

Row = TypeVar("Row", bound=OwnedModel)

TARGET_SHARE = 0.5
TARGET_LATENCY = timedelta(minutes=5)
DAYS = (7, 30, 90)


@dataclass(frozen=True)
class Scope:
    """Filters of a report: a project's key, a user's name, a team's name, each "" for all; and the last `days`."""

    project: str = ""
    user: str = ""
    team: str = ""
    days: int = 30


@dataclass(frozen=True)
class Latency:
    """The time from capture on the client to the database; None without captures."""

    captures: int
    median: timedelta | None
    p95: timedelta | None
    in_time: int

    @property
    def share_in_time(self) -> float | None:
        """The share of captures that took less than five minutes, from 0 to 1; None without captures."""
        return self.in_time / self.captures if self.captures else None

    @property
    def percent_in_time(self) -> int:
        """The share in time in percent, rounded down."""
        return math.floor(100 * (self.share_in_time or 0))

    @property
    def median_text(self) -> str:
        """The median with a unit."""
        return _duration(self.median)

    @property
    def p95_text(self) -> str:
        """The 95th percentile with a unit."""
        return _duration(self.p95)


@dataclass(frozen=True)
class Failures:
    """Queue files that were not stored, learnings that cannot be embedded, and failures of both without an alert."""

    refused: int
    open: int
    not_embedded: int
    silent: int


@dataclass(frozen=True)
class Report:
    """All metrics of a scope."""

    total: Yield
    by_project: Sequence[Yield]
    by_user: Sequence[Yield]
    latency: Latency
    failures: Failures
    by_type: Sequence[tuple[str, int]]
    by_day: Sequence[tuple[date, int]]
    compactions: Mapping[str, int]

    @property
    def learnings(self) -> int:
        """The number of new learnings."""
        return sum(count for _, count in self.by_type)


@dataclass(frozen=True)
class _Rows:
    contexts: QuerySet[CaptureState]
    captures: QuerySet[Capture]
    learnings: QuerySet[Learning]
    failures: QuerySet[CaptureFailure]
    compactions: QuerySet[Compaction]


class Percentile(Aggregate):
    """The `fraction` percentile, interpolated."""

    function = "percentile_cont"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = DurationField()

    def __init__(self, expression: str, fraction: float) -> None:
        super().__init__(expression, fraction=fraction)


def report(viewer: User | AnonymousUser, scope: Scope) -> Report:
    """Return the metrics of what `viewer` may see in `scope`. Raises InvalidInputError for invalid days."""
    if scope.days not in DAYS:
        raise InvalidInputError(f"days: must be one of {', '.join(map(str, DAYS))}")
    since = timezone.now() - timedelta(days=scope.days)
    states = _scoped(CaptureState.objects.all(), viewer, scope)
    rows = _Rows(
        contexts=states.filter(last_activity_at__gte=since),
        captures=Capture.objects.filter(state__in=states.values("pk"), received_at__gte=since),
        learnings=_scoped(visible_learnings(viewer), viewer, scope).filter(first_seen__gte=since),
        failures=_scoped(CaptureFailure.objects.all(), viewer, scope).filter(failed_at__gte=since),
        compactions=_scoped(Compaction.objects.all(), viewer, scope).filter(happened_at__gte=since),
    )
    return _report(rows)


def of_server() -> Mapping[str, Any]:
    """Return `contexts`, `latency` and `failures` of the whole server, over the times that `families` has."""
    rows = _server_rows()
    return {
        "contexts": yields.of("", rows.contexts),
        "latency": _latency(rows.captures),
        "failures": _failures(rows),
    }


def families() -> Iterable[Family]:
    """Yield the metrics of the whole server: of the last thirty days, latencies of the last day."""
    rows = _server_rows()
    contexts, latency, failures = yields.of("", rows.contexts), _latency(rows.captures), _failures(rows)
    prefix = "memoryserver_capture"
    yield from _context_families(contexts)
    by_type = [({"type": kind}, float(count)) for kind, count in _by_type(rows.learnings)]
    yield Family(f"{prefix}_learnings", "New learnings in 30 days.", by_type)
    yield Family(f"{prefix}_captures", "Queue files stored within a day.", single(latency.captures))
    about = "Seconds from capture to database, of one day."
    quantiles = [("0.5", latency.median), ("0.95", latency.p95)]
    samples = [({"quantile": name}, value.total_seconds()) for name, value in quantiles if value is not None]
    yield Family(f"{prefix}_latency_seconds", about, samples)
    yield Family(
        f"{prefix}_captures_in_time", "Queue files stored within five minutes, of one day.", single(latency.in_time)
    )
    yield Family(f"{prefix}_failures", "Queue files that were not stored in 30 days.", single(failures.refused))
    yield Family(f"{prefix}_failures_open", "Queue files of 30 days that are still not stored.", single(failures.open))
    yield Family(f"{prefix}_not_embedded", "Learnings that cannot be embedded.", single(failures.not_embedded))
    yield Family(f"{prefix}_failures_silent", "Failures without an alert.", single(failures.silent))
    triggers = [({"trigger": name}, float(count)) for name, count in _by_trigger(rows.compactions).items()]
    yield Family(f"{prefix}_compactions", "Compactions in 30 days.", triggers)


def _server_rows() -> _Rows:
    now = timezone.now()
    since = now - timedelta(days=30)
    return _Rows(
        contexts=CaptureState.objects.filter(last_activity_at__gte=since),
        captures=Capture.objects.filter(received_at__gte=now - timedelta(days=1)),
        learnings=Learning.objects.filter(first_seen__gte=since),
        failures=CaptureFailure.objects.filter(failed_at__gte=since),
        compactions=Compaction.objects.filter(happened_at__gte=since),
    )


def _context_families(contexts: Yield) -> Iterable[Family]:
    for name, about, number in (
        ("contexts", "Contexts with messages", contexts.contexts),
        ("contexts_with_learnings", "Contexts with learnings", contexts.with_learnings),
        ("sessions", f"Contexts with {SESSION_MESSAGES} messages or more", contexts.sessions),
        ("sessions_with_learnings", "Sessions with learnings", contexts.sessions_with_learnings),
    ):
        yield Family(f"memoryserver_capture_{name}", f"{about} in 30 days.", single(number))


def _duration(duration: timedelta | None) -> str:
    seconds = round(duration.total_seconds()) if duration is not None else 0
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7_200:
        return f"{seconds // 60} min"
    return f"{seconds // 3_600} h"


def _scoped(rows: QuerySet[Row], viewer: User | AnonymousUser, scope: Scope) -> QuerySet[Row]:
    rows = visible_rows(rows, viewer)
    if scope.project:
        rows = rows.filter(project__key=clean(scope.project))
    if scope.user:
        rows = rows.filter(user__username=clean(scope.user))
    return rows.filter(project__team__name=clean(scope.team)) if scope.team else rows


def _report(rows: _Rows) -> Report:
    day = TruncDate("first_seen", tzinfo=timezone.get_current_timezone())
    by_day = rows.learnings.order_by().annotate(day=day).values_list("day")
    return Report(
        total=yields.of("", rows.contexts),
        by_project=yields.by_group(rows.contexts, "project__key"),
        by_user=yields.by_group(rows.contexts, "user__username"),
        latency=_latency(rows.captures),
        failures=_failures(rows),
        by_type=_by_type(rows.learnings),
        by_day=list(by_day.annotate(count=Count("pk")).order_by("day")),
        compactions=_by_trigger(rows.compactions),
    )


def _latency(captures: QuerySet[Capture]) -> Latency:
    """Return the latency of `captures`; a client's clock that is ahead counts as zero."""
    elapsed = ExpressionWrapper(F("received_at") - F("captured_at"), output_field=DurationField())
    counted = captures.annotate(elapsed=Greatest(elapsed, Value(timedelta(0), output_field=DurationField()))).aggregate(
        all=Count("pk"),
        median=Percentile("elapsed", 0.5),
        p95=Percentile("elapsed", 0.95),
        in_time=Count("pk", filter=Q(elapsed__lt=TARGET_LATENCY)),
    )
    return Latency(counted["all"], counted["median"], counted["p95"], counted["in_time"])


def _failures(rows: _Rows) -> Failures:
    """Count failures and those without an alert; one alert covers all learnings that cannot be embedded."""
    counted = rows.failures.aggregate(
        all=Count("pk"), open=Count("pk", filter=Q(resolved_at=None)), silent=Count("pk", filter=Q(alerted_at=None))
    )
    not_embedded = rows.learnings.filter(backlog.is_stuck()).count()
    alerted = alerts.open_alerts().filter(key=backlog.alert_key(Learning)).exists()
    silent = counted["silent"] + (0 if alerted else not_embedded)
    return Failures(counted["all"], counted["open"], not_embedded, silent)


def _by_type(learnings: QuerySet[Learning]) -> list[tuple[str, int]]:
    return list(learnings.order_by().values_list("type").annotate(count=Count("pk")).order_by("-count", "type"))


def _by_trigger(compactions: QuerySet[Compaction]) -> dict[str, int]:
    return dict(compactions.order_by().values_list("trigger").annotate(count=Count("pk")).order_by("trigger"))
