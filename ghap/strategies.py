"""How well each strategy does: how often its predictions came true, and after how many iterations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Aggregate, Avg, Count, F, FloatField, Q, QuerySet

from ghap.local import ConfidenceTier, Domain, OutcomeStatus
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows

_CONFIRMED = Q(outcome_status=OutcomeStatus.CONFIRMED.value)
_DECIDED = _CONFIRMED | Q(outcome_status=OutcomeStatus.FALSIFIED.value)


@dataclass(frozen=True)
class Tally:
    """How entries came out. The rate is of those that were decided, confirmed or falsified; so are the iterations,
    and all three are None where none was. `poor` of the decided ones had a poor hypothesis (bronze), so that they
    say little.
    """

    entries: int
    confirmed: int
    falsified: int
    abandoned: int
    poor: int
    confirmed_rate: float | None
    mean_iterations: float | None
    median_iterations: float | None


@dataclass(frozen=True)
class Performance:
    """A strategy's tally over all, and in each domain in which it was used, by the domain's name."""

    strategy: str
    overall: Tally
    domains: Mapping[str, Tally] = field(default_factory=dict)


class Median(Aggregate):
    """The median, half way between the two in the middle where there are two."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def performance(
    user: User | AnonymousUser,
    *,
    project: str | None = None,
    domain: Domain | None = None,
    since: datetime | None = None,
) -> list[Performance]:
    """Of each strategy among the entries that `user` may see, the most used first.

    `project` is a project's key; `since` the time from which on an entry was resolved. What nobody used is not
    there, and a project that `user` does not know has no entries.
    """
    rows = visible_rows(Entry.objects.order_by(), user)
    if project is not None:
        rows = rows.filter(project__key=project)
    if domain is not None:
        rows = rows.filter(domain=domain.value)
    if since is not None:
        rows = rows.filter(captured_at__gte=since)
    domains: dict[str, dict[str, Tally]] = defaultdict(dict)
    for row in _tallied(rows, "strategy", "domain"):
        domains[row["strategy"]][row["domain"]] = _tally(row)
    return [Performance(row["strategy"], _tally(row), domains[row["strategy"]]) for row in _tallied(rows, "strategy")]


def _tallied(rows: QuerySet[Entry], *by: str) -> Iterable[dict[str, Any]]:
    """Counted in the database, one row for each strategy (and domain), the most used first."""
    tallied: Iterable[dict[str, Any]] = (
        rows.values(*by)
        .annotate(
            entries=Count("pk"),
            confirmed=Count("pk", filter=_CONFIRMED),
            decided=Count("pk", filter=_DECIDED),
            abandoned=Count("pk", filter=Q(outcome_status=OutcomeStatus.ABANDONED.value)),
            poor=Count("pk", filter=_DECIDED & Q(confidence_tier=ConfidenceTier.BRONZE.value)),
            mean=Avg("iteration_count", filter=_DECIDED),
            median=Median(F("iteration_count"), filter=_DECIDED),
        )
        .order_by("-entries", *by)
    )
    return tallied


def _tally(row: Mapping[str, Any]) -> Tally:
    decided = row["decided"]
    return Tally(
        entries=row["entries"],
        confirmed=row["confirmed"],
        falsified=decided - row["confirmed"],
        abandoned=row["abandoned"],
        poor=row["poor"],
        confirmed_rate=round(row["confirmed"] / decided, 4) if decided else None,
        mean_iterations=round(row["mean"], 2) if decided else None,
        median_iterations=row["median"],
    )
