"""Performance of strategies: the share of confirmed predictions, and the number of iterations."""

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
from memoryserver.home.intervals import wilson

FEW = 5  # decided entries, below which a share says little
EVERYTHING = Q()
_CONFIRMED = Q(outcome_status=OutcomeStatus.CONFIRMED.value)
_POOR = Q(confidence_tier=ConfidenceTier.BRONZE.value)
_DECIDED = _CONFIRMED | Q(outcome_status=OutcomeStatus.FALSIFIED.value)


@dataclass(frozen=True)
class Tally:
    """Counts of entries by outcome.

    Rate and iterations are of decided (confirmed or falsified) entries, None if there are none. `poor` is the number of
    decided entries with a poor hypothesis (bronze), and `confirmed_sound` that of confirmed ones without. The share and
    its interval leave the poor ones out, since their predictions could hardly fail.
    """

    entries: int
    confirmed: int
    falsified: int
    abandoned: int
    poor: int
    confirmed_rate: float | None
    mean_iterations: float | None
    median_iterations: float | None
    confirmed_sound: int = 0

    @property
    def sound(self) -> int:
        """The number of decided entries whose hypothesis is not poor."""
        return self.confirmed + self.falsified - self.poor

    @property
    def percent(self) -> int | None:
        """The share of confirmed ones of `sound` in percent, None if there are none."""
        return round(100 * self.confirmed_sound / self.sound) if self.sound else None

    @property
    def interval(self) -> tuple[int, int]:
        """The 95 % interval of that share in percent; (0, 100) if there are none."""
        low, high = wilson(self.confirmed_sound, self.sound)
        return round(100 * low), round(100 * high)

    @property
    def is_few(self) -> bool:
        """Whether there are too few for the share to say much."""
        return self.sound < FEW


@dataclass(frozen=True)
class Performance:
    """A strategy's tally overall, and by name of each domain in which it was used."""

    strategy: str
    overall: Tally
    domains: Mapping[str, Tally] = field(default_factory=dict)


class Median(Aggregate):
    """The median; for an even number of values the mean of the middle two."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def performance(
    user: User | AnonymousUser,
    *,
    project: str | None = None,
    domain: Domain | None = None,
    since: datetime | None = None,
    within: Q = EVERYTHING,
) -> list[Performance]:
    """Return the performance of each strategy in the entries `within` a scope that `user` may see, the most used first.

    `project` is a project's key; `since` is the earliest time of resolution. Unused strategies are left out; an unknown
    project has no entries.
    """
    rows = visible_rows(Entry.objects.order_by(), user).filter(within)
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
    """Return the counts of each strategy (and domain), the most used first."""
    tallied: Iterable[dict[str, Any]] = (
        rows.values(*by)
        .annotate(
            entries=Count("pk"),
            confirmed=Count("pk", filter=_CONFIRMED),
            decided=Count("pk", filter=_DECIDED),
            abandoned=Count("pk", filter=Q(outcome_status=OutcomeStatus.ABANDONED.value)),
            poor=Count("pk", filter=_DECIDED & _POOR),
            confirmed_sound=Count("pk", filter=_CONFIRMED & ~_POOR),
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
        confirmed_sound=row["confirmed_sound"],
    )
